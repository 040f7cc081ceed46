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
  routes.get('/:id', async (c) =>
    c.json(
      await bell.findNotification(
        desk.db,
        c.get('session').person,
        check(inputs.notificationId, c.req.param('id')),
      ),
    ),
  );
  routes.post('/read', async (c) =>
    c.json(
      await mutate(c, desk, async (work) => {
        await bell.readNotifications(work);
        return {};
      }),
    ),
  );
  routes.post('/:id/read', async (c) => {
    const id = check(inputs.notificationId, c.req.param('id'));
    return c.json(
      await mutate(c, desk, async (work) => {
        await bell.readNotifications(work, id);
        return {};
      }),
    );
  });
  return routes;
}
