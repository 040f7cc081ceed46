// The data of the demo, shared by its server and its page.

export const demoStatuses = ['open', 'pending', 'solved'] as const;
export type DemoStatus = (typeof demoStatuses)[number];

/** The two people on the page, and the colleagues that the server simulates. */
export const demoPeople = ['Priya', 'Mara', 'Tomás', 'Yuki', 'Elif'] as const;
export type DemoPerson = (typeof demoPeople)[number];

export interface DemoTicket {
  id: number;
  subject: string;
  status: DemoStatus;
  assignee: DemoPerson | null;
  /** Counts the changes of the whole room, so a higher one is newer. */
  version: number;
  changedBy: DemoPerson;
  /** Milliseconds since the epoch, from the server's clock. */
  changedAt: number;
}

/** The changes that a person makes to a ticket. */
export type DemoChange = Partial<Pick<DemoTicket, 'status' | 'assignee'>>;

/** One visitor's own desk. */
export interface DemoRoom {
  room: string;
}

/** Responses contain the server's time in this header, in milliseconds since the epoch. */
export const serverTimeHeader = 'x-server-time';

export const demoAudience = (room: string): string => `demo:${room}`;

/** The content of a ticket on a screen, for the comparison with the server. */
export const demoRowText = ({ id, status, assignee }: DemoTicket): string =>
  `#${id} · ${demoStatusWords[status]} · ${assignee ?? 'Unassigned'}`;

export const demoStatusWords: Record<DemoStatus, string> = {
  open: 'Open',
  pending: 'Pending',
  solved: 'Solved',
};

/** The name of the screen without Edict. */
export const handWiredScreen = 'hand-wired';
