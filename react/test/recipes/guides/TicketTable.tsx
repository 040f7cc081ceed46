// TicketTable.tsx
import { useCollection, useItems } from '@edict/react';
import type { ComponentType } from 'react';
import { ticket, tickets, type Ticket } from './lists.ts';

export function TicketTable({ page, Table }: { page: number; Table: ComponentType<{ rows: Ticket[] }> }) {
  const { data } = useCollection(tickets, { params: { page } });
  return <Table rows={useItems(ticket, data.ids).flatMap((row) => row.data ?? [])} />;
}
