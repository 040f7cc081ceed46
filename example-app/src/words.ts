// The texts of the desk.

import {
  priorities,
  statuses,
  type Change,
  type ChangeKind,
  type Directory,
  type Notification,
  type Person,
  type Priority,
  type Sort,
  type Status,
  type Team,
} from './model.ts';

export const statusWords: Record<Status, string> = {
  open: 'Open',
  pending: 'Pending',
  solved: 'Solved',
  closed: 'Closed',
};

/** On buttons. */
export const statusVerbs: Record<Status, string> = {
  open: 'Reopen',
  pending: 'Set pending',
  solved: 'Solve',
  closed: 'Close',
};

export const priorityWords: Record<Priority, string> = {
  urgent: 'Urgent',
  high: 'High',
  normal: 'Normal',
  low: 'Low',
};

export const sortWords: Record<Sort, string> = {
  updated: 'Last updated',
  newest: 'Newest first',
  oldest: 'Oldest first',
  priority: 'Most urgent',
};

/** Shown for an id that is not in the directory. */
export const unknownPerson = 'Unknown person';
export const unknownTeam = 'Unknown team';

/** Appended to the name of a team that the server would refuse. */
export const notInIt = ' (you are not in it)';

export const number = (value: number): string => value.toLocaleString('en');

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`;

export const initials = (name: string): string =>
  name
    .split(' ')
    .map((part) => part[0] ?? '')
    .slice(0, 2)
    .join('')
    .toUpperCase();

/** Finds people and teams by their id. */
export interface Names {
  directory: Directory;
  person: (id: number | null | undefined) => Person | null;
  team: (id: number | null | undefined) => Team | null;
}

export function namesOf(directory: Directory): Names {
  const people = new Map(directory.people.map((person) => [person.id, person]));
  const teams = new Map(directory.teams.map((team) => [team.id, team]));
  return {
    directory,
    person: (id) => (id === null || id === undefined ? null : (people.get(id) ?? null)),
    team: (id) => (id === null || id === undefined ? null : (teams.get(id) ?? null)),
  };
}

/** The names of the fields that change. */
export const fieldWords: Record<ChangeKind, string> = {
  created: 'Ticket',
  status: 'Status',
  priority: 'Priority',
  assignee: 'Assignee',
  team: 'Team',
  visibility: 'Visible to',
  subject: 'Subject',
  body: 'Description',
};

/** A value of a changed field, as the history stores it. */
export function valueWords({ kind }: Change, value: string | null, names: Names): string {
  switch (kind) {
    case 'status':
      return statuses.flatMap((one) => (one === value ? statusWords[one] : [])).join('');
    case 'priority':
      return priorities.flatMap((one) => (one === value ? priorityWords[one] : [])).join('');
    case 'assignee':
      return value === null ? 'Unassigned' : (names.person(Number(value))?.name ?? unknownPerson);
    case 'team':
      return names.team(Number(value))?.name ?? unknownTeam;
    case 'visibility':
      return value === 'team' ? 'Its team only' : 'Everyone';
    case 'created':
    case 'subject':
    case 'body':
      return value ?? '';
  }
}

/** `set the status to Solved` */
export function changeWords(change: Change, names: Names): string {
  const { kind, from, to } = change;
  switch (kind) {
    case 'created':
      return 'opened this ticket';
    case 'status':
      return `set the status to ${valueWords(change, to, names)}`;
    case 'priority':
      return `set the priority to ${valueWords(change, to, names)}`;
    case 'assignee':
      if (to === null) return `unassigned ${valueWords(change, from, names)}`;
      return Number(to) === change.actorId
        ? 'took this ticket'
        : `assigned it to ${valueWords(change, to, names)}`;
    case 'team':
      return `moved it to ${valueWords(change, to, names)}`;
    case 'visibility':
      return to === 'team' ? 'made it private to the team' : 'made it visible to everyone';
    case 'subject':
      return `changed the subject, which was “${from ?? ''}”`;
    case 'body':
      return 'changed the description';
  }
}

export function notificationWords({ kind }: Notification): string {
  switch (kind) {
    case 'assigned':
      return 'assigned you';
    case 'commented':
      return 'commented on';
    case 'status':
      return 'changed the status of';
  }
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });
const steps = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
] as const;
const shortDate = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const dateOfYear = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const longDate = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** `3 min. ago`, or a date if it is more than two weeks ago. The date has its year if it is not the current one. */
export function ago(iso: string, now: number): string {
  const at = new Date(iso);
  const passed = Math.max(0, now - at.getTime());
  if (passed > 14 * 86_400_000) {
    const isThisYear = at.getUTCFullYear() === new Date(now).getUTCFullYear();
    return (isThisYear ? shortDate : dateOfYear).format(at);
  }
  const step = steps.find(({ ms }) => passed >= ms);
  return step === undefined ? 'now' : relative.format(-Math.floor(passed / step.ms), step.unit);
}

export const fullTime = (iso: string): string => `${longDate.format(new Date(iso))} UTC`;
