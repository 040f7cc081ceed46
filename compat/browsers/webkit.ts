// Drives the MiniBrowser of WebKitGTK, which has the engine of Safari, over its WebDriver. It runs on a virtual screen.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { vi } from 'vitest';
import { freePort } from '../../server/test/support/freePort.ts';
import type { Tab } from './tab.ts';

type Command = (method: string, path: string, body?: object) => Promise<unknown>;

interface Session {
  sessionId: string;
  capabilities: { browserName: string; browserVersion: string };
}

/** Finds the program. The name of its folder in Debian depends on the architecture and the version. */
const findBrowser = (): string =>
  execFileSync('sh', ['-c', 'ls /usr/lib/*/webkit*gtk-*/MiniBrowser'], { encoding: 'utf8' }).split('\n')[0] ??
  '';

const commandAt =
  (port: number): Command =>
  async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { value } = (await response.json()) as { value: unknown }; // Every response of a WebDriver has it.
    if (!response.ok) throw new Error(`WebKitWebDriver: ${JSON.stringify(value)}`);
    return value;
  };

async function begin(command: Command): Promise<Session> {
  await vi.waitFor(() => command('GET', '/status'), { timeout: 30_000 });
  const browser = { binary: findBrowser(), args: ['--automation'] };
  const session = await command('POST', '/session', {
    capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': browser } },
  });
  return session as Session; // The format that WebDriver defines.
}

export async function openWebKit(): Promise<Tab> {
  const port = await freePort();
  const driver = ['WebKitWebDriver', `--port=${port}`, '--host=local'];
  const screen = spawn('xvfb-run', ['-a', ...driver], { stdio: 'ignore', detached: true });
  async function end(): Promise<void> {
    // `xvfb-run` is a shell script with child processes. The negative id ends all of them.
    if (screen.pid !== undefined) process.kill(-screen.pid);
    await once(screen, 'exit');
  }
  const command = commandAt(port);
  try {
    const { sessionId, capabilities } = await begin(command);
    const page = `/session/${sessionId}`;
    return {
      browser: `${capabilities.browserName} ${capabilities.browserVersion}`,
      open: async (url) => void (await command('POST', `${page}/url`, { url })),
      back: async () => void (await command('POST', `${page}/back`, {})),
      ask: (expression) =>
        command('POST', `${page}/execute/sync`, { script: `return ${expression}`, args: [] }),
      async close() {
        await command('DELETE', page);
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}
