/** A browser for the tests of the console, where Chromium is installed. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { chromiumIsHere, launchChromium } from '../../ops/chromium.ts';

export { chromiumIsHere };

/** For the title of a suite that needs it. */
export const chromiumNote = (title: string): string => (chromiumIsHere ? title : `${title} (SKIPPED: no chromium)`);

export interface Visit {
  page: Page;
  /** Fails if the page has logged an error or broken its content security policy. */
  expectClean(): void;
  close(): Promise<void>;
}

/** One browser for the file. Each visit is a profile of its own. */
export function useChromium(): { visit(url: string, options?: BrowserContextOptions): Promise<Visit> } {
  let browser: Browser;
  beforeAll(async () => {
    if (chromiumIsHere) browser = await launchChromium();
  }, 60_000);
  afterAll(() => browser?.close());
  return {
    async visit(url, options = {}) {
      const context = await browser.newContext(options);
      // Less than a test has, so that a failure names what was waited for.
      context.setDefaultTimeout(20_000);
      const page = await context.newPage();
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(error.message));
      // Chromium logs each refused request; a refusal is an answer like any other.
      page.on('console', (message) => {
        if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) errors.push(message.text());
      });
      await page.goto(url);
      return { page, expectClean: () => expect(errors).toEqual([]), close: () => context.close() };
    },
  };
}
