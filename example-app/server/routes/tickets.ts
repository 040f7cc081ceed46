// /api/tickets

import { Hono } from 'hono';
import type { Desk, DeskEnv } from '../app.ts';
import * as inputs from '../../src/inputs.ts';
import { noSuchTicket } from '../desk/errors.ts';
import * as change from '../desk/ticketChanges.ts';
import * as read from '../desk/ticketQueries.ts';
import { check, readBody } from '../input.ts';
import { mutate } from '../mutate.ts';

export function ticketRoutes(desk: Desk): Hono<DeskEnv> {
  const { db } = desk;
  const routes = new Hono<DeskEnv>();

  routes.get('/', async (c) =>
    c.json(await read.listTickets(db, c.get('session').person, check(inputs.ticketParams, c.req.query()))),
  );
  routes.get('/summaries', async (c) =>
    c.json(await read.summaries(db, c.get('session').person, check(inputs.idList, c.req.query('ids') ?? ''))),
  );
  routes.get('/:id', async (c) => {
    const id = check(inputs.ticketId, c.req.param('id'));
    const ticket = await read.fullTicket(db, c.get('session').person, id);
    if (ticket === null) throw noSuchTicket();
    return c.json(ticket);
  });

  routes.post('/', async (c) => {
    const input = await readBody(c, inputs.createTicket);
    return await mutate(c, desk, async (work) => ({ id: await change.createTicket(work, input) }), 201);
  });
  routes.post('/bulk-status', async (c) => {
    const { ids, status, within } = await readBody(c, inputs.bulkStatus);
    return await mutate(c, desk, async (work) => ({
      before: await change.changeStatusOfMany(work, ids, status, within),
    }));
  });
  routes.patch('/:id', async (c) => {
    const id = check(inputs.ticketId, c.req.param('id'));
    const input = await readBody(c, inputs.changeTicket);
    return await mutate(c, desk, (work) => change.changeTicket(work, id, input));
  });
  routes.post('/:id/comments', async (c) => {
    const id = check(inputs.ticketId, c.req.param('id'));
    const { body } = await readBody(c, inputs.addComment);
    return await mutate(c, desk, (work) => change.addComment(work, id, body), 201);
  });
  routes.delete('/:id', async (c) => {
    const id = check(inputs.ticketId, c.req.param('id'));
    return await mutate(c, desk, (work) => change.removeTicket(work, id));
  });
  return routes;
}
