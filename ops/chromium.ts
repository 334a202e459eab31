/** Debian's Chromium, where it is installed: for tests, benchmarks and screenshots. The project downloads no browser. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PATH = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

export const chromiumIsHere = PATH !== undefined;

/** Throws where it is not installed. */
export async function launchChromium(): Promise<Browser> {
  if (PATH === undefined) throw new Error('chromium is not installed');
  return chromium.launch({ executablePath: PATH, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
}
