/** How the console is served: one page at every address, files for ever, a strict policy, and a first load that stays small. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { useApi } from '../setup/api.ts';

const api = useApi();

const KILOBYTE = 1_000;
const FIRST_LOAD_MAX = 60 * KILOBYTE;

const page = async (path: string) => {
  const response = await fetch(`${api.url}/console/${path}`);
  return { response, text: await response.text() };
};

/** The files that the page loads before anything else. */
const filesOf = (html: string): string[] => [...html.matchAll(/(?:src|href)="(assets\/[^"]+)"/g)].map(([, file]) => file!);

test('every address of the console has the page, whose files are addressed from the console’s own folder', async () => {
  for (const [path, base] of [
    ['', './'],
    ['sign-in', './'],
    ['invitation', './'],
    ['batches/bat_1', '../'],
    ['batches/bat_1/rows', '../../'],
  ] as const) {
    const { response, text } = await page(path);
    expect(response.status, path).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(text).toContain(`<base href="${base}">`);
    expect(text).not.toMatch(/<script(?![^>]*src=)|<style|style=|\son\w+=/);
    const policy = response.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toContain('unsafe');
    for (const file of filesOf(text)) expect((await fetch(new URL(base + file, response.url))).status, file).toBe(200);
  }
  const redirected = await fetch(`${api.url}/console`, { redirect: 'manual' });
  expect([redirected.status, redirected.headers.get('location')]).toEqual([302, 'console/']);
  expect((await fetch(`${api.url}/console/assets/__proto__`)).status).toBe(404);
});

test('its files are kept for ever, and sent compressed to whoever takes that', async () => {
  const [file] = filesOf((await page('')).text);
  const get = (encoding: string) => fetch(`${api.url}/console/${file}`, { headers: { 'Accept-Encoding': encoding } });
  const sent = new Map<string, string>();
  for (const [asked, used] of [
    ['identity', null],
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
  ] as const) {
    const response = await get(asked);
    expect([asked, response.headers.get('content-encoding')]).toEqual([asked, used]);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('vary')).toBe('Accept-Encoding');
    sent.set(asked, await response.text());
  }
  expect(new Set(sent.values()).size).toBe(1);
});

test('the first load is at most 60 kB of script and style', async () => {
  const files = filesOf((await page('')).text);
  expect(files.length).toBeGreaterThan(1);
  let [size, plain] = [0, 0];
  for (const file of files) {
    const zipped = await readFile(join(packageRoot(), 'dist/console', `${file.replace('assets/', '')}.gz`));
    plain += gunzipSync(zipped).length;
    size += zipped.length;
  }
  // One by one, the smallest need not shrink.
  expect(plain).toBeGreaterThan(2 * size);
  console.info(`first load of the console: ${(size / KILOBYTE).toFixed(1)} kB gzip`);
  expect(size).toBeLessThan(FIRST_LOAD_MAX);
});
