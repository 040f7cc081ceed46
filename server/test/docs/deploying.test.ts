// Runs the code blocks of docs/server/deploying.md, one of them in a separate process, and its nginx configuration.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createDataLayer } from '@edict/core';
import { DIRECTIVES_HEADER, refreshItem } from '@edict/core/protocol';
import { expect, it, onTestFinished, vi } from 'vitest';
import { directivesHeader, type Hub } from '../../src/index.ts';
import { freePort } from '../support/freePort.ts';
import { startProcess } from '../support/examples.ts';
import { blockWith, openPage } from '../support/pages.ts';
import { listen, serveHub, subscribe } from '../support/servers.ts';
import { readStream } from '../support/stream.ts';

const guide = 'docs/server/deploying.md';

it('D-HUB-6 “Restarts and releases”: on SIGTERM every stream receives a retry, and the process ends', async () => {
  const { url, child } = await startProcess(blockWith(guide, 'SIGTERM').code);
  const ended = new Promise((done) => child.once('exit', done));
  const streams = [await subscribe(url, '?client_id=a'), await subscribe(url, '?client_id=b')];
  await Promise.all(streams.map(({ atLeast }) => atLeast(1)));
  child.kill('SIGTERM');
  for (const stream of streams) {
    expect(await stream.ended).toBeNull();
    const retryMs = stream.frames.at(-1)?.retry;
    expect(retryMs).toBeGreaterThanOrEqual(500);
    expect(retryMs).toBeLessThanOrEqual(5000);
  }
  expect(await ended).toBe(0);
});

it('“Restarts and releases”: a release reloads each page once, however often its directive is emitted', async () => {
  const { hub, url } = await serveHub();
  const { release } = await openPage(guide).run<{ release: (hub: Hub, version: string) => Promise<unknown> }>(
    'release',
  );
  let reloads = 0;
  const dl = createDataLayer({ env: { reloadPage: () => void (reloads += 1) } });
  onTestFinished(() => dl.dispose());
  const judged: unknown[] = [];
  dl.onLifecycle('directive:processed', ({ detail }) => void judged.push(detail.kind));
  dl.onLifecycle('directive:skipped', ({ detail }) => void judged.push(detail.reason));
  dl.init({ sse: { baseUrl: url } });
  await expect.poll(() => dl.state().sse.lastSeq['global']).toBeTypeOf('number');
  for (const version of ['2', '2', '3']) await release(hub, version);
  await expect.poll(() => judged).toEqual(['page_reload', 'duplicate', 'page_reload']);
  expect(reloads).toBe(2);
});

it('“HTTP/2”: with pauseHidden, a background tab has no stream and misses no directive', async () => {
  const { hub, url } = await serveHub();
  const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  const show = (visibilityState: string): void => {
    page.visibilityState = visibilityState;
    page.dispatchEvent(new Event('visibilitychange'));
  };
  vi.stubGlobal('document', page);
  vi.stubGlobal('window', new EventTarget());
  vi.resetModules();
  const { DL: dl } = await import('@edict/core');
  onTestFinished(() => {
    vi.unstubAllGlobals();
    dl.dispose();
  });
  let status = 'open';
  dl.createType('ticket', { fetch: () => ({ status }) });
  dl.init({ sse: { baseUrl: url, pauseHidden: true }, bulk: { delayMs: 0 } });
  const ticket = dl.fetchItem('ticket', 7);
  await expect.poll(() => hub.metrics().connections).toBe(1);
  await expect.poll(() => dl.state().sse.lastSeq['global']).toBeTypeOf('number');

  show('hidden');
  await expect.poll(() => hub.metrics().connections).toBe(0);

  status = 'closed';
  await hub.emit([refreshItem('ticket', 7)]);
  show('visible');
  await expect.poll(() => ticket.data).toEqual({ status: 'closed' });
  expect(hub.metrics()).toMatchObject({ connections: 1, replayHits: 2, replayMisses: 0 });
});

/** A directive of nginx with the directives in its braces. */
interface Directive {
  readonly words: readonly string[];
  readonly inside: readonly Directive[];
}

