// What axe finds on a page.

import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';

export const violations = async (page: Page): Promise<unknown[]> => {
  // Faded-in elements have no colour of their own until they are there.
  await page.evaluate(
    async () =>
      await Promise.all(
        document
          .getAnimations()
          .filter((one) => one.effect?.getComputedTiming().iterations !== Infinity)
          .map(async (one) => await one.finished.catch(() => {})),
      ),
  );
  const { violations: found } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .analyze();
  return found.map(({ id, help, nodes }) => ({
    id,
    help,
    nodes: nodes.slice(0, 3).map((node) => `${node.target.join(' ')}: ${node.failureSummary ?? ''}`),
  }));
};
