// Tabs of a Chromium with its default behavior. Playwright turns the back/forward cache off and keeps all pages visible, and Chromium freezes only
// hidden ones.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { chromium } from '@playwright/test';
import { chromiumOptions } from '../../../scripts/chromium.ts';

export interface PlainTab {
  evaluate: (expression: string) => Promise<unknown>;
  /** Brings the tab to the front. The previous tab becomes hidden. */
  show: () => Promise<void>;
  /** Freezes or resumes the tab. */
  setFrozen: (isFrozen: boolean) => Promise<void>;
}

/** The fields that the tests read from the results of all methods. */
interface Result {
  readonly targetId?: string;
  readonly sessionId?: string;
  readonly result?: { readonly value?: unknown };
  readonly exceptionDetails?: unknown;
}

interface Answer {
  readonly id?: number;
  readonly result?: Result;
  readonly error?: { readonly message: string };
}

export interface PlainBrowser {
  open: (url: string) => Promise<PlainTab>;
  close: () => Promise<void>;
}

export async function openPlainBrowser(): Promise<PlainBrowser> {
  const { executablePath = chromium.executablePath(), args } = chromiumOptions;
  const profile = mkdtempSync(join(tmpdir(), 'edict-tabs-'));
  const child = spawn(
    executablePath,
    ['--headless=new', ...args, '--remote-debugging-pipe', `--user-data-dir=${profile}`],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true },
  );
  const [, , , commands, answers] = child.stdio as unknown as Duplex[]; // `stdio` above creates these pipes.
  const waiting = new Map<number, (answer: Answer) => void>();
  let text = '';
  answers?.on('data', (chunk: Buffer) => {
    const parts = (text + chunk.toString()).split('\0');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const answer = JSON.parse(part) as Answer;
      waiting.get(answer.id ?? 0)?.(answer);
    }
  });

  let lastId = 0;
  async function send(method: string, params: object = {}, sessionId?: string): Promise<Result> {
    lastId += 1;
    const id = lastId;
    const answer = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    commands?.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    const { result, error } = await answer;
    if (error !== undefined || result === undefined) throw new Error(`${method}: ${error?.message}`);
    return result;
  }

  return {
    async open(url) {
      const { targetId } = await send('Target.createTarget', { url });
      const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
      return {
        async evaluate(expression) {
          const { result, exceptionDetails } = await send(
            'Runtime.evaluate',
            { expression, awaitPromise: true, returnByValue: true },
            sessionId,
          );
          if (exceptionDetails !== undefined)
            throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
          return result?.value;
        },
        show: async () => void (await send('Target.activateTarget', { targetId })),
        setFrozen: async (isFrozen) =>
          void (await send(
            'Page.setWebLifecycleState',
            { state: isFrozen ? 'frozen' : 'active' },
            sessionId,
          )),
      };
    },
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL'); // Kills all processes of the browser.
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 20 }); // The last processes of the browser may still write.
    },
  };
}
