// Runs the code blocks of docs/server/operating.md.

import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import type { Hub, HubOptions } from '../../src/index.ts';
import { openPage, visit } from '../support/pages.ts';
import { hubForTest, listen, serveHttp } from '../support/servers.ts';
import { simulate } from '../support/simulated.ts';

const guide = 'docs/server/operating.md';

const statusOf = async (url: string, headers: Record<string, string> = {}): Promise<number> => {
  const response = await fetch(url, { headers });
  await response.body?.cancel();
  return response.status;
};

/** Permissions of the application, with one user. */
function createPermissions(teams: string[]) {
  return {
    userOf: async (cookie: string | undefined) => (cookie === 'user=ann' ? 'ann' : null),
    teamsOf: async () => teams,
    remove: async (_: string, teamId: string) => void teams.splice(teams.indexOf(teamId), 1),
  };
}

interface PermissionsPage {
  createTeamHub: (permissions: ReturnType<typeof createPermissions>) => Hub;
  removeFromTeam: (
    hub: Hub,
    permissions: ReturnType<typeof createPermissions>,
    userId: string,
    teamId: string,
  ) => Promise<void>;
}

it('D-HUB-10 “Remove a permission”: the client is refused the audience, shows the refusal, and keeps the other audiences', async () => {
  const page = openPage(guide);
  const { createTeamHub, removeFromTeam } = await page.run<PermissionsPage>('permissions.ts');
  const permissions = createPermissions(['7', '8']);
  const hub = createTeamHub(permissions);
  onTestFinished(() => hub.close({ retryMs: [0, 0] }));
  const { url } = await serveHttp(hub.nodeHandler);
  expect(await statusOf(`${url}/api/events?audience=global`)).toBe(401);
  visit(url).cookie = 'user=ann';
  const { DL: dl } = await import('@edict/core');
  onTestFinished(() => dl.dispose());
  const { handleRefusal } = await page.run<{
    handleRefusal: (audiences: readonly string[], show: (audience: string) => void) => () => void;
  }>('refused.ts');
  const audience = ['global', 'team-7', 'team-8'];
  const refused: string[] = [];
  handleRefusal(audience, (name) => refused.push(name));
  dl.init({ sse: { audience, withCredentials: true } });
  await expect.poll(() => dl.state().sse.status).toBe('open');
  await removeFromTeam(hub, permissions, 'ann', '7');
  await expect.poll(() => refused).toEqual(['team-7']);
  await expect.poll(() => dl.state().sse.status).toBe('open');
  expect(await statusOf(`${url}/api/events?audience=team-8`, { cookie: 'user=ann' })).toBe(200);
  expect(hub.metrics().refusals).toEqual({ unauthenticated: 1, audience_refused: 1 });
});

it('D-HUB-2 “Limit clients”: one host is refused above its limits, and another host is not', async () => {
  const { options } = await openPage(guide).run<{ options: HubOptions }>('limits.ts');
  const { hub } = simulate(options);
  const request = async (address: string): Promise<number> => {
    const response = await hub.fetchHandler(
      new Request('http://hub.test/', { headers: { 'x-real-ip': address } }),
    );
    await response.body?.cancel();
    return response.status;
  };
  const statuses = new Set<number>();
  for (let count = 0; count < 600; count += 1) statuses.add(await request('192.0.2.1'));
  expect([...statuses]).toEqual([200]);
  expect(await request('192.0.2.1')).toBe(429);
  expect(await request('192.0.2.2')).toBe(200);
  expect(hub.metrics().refusals['too_many_connects_of_key']).toBe(1);
});

it('D-HUB-8 “Metrics”: the server responds with the metrics and the health', async () => {
  const { monitoring } = await openPage(guide).run<{ monitoring: (hub: Hub) => Server }>('metrics.ts');
  const hub = hubForTest();
  const url = await listen(monitoring(hub));
  const response = await fetch(`${url}/metrics`);
  expect(response.headers.get('content-type')).toContain('version=0.0.4');
  expect(await response.text()).toBe(hub.prometheus());
  expect(await statusOf(`${url}/health`)).toBe(200);
  const away = { ...hub.metrics(), backplane: { healthy: false, lagMs: 0 } };
  const broken = await listen(monitoring({ ...hub, metrics: () => away }));
  expect(await statusOf(`${broken}/health`)).toBe(503);
});

it('D-HUB-8 “Metrics”: the table contains exactly the names of the hub', () => {
  const text = readFileSync(new URL(`../../../${guide}`, import.meta.url), 'utf8');
  const rows = Array.from(text.matchAll(/^\| `([\w.]+)` \| `(edict_\w+)/gm));
  const hub = hubForTest();
  const inPrometheus = Array.from(hub.prometheus().matchAll(/^# TYPE (\w+)/gm), ([, name]) => name);
  const isOutbox = (name = ''): boolean => name.startsWith('outbox.') || name.startsWith('edict_outbox_');
  expect(rows.flatMap(([, , name]) => (isOutbox(name) ? [] : [name]))).toEqual(inPrometheus);
  const names = Object.entries(hub.metrics()).flatMap(([name, value]) =>
    name === 'backplane' ? Object.keys(value as object).map((inner) => `${name}.${inner}`) : [name],
  );
  expect(rows.flatMap(([, name]) => (isOutbox(name) ? [] : [name]))).toEqual(names);
});

it('D-HUB-8 “OpenTelemetry”: instruments read the current values, and omit an outbox that is not attached', async () => {
  const { observe } = await openPage(guide).run<{ observe: (hub: Hub, meter: object) => void }>(
    'telemetry.ts',
  );
  const hub = hubForTest();
  type Callback = (result: { observe: (value: number) => void }) => void;
  const callbacks = { gauges: new Map<string, Callback>(), counters: new Map<string, Callback>() };
  const instruments = (kind: keyof typeof callbacks) => (name: string) => ({
    addCallback: (callback: Callback) => void callbacks[kind].set(name, callback),
  });
  observe(hub, {
    createObservableGauge: instruments('gauges'),
    createObservableCounter: instruments('counters'),
  });
  await hub.emit([{ op: 'refresh_collection', name: 'tickets' }]);
  await hub.emit([{ op: 'wrong' } as never]).catch(() => {});
  const read = (kind: keyof typeof callbacks): Record<string, number> => {
    const values: Record<string, number> = {};
    for (const [name, callback] of callbacks[kind])
      callback({ observe: (value) => void (values[name] = value) });
    return values;
  };
  expect(read('gauges')).toEqual({
    'edict.connections': 0,
    'edict.backplane.healthy': 1,
    'edict.backplane.lag_ms': 0,
  });
  expect(read('counters')).toEqual({ 'edict.emits': 1, 'edict.emit_errors': 1 });
});

it('“Admin page”: only an administrator sees it', async () => {
  const { createApp } = await openPage(guide).run<{
    createApp: (isAdmin: (cookie: string | undefined) => Promise<boolean>) => Server;
  }>('admin.ts');
  const url = await listen(createApp(async (cookie) => cookie === 'admin=1'));
  expect(await statusOf(`${url}/admin/hub`)).toBe(403);
  const response = await fetch(`${url}/admin/hub?format=json`, { headers: { cookie: 'admin=1' } });
  expect(await response.json()).toMatchObject({ metrics: { connections: 0 }, connections: [] });
});
