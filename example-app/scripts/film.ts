// Makes the moving picture of the README: npm run film (writes docs/images/two-windows.gif).
// Two people at the real desk. One changes a ticket, the other's window follows; its connection is cut, and it catches up.

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium, type Locator, type Page } from '@playwright/test';
import { chromiumOptions } from '../../scripts/chromium.ts';
import { startDesk } from '../e2e/deskServer.ts';
import { encodeGif, type Frame } from './gif.ts';
import { createStage, view } from './stage.ts';

const target = fileURLToPath(new URL('../../docs/images/two-windows.gif', import.meta.url));
const people = { priya: 3, mara: 1 };
/** Between two pictures while something moves. */
const tickMs = 90;

const desk = await startDesk({ SEED_TICKETS: '600' });
const browser = await chromium.launch(chromiumOptions);
const frames: Frame[] = [];

async function open(personId: number, path: string): Promise<Page> {
  const context = await browser.newContext({ baseURL: desk.url, viewport: view });
  await context.request.post('/api/session', { data: { personId } });
  const page = await context.newPage();
  await page.goto(path);
  await page.locator('[data-live="true"]').waitFor();
  await page.locator('.bone').first().waitFor({ state: 'detached' });
  return page;
}

try {
  const mara = await open(people.mara, '/tickets?sort=newest&team=1');
  const id = await mara.locator('.row', { hasText: 'Open' }).nth(1).getAttribute('data-ticket');
  const subject = mara.locator(`.row[data-ticket="${id}"]`);
  const priya = await open(people.priya, `/tickets/${id}`);
  const stage = await createStage(browser, ['Priya', 'Mara']);
  const pointer = await createPointer(priya);

  const shoot = async (ms: number): Promise<void> => {
    const shots = await Promise.all([priya, mara].map(async (page) => await page.screenshot()));
    frames.push({ picture: stage.compose(shots), ms });
  };
  /** Pictures of something that moves by itself. */
  const roll = async (ms: number): Promise<void> => {
    for (let at = 0; at < ms; at += tickMs) await shoot(tickMs);
  };
  const choose = async (label: string, value: string): Promise<void> => {
    const control = priya.locator('.properties').getByLabel(label);
    await pointer.goTo(control, async () => await shoot(45));
    await pointer.press(true);
    await shoot(160);
    await control.selectOption(value);
    await pointer.press(false);
  };
  const badge = subject.locator('.badge');

  await stage.say('Two people, two browsers, one support desk', null);
  await shoot(1300);

  await stage.say('Priya solves a ticket …', 0);
  await choose('Status', 'solved');
  await roll(270);
  await badge.getByText('Solved').waitFor();
  await stage.say('… and Mara’s window follows. She has touched nothing.', 1);
  await roll(720);
  await shoot(1500);

  await stage.say('Mara’s connection breaks, and her window says so', 1);
  await mara.context().setOffline(true);
  await mara.locator('[data-stream-banner]').waitFor();
  await roll(270);
  await shoot(900);

  await stage.say('Meanwhile Priya goes on', 0);
  await choose('Assignee', String(people.priya));
  await roll(180);
  await choose('Status', 'pending');
  await priya.locator('.detail-over .badge').getByText('Pending').waitFor();
  await roll(360);
  await shoot(700);

  await stage.say('Back again: what was missed is replayed', 1);
  await mara.context().setOffline(false);
  await badge.getByText('Pending').waitFor();
  await roll(720);
  await shoot(2200);
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

/** A pointer that is seen: pictures of a page show none. */
async function createPointer(page: Page) {
  const place = { x: view.width * 0.72, y: view.height * 0.82 };
  await page.evaluate((start) => {
    const arrow = document.createElement('div');
    arrow.id = 'film-pointer';
    arrow.innerHTML = `<svg width="22" height="26" viewBox="0 0 22 26"><path d="M2 2v19l5-5 3.500 8 3.500-1.500-3.500-8h7z"
      fill="#111" stroke="#fff" stroke-width="1.600" stroke-linejoin="round"/></svg>`;
    arrow.style.cssText = `position: fixed; left: ${start.x}px; top: ${start.y}px; z-index: 9999; pointer-events: none`;
    document.body.append(arrow);
  }, place);
  const moveTo = async (x: number, y: number): Promise<void> =>
    await page.evaluate(
      ([left, above]) => {
        const arrow = document.getElementById('film-pointer');
        if (arrow !== null) Object.assign(arrow.style, { left: `${left}px`, top: `${above}px` });
      },
      [x, y],
    );

  return {
    /** Goes there in a few steps, quicker at first, and tells after each. */
    async goTo(control: Locator, onStep: () => Promise<void>): Promise<void> {
      const box = await control.boundingBox();
      if (box === null) throw new Error('What the pointer goes to is not on the screen.');
      const [fromX, fromY] = [place.x, place.y];
      const [toX, toY] = [box.x + box.width * 0.6, box.y + box.height * 0.55];
      for (const part of [0.3, 0.58, 0.78, 0.9, 0.97, 1]) {
        place.x = fromX + (toX - fromX) * part;
        place.y = fromY + (toY - fromY) * part;
        await moveTo(place.x, place.y);
        await onStep();
      }
    },
    async press(isDown: boolean): Promise<void> {
      await page.evaluate((down) => {
        const arrow = document.getElementById('film-pointer');
        if (arrow !== null) arrow.style.transform = down ? 'scale(0.82)' : '';
      }, isDown);
    },
  };
}
