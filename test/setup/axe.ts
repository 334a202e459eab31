/** Looks at a page for faults of accessibility as axe-core knows them, in light and dark, on a telephone, a tablet and a desk. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const WIDTHS = [360, 768, 1280] as const;

/** For a test that looks at several states: each is six looks. */
export const LOOKS_MS = 120_000;

interface Found {
  id: string;
  impact: string | null;
  nodes: { target: unknown; failureSummary?: string }[];
}

/** Fails on anything serious, and on a page that is wider than the screen. In the dark only colours differ. */
export async function expectAccessible(page: Page, state: string, widths: readonly number[] = WIDTHS): Promise<void> {
  await page.evaluate(axe.source);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const rules = colorScheme === 'light' ? '' : `runOnly: ['color-contrast'],`;
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      // Tables become cards in the frame after.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      const violations = (await page.evaluate(
        `axe.run(document, { ${rules} resultTypes: ['violations'] }).then(({ violations }) => violations)`,
      )) as Found[];
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      const told = serious.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join('; ')}`,
      );
      expect(told, `${state}, ${colorScheme}, ${width} px`).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth'), `${state}, ${width} px`).toBeLessThanOrEqual(width);
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}
