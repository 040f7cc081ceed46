// What an application writes once (D-REACT-9). A program of its own: the register holds for the whole of one.

export interface Summary {
  id: number;
  title: string;
}
export interface Full extends Summary {
  body: string;
}
export interface Person {
  name: string;
}
export interface TicketParams {
  status?: 'open' | 'closed';
  page?: number;
}

declare module '@edict/core' {
  interface Register {
    types: { ticket: { default: Summary; full: Full }; person: { default: Person } };
    collections: { tickets: TicketParams; people: { team: string } };
  }
}
