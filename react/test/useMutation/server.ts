// A server that renames tickets, and the mutation that calls it.

import { useMutation } from '@edict/react';
import { refreshTicket, setup } from '../world.tsx';

/** A server whose mutation renames a ticket and emits a directive for it. */
export function withServer(): ReturnType<typeof setup> {
  const world = setup();
  world.sim.route('PATCH /tickets/:id', ({ params, body }) => {
    const id = Number(params['id']);
    const { title } = body as { title: string }; // The tests send only this body.
    if (title === '') return new Response('no', { status: 422 });
    world.setTitle(id, title);
    return { ok: true, directives: [refreshTicket(id)] };
  });
  return world;
}

export const patch = (title: string): RequestInit => ({ method: 'PATCH', body: JSON.stringify({ title }) });

export function useRename(
  until?: 'response' | 'applied' | 'settled',
  id = 1,
): ReturnType<typeof useMutation<string, string>> {
  return useMutation(
    async (title: string, { fetch }) => {
      const response = await fetch(`https://app.test/tickets/${id}`, patch(title));
      if (!response.ok) throw new Error(`refused ${title}`);
      return `renamed to ${title}`;
    },
    { until },
  );
}
