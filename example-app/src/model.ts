// The words of the desk, shared by the server and the page: lists, limits, shapes.

export const statuses = ['open', 'pending', 'solved', 'closed'] as const;
export type Status = (typeof statuses)[number];

export const priorities = ['urgent', 'high', 'normal', 'low'] as const;
export type Priority = (typeof priorities)[number];

export const sorts = ['updated', 'newest', 'oldest', 'priority'] as const;
export type Sort = (typeof sorts)[number];

export const pageSizes = [50, 100, 250, 500] as const;

/** Entries of the bell that are read at once. */
export const bellPage = 20;

export const visibilities = ['everyone', 'team'] as const;
export type Visibility = (typeof visibilities)[number];

export type ChangeKind =
  | 'created'
  | 'status'
  | 'priority'
  | 'assignee'
  | 'team'
  | 'visibility'
  | 'subject'
  | 'body';

export type NotificationKind = 'assigned' | 'commented' | 'status';

/** The longest texts that the desk takes, in characters. */
export const longest = {
  subject: 160,
  body: 8000,
  comment: 8000,
  requesterName: 120,
  requesterEmail: 200,
  search: 120,
  /** Tickets that are changed in one go. */
  bulk: 500,
} as const;

/** Ids are positive 32-bit numbers. */
export const largestId = 2_147_483_647;

/** As far as anybody can turn the pages of a list. */
export const lastPage = 100_000;

/** Text without the characters that no database or screen wants. */
export const printable = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- it is about control characters
  text.replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F]/g, '');

export interface Team {
  id: number;
  name: string;
  purpose: string;
  /** The hue of its color, in degrees. */
  hue: number;
}

export interface Person {
  id: number;
  name: string;
  email: string;
  title: string;
  hue: number;
  teamIds: number[];
}

/** The users and teams of the desk. */
export interface Directory {
  people: Person[];
  teams: Team[];
}

/** The fields that a row of a list needs. */
export interface TicketSummary {
  id: number;
  subject: string;
  status: Status;
  priority: Priority;
  teamId: number;
  assigneeId: number | null;
  visibility: Visibility;
  requester: string;
  commentCount: number;
  version: number;
  /** ISO. */
  createdAt: string;
  updatedAt: string;
}

export interface Comment {
  id: number;
  /** Null: the customer. */
  authorId: number | null;
  body: string;
  at: string;
}

export interface Change {
  id: number;
  /** Null: the customer. */
  actorId: number | null;
  kind: ChangeKind;
  from: string | null;
  to: string | null;
  at: string;
}

/** A change of any ticket, for the dashboard. */
export interface Activity extends Change {
  ticketId: number;
  subject: string;
}

/** All of a ticket; it has every field of the summary. */
export interface Ticket extends TicketSummary {
  body: string;
  requesterEmail: string;
  comments: Comment[];
  changes: Change[];
}

export interface Notification {
  id: number;
  ticketId: number;
  subject: string;
  actorId: number;
  kind: NotificationKind;
  /** How many more tickets of this person the same change was about. */
  others: number;
  isRead: boolean;
  at: string;
}

export type ByStatus = Record<Status, number>;

/** How many tickets there are, as far as the one who asks may see them. */
export interface Counts {
  all: ByStatus;
  mine: ByStatus;
  unassigned: ByStatus;
  urgent: ByStatus;
  teams: { teamId: number; counts: ByStatus }[];
}

/** The filters of a list of tickets. */
export type TicketFilters = {
  status: Status | 'all';
  /** `me`, `none`, `all`, or the id of a person. */
  assignee: 'all' | 'me' | 'none' | number;
  team: 'all' | number;
  priority: Priority | 'all';
  q: string;
};

/** The params of the ticket list. All are always present, so that the server can aim at some of the lists. */
export type TicketParams = TicketFilters & {
  sort: Sort;
  page: number;
  size: number;
};

/** The body of every error that the API answers. */
export interface ApiErrorBody {
  error: { code: string; message: string; fields?: Record<string, string> };
}

export interface Session {
  person: Person;
  /** ISO. */
  expiresAt: string;
}
