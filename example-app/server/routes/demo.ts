// /api/demo: the tickets of one visitor's room, without a sign-in. The name of the room is a secret of its page.

import { Hono, type Context } from 'hono';
import { z } from 'zod';
import { directiveRequest } from '@edict/server';
import { demoPeople, demoStatuses, serverTimeHeader, type DemoRoom } from '../../src/demo/model.ts';
import type { Demo } from '../demo/demo.ts';
import type { Room } from '../demo/room.ts';
import { DeskError } from '../desk/errors.ts';
import { readBody } from '../input.ts';

const person = z.enum(demoPeople);
const change = z.object({
  by: person,
  status: z.enum(demoStatuses).optional(),
  assignee: person.nullable().optional(),
});
const burst = z.object({ count: z.int().min(1).max(50) });
const colleagues = z.object({ areWorking: z.boolean() });

export function demoRoutes(demo: Demo): Hono {
  const routes = new Hono();
  const enter = (c: Context): Room => {
    const room = demo.enter(c.req.param('room') ?? '');
    if (room === null) throw new DeskError(404, 'no_such_room', 'This room was closed. Open a new one.');
    return room;
  };

  routes.get('/events', (c) => demo.hub.fetchHandler(c.req.raw));
  routes.use('/rooms/*', async (c, next) => {
    c.header(serverTimeHeader, String(Date.now()));
    await next();
  });
  routes.post('/rooms', (c) => c.json({ room: demo.open() } satisfies DemoRoom, 201));

  routes.get('/rooms/:room/tickets', (c) => {
    const ids = c.req.query('ids')?.split(',').map(Number);
    const all = enter(c).tickets();
    return c.json(ids === undefined ? all : all.filter(({ id }) => ids.includes(id)));
  });
  routes.get('/rooms/:room/tickets/:id', (c) => c.json(enter(c).ticket(Number(c.req.param('id')))));
  routes.patch('/rooms/:room/tickets/:id', async (c) => {
    const id = Number(c.req.param('id'));
    const room = enter(c);
    const { by, ...wanted } = await readBody(c, change);
    if (room.ticket(id) === null) throw new DeskError(404, 'no_such_ticket', 'Ticket not found.');
    const source = directiveRequest(c.req.raw).clientId;
    const { status, assignee } = wanted;
    const fields = {
      ...(status === undefined ? {} : { status }),
      ...(assignee === undefined ? {} : { assignee }),
    };
    const directives = await room.change(id, fields, by, source);
    return c.json({ ticket: room.ticket(id), directives });
  });

  routes.post('/rooms/:room/burst', async (c) => {
    const room = enter(c);
    await room.burst((await readBody(c, burst)).count);
    return c.json({});
  });
  routes.put('/rooms/:room/colleagues', async (c) => {
    enter(c);
    const { areWorking } = await readBody(c, colleagues);
    demo.setColleagues(c.req.param('room'), areWorking);
    return c.json({});
  });
  // The stream of the hand-wired page: the same announcements, without numbers and without replay.
  routes.get('/rooms/:room/plain-events', (c) => plainStream(enter(c)));
  return routes;
}

function plainStream(room: Room): Response {
  let end = (): void => {};
  const body = new ReadableStream<string>({
    start(controller) {
      controller.enqueue(': open\n\n');
      end = room.plain((message) => controller.enqueue(`data: ${message}\n\n`));
    },
    cancel: () => end(),
  });
  return new Response(body.pipeThrough(new TextEncoderStream()), {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
  });
}
