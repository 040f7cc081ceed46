// The types, lists, and limits that the server and the page share.

export const statuses = ['open', 'pending', 'solved', 'closed'] as const;
export type Status = (typeof statuses)[number];

export const priorities = ['urgent', 'high', 'normal', 'low'] as const;
export type Priority = (typeof priorities)[number];

export const sorts = ['updated', 'newest', 'oldest', 'priority'] as const;
export type Sort = (typeof sorts)[number];

export const pageSizes = [50, 100, 250, 500] as const;

/** The number of notifications that are read at the same time. */
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

/** The maximum length of texts, in characters. */
export const longest = {
  subject: 160,
  body: 8000,
  comment: 8000,
  requesterName: 120,
  requesterEmail: 200,
  search: 120,
  /** The maximum number of tickets in one action. */
  bulk: 500,
} as const;

/** Ids are positive 32-bit numbers. */
export const largestId = 2_147_483_647;

/** The last page of a list that can be opened. */
export const lastPage = 100_000;

/** Removes control characters that the database or the screen cannot handle. */
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

/** All fields of a ticket, including those of the summary. */
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
  /** How many other tickets of this user the same change affected. */
  others: number;
  isRead: boolean;
  at: string;
}

export type ByStatus = Record<Status, number>;

/** The number of tickets that the signed-in user can see. */
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

/** The params of the ticket list. All of them are always present, so that the server can name individual lists. */
export type TicketParams = TicketFilters & {
  sort: Sort;
  page: number;
  size: number;
};

/** The body of every error response of the API. */
export interface ApiErrorBody {
  error: { code: string; message: string; fields?: Record<string, string> | undefined };
}

export interface Session {
  person: Person;
  /** ISO. */
  expiresAt: string;
}
