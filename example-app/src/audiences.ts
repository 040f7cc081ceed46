// Names of the audiences. The server emits to them, and pages subscribe to them.

import type { Person } from './model.ts';

export const everyone = 'global';
export const teamAudience = (teamId: number | ''): string => `team-${teamId}`;
export const personAudience = (personId: number | ''): string => `user-${personId}`;

/** The audiences that a user may subscribe to. All others are refused. */
export const audiencesOf = ({ id, teamIds }: Person): string[] => [
  everyone,
  ...teamIds.map((teamId) => teamAudience(teamId)),
  personAudience(id),
];
