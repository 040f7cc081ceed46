// Who is told what: the server emits to these names, and pages listen under them.

import type { Person } from './model.ts';

export const everyone = 'global';
export const teamAudience = (teamId: number): string => `team-${teamId}`;
export const personAudience = (personId: number): string => `user-${personId}`;

/** What a person may hear of; all other audiences are refused. */
export const audiencesOf = ({ id, teamIds }: Person): string[] => [
  everyone,
  ...teamIds.map(teamAudience),
  personAudience(id),
];