/** Parses an nginx configuration. Throws if it is invalid. */
function parse(text: string): Directive[] {
  const tokens = text.replace(/#.*$/gm, '').match(/"[^"]*"|[{};]|[^\s{};]+/g) ?? [];
  let at = 0;
  function block(isTop: boolean): Directive[] {
    const found: Directive[] = [];
    let words: string[] = [];
    for (; at < tokens.length; at += 1) {
      const token = tokens[at] ?? '';
      if (token === '}') {
        if (isTop || words.length > 0) throw new Error(`"${words.join(' ')}" ends in a brace`);
        return found;
      }
      if (token !== ';' && token !== '{') {
        words.push(token);
        continue;
      }
      if (words.length === 0) throw new Error(`nothing before "${token}"`);
      at += token === '{' ? 1 : 0;
      found.push({ words, inside: token === '{' ? block(false) : [] });
      words = [];
    }
    if (!isTop || words.length > 0) throw new Error(`"${words.join(' ')}" has no end`);
    return found;
  }
  return block(true);
}

const configuration = (): string =>
  /^```nginx\n([\s\S]*?)^```$/m.exec(
    readFileSync(new URL(`../../../${guide}`, import.meta.url), 'utf8'),
  )?.[1] ?? '';

const named = (list: readonly Directive[], ...words: string[]): Directive[] =>
  list.filter((one) => words.every((word, index) => one.words[index] === word));

it('the nginx configuration is valid, and the location of the stream has the settings of the page', () => {
  const config = parse(configuration());
  const [server] = named(config, 'server');
  const [stream] = named(server?.inside ?? [], 'location', '/api/events');
  const of = (name: string): string | undefined =>
    named(stream?.inside ?? [], name)[0]
      ?.words.slice(1)
      .join(' ');
  expect(named(server?.inside ?? [], 'listen')[0]?.words).toContain('http2');
  expect(of('proxy_buffering')).toBe('off');
  expect(of('gzip')).toBe('off');
  expect(of('proxy_http_version')).toBe('1.1');
  expect(Number.parseInt(of('proxy_read_timeout') ?? '0', 10)).toBeGreaterThan(15);
  const [app] = named(config, 'upstream');
  expect(of('proxy_pass')).toBe(`http://${app?.words[1]}`);
  const idle = named(app?.inside ?? [], 'keepalive_timeout')[0]?.words[1];
  expect(Number.parseInt(idle ?? '60', 10) * 1000).toBeLessThan(createServer().keepAliveTimeout);
});

const nginx = process.env['NGINX_PATH'] ?? '/usr/sbin/nginx';

/** Serves through nginx with the configuration of the page. Only the addresses and the certificate are changed. */
async function serveThroughNginx(upstream: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'edict-nginx-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [key, certificate, config] = [`${folder}/key.pem`, `${folder}/cert.pem`, `${folder}/nginx.conf`];
  const subject = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=example.com'];
  execFileSync('openssl', ['req', ...subject, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  const port = await freePort();
  const site = [
    ['server 127.0.0.1:3000', `server ${new URL(upstream).host}`],
    ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
    ['# ssl_certificate, ssl_certificate_key', `ssl_certificate ${certificate}; ssl_certificate_key ${key};`],
  ].reduce((text, [from = '', to = '']) => {
    expect(text).toContain(from);
    return text.replace(from, to);
  }, configuration());
  writeFileSync(
    config,
    `daemon off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${site} }`,
  );
  const child = spawn(nginx, ['-p', folder, '-c', config], { stdio: ['ignore', 'inherit', 'inherit'] });
  const ended = new Promise((done) => child.once('exit', done));
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  await expect
    .poll(() => new Promise((done) => connectTcp(port, '127.0.0.1', () => done(true)).on('error', done)))
    .toBe(true);
  return `https://127.0.0.1:${port}`;
}

// The tests do not install nginx. Without it, these tests are skipped.
it.skipIf(!existsSync(nginx))(
  'behind nginx with this configuration, an event arrives over HTTP/2 immediately',
  async () => {
    const { hub, url } = await serveHub();
    const session = connect(await serveThroughNginx(url), { rejectUnauthorized: false });
    onTestFinished(() => session.destroy());
    const stream = session.request({ ':path': '/api/events?client_id=a' });
    const { atLeast, until } = readStream(Readable.toWeb(stream) as unknown as ReadableStream); // Node and the DOM differ in types.
    const [head] = (await once(stream, 'response')) as [Record<string, unknown>]; // The event passes the headers.
    expect(head[':status']).toBe(200);
    expect(head['x-accel-buffering']).toBe('no'); // For another nginx in front.
    expect(session.alpnProtocol).toBe('h2');
    await atLeast(1);
    await hub.emit([refreshItem('ticket', 7)]);
    const { envelope } = await until((frame) => frame.envelope?.directives.length === 1);
    expect(envelope?.directives[0]).toMatchObject({ op: 'refresh_item', name: 'ticket', id: 7 });
  },
);

it.skipIf(!existsSync(nginx))(
  'D-HUB-9 behind nginx with this configuration, the longest header of directives arrives',
  async () => {
    const value = directivesHeader(['x'.repeat(4092)]) ?? '';
    expect(value).toHaveLength(4096);
    const upstream = await listen(
      createServer((_, res) => void res.setHeader(DIRECTIVES_HEADER, value).writeHead(204).end()),
    );
    const session = connect(await serveThroughNginx(upstream), { rejectUnauthorized: false });
    onTestFinished(() => session.destroy());
    const answer = session.request({ ':path': '/api/tickets/7', ':method': 'PUT' }).end();
    const [head] = (await once(answer, 'response')) as [Record<string, unknown>]; // The event passes the headers.
    expect(head[':status']).toBe(204);
    expect(head[DIRECTIVES_HEADER.toLowerCase()]).toBe(value);
  },
);
