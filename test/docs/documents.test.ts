/** What the documents say of settings, errors and dependencies matches the code. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHECKS_FILE, renderChecks } from '../../ops/docs-checks.ts';
import { publishedSchemas } from '../../ops/docs-schemas.ts';
import { exampleInput } from '../../src/api/openapi/examples.ts';
import { checks } from '../../src/checks/catalog.ts';
import { settings } from '../../src/foundation/config.ts';
import { errorCodes } from '../../src/foundation/errors.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';

const read = (file: string) => readFileSync(join(packageRoot(), file), 'utf8');
/** The code in the first cells of a table's rows. */
const firstCells = (text: string) => [...text.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1]!);
const section = (text: string, heading: string) => text.split(new RegExp(`^## ${heading}$`, 'm'))[1]?.split(/^## /m)[0] ?? '';

describe('the documents', () => {
  it('README names every setting, and no other', () => {
    expect(firstCells(section(read('README.md'), 'Configuration')).sort()).toEqual(Object.keys(settings.shape).sort());
  });

  it('README names every dependency with its reason, and no other', () => {
    const { dependencies } = JSON.parse(read('package.json'));
    expect(firstCells(section(read('README.md'), 'Dependencies')).sort()).toEqual(Object.keys(dependencies).sort());
  });

  it('docs/errors.md lists every code with its status and meaning', () => {
    const table = read('docs/errors.md');
    for (const [code, { status, meaning }] of Object.entries(errorCodes))
      expect(table).toContain(`| ${status} | \`${code}\` | ${meaning} |`);
    expect([...table.matchAll(/^\| \d{3} \| `(\w+)`/gm)].map((match) => match[1]).sort()).toEqual(Object.keys(errorCodes).sort());
  });

  it('docs/checks.md is what `npm run docs:checks` writes', async () => {
    expect(readFileSync(CHECKS_FILE, 'utf8') === (await renderChecks())).toBe(true);
  });

  it.each(Object.entries(publishedSchemas))('%s is what `npm run docs:schemas` writes', (path, text) => {
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('every check has an example input (src/openapi/examples.ts)', () => {
    expect(checks.filter((check) => exampleInput(check) === null).map((check) => check.id)).toEqual([]);
  });
});
