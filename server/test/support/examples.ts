// Runs code of the documentation unchanged, in a separate process and in real browser tabs.

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright';
import { expect, onTestFinished } from 'vitest';
import { chromiumOptions } from '../../../scripts/chromium.ts';
import { freePort } from './freePort.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The code block of a page that begins with this file's name. */
export function block(page: string, file: string): string {
  const text = readFileSync(join(root, page), 'utf8');
  const fence = `\`\`\`${file.split('.').pop()}\n`;
  const start = text.indexOf(`${fence}// ${file}\n`);
  if (start === -1) throw new Error(`${page} has no block of ${file}`);
  const code = start + fence.length;
  return text.slice(code, text.indexOf('\n```', code));
}

/** @param files the other modules that the code imports, by import path. */
export async function bundle(
  code: string,
  platform: 'node' | 'browser',
  files: Readonly<Record<string, string>> = {},
): Promise<string> {
  const beside: Plugin = {
    name: 'beside',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.\// }, ({ path, namespace }) =>
        path in files && namespace !== 'file' ? { path, namespace: 'beside' } : undefined,
      );
      onLoad({ filter: /.*/, namespace: 'beside' }, ({ path }) => ({
        contents: files[path] ?? '',
        loader: 'tsx',
        resolveDir: root,
      }));
    },
  };
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: root, loader: 'tsx' },
    plugins: [beside],
    bundle: true,
    write: false,
    format: platform === 'node' ? 'cjs' : 'esm',
    platform,
    conditions: ['source'],
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

/** Runs the server in a separate process. Resolves when it responds. */
export async function start(code: string): Promise<string> {
  return (await startProcess(code)).url;
}

/** Like `start`, but also returns the process. */
export async function startProcess(code: string): Promise<{ url: string; child: ChildProcess }> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'edict-readme-'));
  const file = join(folder, 'server.cjs');
  expect(code).toContain('.listen(3000)');
  writeFileSync(file, await bundle(code.replace('.listen(3000)', `.listen(${port})`), 'node'));
  const child = spawn(process.execPath, [file], { stdio: 'inherit' });
  const ended = new Promise((done) => child.once('exit', done));
  onTestFinished(async () => {
    child.kill();
    await ended;
    rmSync(folder, { recursive: true });
  });
  const url = `http://127.0.0.1:${port}`;
  await expect.poll(() => fetch(url).then(({ status }) => status, String)).toBeTypeOf('number');
  return { url, child };
}

/** A browser that is closed when the test is over. */
export async function launch(): Promise<Browser> {
  const browser = await chromium.launch(chromiumOptions);
  onTestFinished(() => browser.close());
  return browser;
}

/** Opens the page in a new tab, and waits until it shows the text. */
export async function openTab(
  context: BrowserContext,
  url: string,
  script: string,
  shows: string,
): Promise<Page> {
  const page = await context.newPage();
  page.on('pageerror', (error) => expect.fail(String(error)));
  // A development server serves the page of the examples. The example servers handle only paths below /api.
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
  await page.getByText(shows).waitFor();
  return page;
}

export async function twoTabs(url: string, script: string, before: string, after: string): Promise<void> {
  const browser = await launch();
  const context = await browser.newContext();
  const first = await openTab(context, url, script, before);
  const second = await openTab(context, url, script, before);
  await first.getByRole('button').click();
  for (const tab of [first, second]) await tab.getByText(after).waitFor();
}
