// Replace this file with your database.

export interface Ticket {
  id: number;
  title: string;
  status: 'open' | 'solved';
}

declare global {
  var tickets: Map<number, Ticket> | undefined;
}

// Next.js loads a module more than once, and all copies need the same tickets.
const tickets = (globalThis.tickets ??= new Map(
  ['Printer on fire', 'Password lost', 'Invoice is wrong'].map((title, index) => [
    index + 1,
    { id: index + 1, title, status: 'open' as const },
  ]),
));

export const all = (): Ticket[] => [...tickets.values()];

export const find = (id: number): Ticket | null => tickets.get(id) ?? null;

export function setStatus(id: number, status: Ticket['status']): void {
  const ticket = tickets.get(id);
  if (ticket === undefined) throw new Error(`There is no ticket ${id}.`);
  tickets.set(id, { ...ticket, status });
}
