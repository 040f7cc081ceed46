// /api/weather: the menu that breaks things on purpose.

import { randomUUID } from 'node:crypto';
import { Hono, type Context } from 'hono';
import { forceReloadPage } from '@edict/core/protocol';
import { sql } from 'drizzle-orm';
import type { Desk, DeskEnv } from '../app.ts';
import { everyone } from '../../src/audiences.ts';
import * as inputs from '../../src/inputs.ts';
import { plainUpdate } from '../../src/psql.ts';
import { DeskError } from '../desk/errors.ts';
import { readBody } from '../input.ts';

export function weatherRoutes(desk: Desk): Hono<DeskEnv> {
  const routes = new Hono<DeskEnv>();
  const checkOwner = async (c: Context<DeskEnv>, clientId: string): Promise<void> => {
    if ((await desk.clients.ownedBy(clientId, c.get('session').person.id)) === null)
      throw new DeskError(403, 'not_yours', "This is somebody else's stream.");
  };

  routes.post('/', async (c) => {
    const forecast = await readBody(c, inputs.weather);
    await checkOwner(c, forecast.clientId);
    await desk.weather.set(forecast);
    return c.json({});
  });
  routes.post('/cut', async (c) => {
    const { clientId } = await readBody(c, inputs.cut);
    await checkOwner(c, clientId);
    await desk.hub.current().disconnect({ clientId });
    return c.json({});
  });
  routes.post('/restart-hub', async (c) => {
    await desk.hub.restart();
    return c.json({});
  });
  routes.post('/psql', async (c) => {
    await desk.db.execute(sql.raw(plainUpdate));
    return c.json({});
  });
  routes.post('/reload', async (c) => {
    const { hard } = await readBody(c, inputs.reloadAll);
    // The key prevents a second reload by a client that receives the directive twice.
    const directives = await desk.hub
      .current()
      .emit([forceReloadPage({ hard, idempotency_key: `reload-${randomUUID()}` })], { audience: everyone });
    return c.json({ directives });
  });
  return routes;
}
