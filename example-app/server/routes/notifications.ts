// /api/notifications

import { Hono } from 'hono';
import type { Desk, DeskEnv } from '../app.ts';
import * as inputs from '../../src/inputs.ts';
import * as bell from '../desk/notifications.ts';
import { check } from '../input.ts';
import { mutate } from '../mutate.ts';

export function notificationRoutes(desk: Desk): Hono<DeskEnv> {
  const routes = new Hono<DeskEnv>();
  routes.get('/', async (c) => {
    const { page } = check(inputs.notificationParams, c.req.query());
    return c.json(await bell.listNotifications(desk.db, c.get('session').person, page));
  });
  routes.get('/:id', async (c) => {
    const id = check(inputs.notificationId, c.req.param('id'));
    return c.json(await bell.findNotification(desk.db, c.get('session').person, id));
  });
  routes.post('/read', (c) => mutate(c, desk, (work) => bell.readNotifications(work)));
  routes.post('/:id/read', (c) => {
    const id = check(inputs.notificationId, c.req.param('id'));
    return mutate(c, desk, (work) => bell.readNotifications(work, id));
  });
  return routes;
}
