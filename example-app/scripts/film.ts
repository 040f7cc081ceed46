// Records the animation of the README: npm run film (writes docs/images/two-people.gif).
// The two people of /demo: a change arrives, the wire is cut, changes are missed, and the replay fills the holes.

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { PNG } from 'pngjs';
import { chromiumOptions } from '../../scripts/chromium.ts';
import { startDesk } from '../e2e/deskServer.ts';
import { encodeGif, type Frame } from './gif.ts';

const target = fileURLToPath(new URL('../../docs/images/two-people.gif', import.meta.url));
/** The time between two pictures while something moves. */
const tickMs = 110;

const desk = await startDesk({ SEED_TICKETS: '0' });
const browser = await chromium.launch(chromiumOptions);
const frames: Frame[] = [];

try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, colorScheme: 'light' });
  await page.goto(`${desk.url}/demo`);
  await page.locator('[data-ticket]').nth(11).waitFor();
  await page.getByRole('button', { name: 'Pause colleagues' }).click();
  const stage = await page.locator('.stage').boundingBox();
  if (stage === null) throw new Error('The stage is not on the page.');
  const clip = { x: stage.x - 12, y: stage.y - 12, width: stage.width + 24, height: stage.height + 24 };

  const hold = async (ms: number): Promise<void> => {
    frames.push({ picture: PNG.sync.read(await page.screenshot({ clip })), ms });
  };
  const roll = async (ms: number): Promise<void> => {
    for (let at = 0; at < ms; at += tickMs) await hold(tickMs);
  };
  const act = async (at: number): Promise<void> => {
    await page.locator('[data-screen="Priya"] .ticket-act').nth(at).click();
  };

  await hold(1200);
  await act(0);
  await roll(900);
  await page.locator('.said', { hasText: 'later' }).waitFor();
  await hold(2200);

  await page.getByRole('button', { name: 'Cut', exact: true }).click();
  await roll(300);
  for (const at of [1, 2, 3]) {
    await act(at);
    await roll(700);
  }
  await page.locator('.log-half[data-fate="missed"]').nth(2).waitFor();
  await page.getByText('3 rows behind').or(page.getByText('Reconnecting')).first().waitFor();
  await hold(1800);

  await page.getByRole('button', { name: 'Reconnect' }).click();
  await roll(300);
  await page.locator('.log-half[data-fate="replayed"]').nth(2).waitFor();
  await roll(900);
  await page.locator('[data-proof="equal"]', { hasText: 'Equal' }).waitFor();
  await hold(2600);
} finally {
  await browser.close();
  await desk.stop();
}

const gif = encodeGif(frames);
writeFileSync(target, gif);
const seconds = frames.reduce((sum, { ms }) => sum + ms, 0) / 1000;
console.log(
  `${target}: ${seconds.toFixed(1)} s, ${frames.length} pictures, ${(gif.length / 1e6).toFixed(2)} MB`,
);
