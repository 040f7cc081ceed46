// The README's server and client, as they stand there: two tabs, a click in one, and both show it.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { chromium, type Page } from 'playwright';
import { expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** The code block that begins with this file's name. */
function block(language: 'ts' | 'tsx', file: string): string {
  const start = readme.indexOf(`\`\`\`${language}\n// ${file}\n`);
  if (start === -1) throw new Error(`README.md has no block of ${file}`);
  const code = start + language.length + 4;
  return readme.slice(code, readme.indexOf('\n```', code));
}

async function bundle(code: string, loader: 'ts' | 'tsx', platform: 'node' | 'browser'): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: root, loader },
    bundle: true,
    write: false,
    format: 'esm',
    platform,
    conditions: ['source'],
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as AddressInfo; // A TCP server has one.
  await new Promise((done) => server.close(done));
  return port;
}

/** Runs the server in a process of its own; resolves when it answers. */
async function start(code: string): Promise<string> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'edict-readme-'));
  const file = join(folder, 'server.mjs');
  expect(code).toContain('.listen(3000)');
  writeFileSync(file, await bundle(code.replace('.listen(3000)', `.listen(${port})`), 'ts', 'node'));
  const child = spawn(process.execPath, [file], { stdio: 'inherit' });
  onTestFinished(async () => {
    child.kill();
    await new Promise((done) => child.once('exit', done));
    rmSync(folder, { recursive: true });
  });
  const url = `http://127.0.0.1:${port}`;
  await expect.poll(() => fetch(url).then(({ status }) => status, String), { timeout: 20_000 }).toBe(404);
  return url;
}

async function openTab(open: () => Promise<Page>, url: string, script: string): Promise<Page> {
  const page = await open();
  page.on('pageerror', (error) => expect.fail(String(error)));
  // The example leaves it to the reader who serves the page; everything below /api is the example's own.
  await page.route(`${url}/`, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: '<!doctype html><title>Edict</title><body></body><script type="module" src="/client.js"></script>',
    }),
  );
  await page.route(`${url}/client.js`, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: script }),
  );
  await page.goto(url);
  await page.getByText('"status":"open"').waitFor();
  return page;
}

it('the README’s example shows a change in both tabs', { timeout: 90_000 }, async () => {
  const url = await start(block('ts', 'server.ts'));
  const script = await bundle(block('tsx', 'client.tsx'), 'tsx', 'browser');
  const executablePath =
    process.env['CHROMIUM_PATH'] ?? (existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : undefined);
  const browser = await chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  });
  onTestFinished(() => browser.close());
  const context = await browser.newContext();
  const tabs = [await openTab(() => context.newPage(), url, script)];
  tabs.push(await openTab(() => context.newPage(), url, script));

  await tabs[0]?.getByRole('button').click();
  for (const tab of tabs) await tab.getByText('"status":"closed"').waitFor();
});

it('the README’s example is below forty lines', () => {
  const lines = [block('ts', 'server.ts'), block('tsx', 'client.tsx')].join('\n').split('\n');
  expect(lines.filter((line) => line.trim() !== '').length).toBeLessThan(40);
});
