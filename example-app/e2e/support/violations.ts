// Finds accessibility violations with axe on a page without frames.

import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';

interface Options {
  /** The rules to check. Default: all of WCAG 2.2 AA and the best practices. */
  rules?: string[];
  /** A selector of the elements to check. Default: the page. */
  within?: string;
}

export const violations = async (
  page: Page,
  { rules, within = 'html' }: Options = {},
): Promise<unknown[]> => {
  // Elements that fade in reach their final color at the end of the animation.
  await page.evaluate(
    async () =>
      await Promise.all(
        document
          .getAnimations()
          .filter((one) => one.effect?.getComputedTiming().iterations !== Infinity)
          .map(async (one) => await one.finished.catch(() => {})),
      ),
  );
  // By default, axe spends most of its time on selectors of elements without a violation and on a second page that merges frame results.
  const axe = new AxeBuilder({ page })
    .include(within)
    .setLegacyMode()
    .options({ resultTypes: ['violations'] });
  const { violations: found } = await (
    rules === undefined
      ? axe.withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
      : axe.withRules(rules)
  ).analyze();
  return found.map(({ id, help, nodes }) => ({
    id,
    help,
    nodes: nodes.slice(0, 3).map((node) => `${node.target.join(' ')}: ${node.failureSummary ?? ''}`),
  }));
};
