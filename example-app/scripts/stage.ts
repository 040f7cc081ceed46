// The stage of the film: two browser windows side by side, who sits at them, and a line that says what happens.

import type { Browser } from '@playwright/test';
import { PNG } from 'pngjs';

/** Of the picture, and of what is seen of each window. In pixels. */
export const picture = { width: 980, height: 700 };
export const view = { width: 464, height: 580 };

const top = 96;
const lefts = [18, picture.width - 18 - view.width];

export interface Stage {
  /** What is said, and by whom it is done: 0, 1, or nobody. */
  say: (words: string, actor: 0 | 1 | null) => Promise<void>;
  /** What both windows show, on the stage. */
  compose: (shots: readonly Buffer[]) => PNG;
}

export async function createStage(browser: Browser, names: readonly string[]): Promise<Stage> {
  const page = await browser.newPage({ viewport: picture });
  const windows = names
    .map(
      (name, at) => `<section data-actor="${at}" style="left: ${(lefts[at] ?? 0) - 1}px">
        <header><i></i><i></i><i></i><b>${name}</b></header><div></div></section>`,
    )
    .join('');
  await page.setContent(`<style>
    * { margin: 0; box-sizing: border-box; }
    body { height: 100vh; background: #dfeaec; color: #14363a; font: 14px Inter, 'Helvetica Neue', Arial, sans-serif; }
    p { position: absolute; inset: 12px 0 auto; text-align: center; font-size: 20px; font-weight: 600; line-height: 32px; }
    section { position: absolute; top: ${top - 37}px; width: ${view.width + 2}px; background: #fff;
      border: 1px solid #b9cacd; border-radius: 10px 10px 0 0; overflow: hidden; }
    section[data-acts] { border-color: #0b7a83; box-shadow: 0 0 0 2px #0b7a83; }
    header { height: 36px; padding: 0 12px; display: flex; align-items: center; gap: 6px; background: #f3f7f8;
      border-bottom: 1px solid #d5e0e2; }
    header b { margin-left: 10px; font-weight: 600; }
    i { width: 10px; height: 10px; border-radius: 50%; background: #c9d6d8; }
    section div { height: ${view.height}px; }
  </style><p></p>${windows}`);

  let backdrop = PNG.sync.read(await page.screenshot());
  return {
    async say(words, actor) {
      await page.evaluate(
        ([text, acting]) => {
          const line = document.querySelector('p');
          if (line !== null) line.textContent = String(text);
          for (const one of document.querySelectorAll<HTMLElement>('section')) {
            one.toggleAttribute('data-acts', one.dataset['actor'] === String(acting));
          }
        },
        [words, actor],
      );
      backdrop = PNG.sync.read(await page.screenshot());
    },
    compose(shots) {
      const whole = new PNG(picture);
      backdrop.data.copy(whole.data);
      for (const [at, shot] of shots.entries()) {
        const { width, height } = view;
        PNG.bitblt(PNG.sync.read(shot), whole, 0, 0, width, height, lefts[at] ?? 0, top);
      }
      return whole;
    },
  };
}
