/** What the documents say of settings, errors, dependencies and files matches the code. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CHECKS_FILE, renderChecks } from '../../ops/docs-checks.ts';
import { publishedSchemas } from '../../ops/docs-schemas.ts';
import { anchorsOf } from '../../src/api/docs/markdown.ts';
import { exampleInput } from '../../src/api/openapi/example-inputs.ts';
import { flaws } from '../../src/api/server.ts';
import { checks } from '../../src/checks/catalog.ts';
import { connectionsOf } from '../../src/doctor/connections.ts';
import { readConfig } from '../../src/foundation/config.ts';
import { errorCodes } from '../../src/foundation/errors.ts';
import { FAMILIES } from '../../src/foundation/families.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { settings } from '../../src/foundation/settings.ts';

const read = (file: string) => readFileSync(join(packageRoot(), file), 'utf8');
/** The code in the first cells of a table's rows. */
const firstCells = (text: string) => [...text.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1]!);

/** Every page that people read. Decisions keep the names of their time. */
const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: packageRoot(), encoding: 'utf8' })
  .split('\n')
  .filter((page) => page !== '' && !page.startsWith('docs/decisions/') && page !== 'CHANGELOG.md');

describe('the documents', () => {
  it('docs/configuration.md names every setting with its default and meaning, and no other', () => {
    const { properties } = z.toJSONSchema(settings, { io: 'input', unrepresentable: 'any' });
    const expected = Object.entries(settings.shape).map(([name, setting]) => {
      const { data } = setting.safeParse(undefined);
      const value = typeof data === 'boolean' ? data : ((properties![name] as { default?: unknown }).default ?? '');
      return [name, [String(value), setting.description]];
    });
    const rows = [...read('docs/configuration.md').matchAll(/^\| `([A-Z_0-9]+)` \| `?([^`|]*?)`? \| (.+) \|$/gm)];
    const written = rows.map(([, name, value, meaning]) => [
      name,
      [value!.trim(), meaning!.replace(/\[[\w-]+\]\(([\w-]+\.md)\)/g, 'docs/$1')],
    ]);
    expect(Object.fromEntries(written)).toEqual(Object.fromEntries(expected));
  });

  it('docs/operations.md and docker-compose.yml say how many connections the doctor expects', () => {
    type Open = ReturnType<typeof connectionsOf>;
    const sum = (open: Open) => open.worker + open.api + open.dispatcher;
    const [onPostgres, onRedis] = [{}, { REDIS_URL: 'redis://127.0.0.1' }].map((set) => connectionsOf(readConfig(set))) as [Open, Open];
    expect(FAMILIES).toHaveLength(9);
    expect(read('docs/operations.md')).toContain(
      `With all nine families that is at most ${onPostgres.worker} for a process of pool workers, ${onPostgres.api} for the API, and ${onPostgres.dispatcher} for a dispatcher: ${sum(onPostgres)} together. ` +
        `With the queue on Redis it is ${onRedis.worker}, ${onRedis.api} and ${onRedis.dispatcher}: ${sum(onRedis)} together.`,
    );
    expect(onRedis.worker).toBe(onRedis.dispatcher);
    expect(read('docker-compose.yml')).toContain(`Up to ${onRedis.api} connections of an API and ${onRedis.worker} of each other process`);
  });

  it('docs/dependencies.md names every dependency with its reason, and no other', () => {
    const { dependencies } = JSON.parse(read('package.json'));
    expect(firstCells(read('docs/dependencies.md')).sort()).toEqual(Object.keys(dependencies).sort());
  });

  it('README is at most 150 lines', () => {
    expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  });

  it.each(pages)('%s links only to existing files and headings', (page) => {
    const text = read(page).replace(/^```.*?^```$/gms, '');
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1]!).filter((link) => !/^https?:/.test(link));
    const dead = links.filter((link) => {
      const [path, anchor] = link.split('#') as [string, string?];
      const target = path === '' ? page : join(dirname(page), path);
      if (!existsSync(join(packageRoot(), target))) return true;
      return anchor !== undefined && !anchors(read(target)).has(anchor);
    });
    expect(dead).toEqual([]);
  });

  it.each(pages)('every file and folder that %s names exists', (page) => {
    const files = /`((?:[\w.-]+\/)+[\w.-]+\.(?:tsx?|mjs|cjs))`/g;
    const folders = /`((?:src|workers|ops|test|docs|drizzle)\/(?:[\w.-]+\/)*)`/g;
    const named = [files, folders].flatMap((pattern) => [...read(page).matchAll(pattern)].map((match) => match[1]!));
    const missing = named.filter((path) => !['', 'src'].some((folder) => existsSync(join(packageRoot(), folder, path))));
    expect(missing).toEqual([]);
  });

  it('the code map names every room, and only files in it', () => {
    const map = read('docs/ARCHITECTURE.md').split('## Code map')[1]!.split(/^## /m)[0]!;
    const rows = [...map.matchAll(/^\| `([\w/]+)\/` \| (.+) \|$/gm)].map(([, room, text]) => ({ room: room!, text: text! }));
    const rooms = readdirSync(join(packageRoot(), 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(rows.map(({ room }) => room).sort()).toEqual([...rooms.map(({ name }) => `src/${name}`), 'workers'].sort());
    const missing = rows.flatMap(({ room, text }) => {
      const named = [...text.matchAll(/`([a-z-]+(?:\/[a-z-]+)*\/?)`/g)].map((match) => join(packageRoot(), room, match[1]!));
      return named.filter((path) => !['', '.ts', '.tsx'].some((ending) => existsSync(path + ending)));
    });
    expect(missing).toEqual([]);
  });

  it('docs/errors.md lists every code with its status and meaning', () => {
    const table = read('docs/errors.md');
    for (const [code, { status, meaning }] of Object.entries(errorCodes))
      expect(table).toContain(`| ${status} | \`${code}\` | ${meaning} |`);
    expect([...table.matchAll(/^\| \d{3} \| `(\w+)`/gm)].map((match) => match[1]).sort()).toEqual(Object.keys(errorCodes).sort());
  });

  it('docs/errors.md names the statuses of requests that are refused before they reach a route', () => {
    const [paragraph] = read('docs/errors.md').match(/^A request that is refused before it reaches a route .+?\n\n/ms)!;
    const statuses = new Set(Object.values(flaws).map(([status]) => status.slice(0, 3)));
    expect([...paragraph.matchAll(/\b\d{3} (?:if|for)\b/g)].map(([named]) => named.slice(0, 3))).toEqual([...statuses].sort());
  });

  it('docs/checks.md is what `npm run docs:checks` writes', async () => {
    expect(readFileSync(CHECKS_FILE, 'utf8') === (await renderChecks())).toBe(true);
  });

  it.each(Object.entries(publishedSchemas))('%s is what `npm run docs:schemas` writes', (path, text) => {
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('every check has an example input (src/api/openapi/example-inputs.ts)', () => {
    expect(checks.filter((check) => exampleInput(check) === null).map((check) => check.id)).toEqual([]);
  });
});

/** The ids that GitHub gives a page's headings. */
function anchors(text: string): Set<string> {
  const headings = [...text.replace(/^```.*?^```$/gms, '').matchAll(/^#+ (.+)$/gm)].map((match) => match[1]!);
  return new Set(anchorsOf(headings));
}
