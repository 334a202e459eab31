/** Clients generated from `/openapi.json`: they compile under tsc's strict rules, and the result uploads a CSV file with a mapping. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient as generate } from '@hey-api/openapi-ts';
import openapiTypescript, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { type BatchEntity, type TestApp, useApi } from '../setup/api.ts';

interface Uploaded {
  status: number;
  entity: Pick<BatchEntity, 'id' | 'counts'> | undefined;
}
type Upload = (url: string, key: string, app: string, csv: string) => Promise<Uploaded>;

const NIN = '70123456789';
const CSV = `Number of the card,Customer\n${NIN},007\n`;

/** Files written by generators, and by their users: the same call, with a column of another name for an input. */
const sources = {
  'openapi-typescript': `
    import createClient from 'openapi-fetch';
    import type { paths } from './openapi-typescript/schema';
    export async function upload(url: string, key: string, app: string, csv: string) {
      const client = createClient<paths>({ baseUrl: url, headers: { Authorization: key, AppId: app } });
      const { data, response } = await client.POST('/api/v1/batches', {
        params: { query: { checks: 'nin_basic', 'map.nin': 'Number of the card', 'map.reference': 'Customer', start: 'manual', on_invalid: 'reject' } },
        body: csv,
        bodySerializer: (body) => body as string,
        headers: { 'Content-Type': 'text/csv' },
      });
      return { status: response.status, entity: data?.entity };
    }`,
  'hey-api': `
    import { createClient } from './hey-api/client';
    import { submitBatch } from './hey-api/sdk.gen';
    export async function upload(url: string, key: string, app: string, csv: string) {
      const client = createClient({ baseUrl: url, headers: { Authorization: key, AppId: app } });
      const { data, response } = await submitBatch({
        client,
        query: { checks: 'nin_basic', 'map.nin': 'Number of the card', 'map.reference': 'Customer', start: 'manual', on_invalid: 'reject' },
        body: csv,
        bodySerializer: null,
        headers: { 'Content-Type': 'text/csv' },
      });
      return { status: response?.status ?? 0, entity: data?.entity };
    }`,
} as const;
type Generator = keyof typeof sources;

const api = useApi();
let app: TestApp;
/** In the working tree, where packages are found; git and the linters ignore `.data`. */
let folder: string;
beforeAll(async () => {
  app = await api.createApp();
  mkdirSync(join(packageRoot(), '.data'), { recursive: true });
  folder = mkdtempSync(join(packageRoot(), '.data', 'clients-'));
  const text = await (await fetch(`${api.url}/openapi.json`)).text();
  const document = join(folder, 'openapi.json');
  writeFileSync(document, text);
  mkdirSync(join(folder, 'openapi-typescript'));
  writeFileSync(join(folder, 'openapi-typescript/schema.ts'), astToString(await openapiTypescript(text)));
  await generate({
    input: document,
    output: join(folder, 'hey-api'),
    plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
    logs: { level: 'silent' },
  });
  for (const [name, source] of Object.entries(sources)) writeFileSync(fileOf(name as Generator), source);
}, 120_000);
afterAll(async () => {
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const fileOf = (name: string): string => join(folder, `${name}.ts`);

/** The compiler's messages for each file, by name. All at once, because most of the time goes into the libraries. */
function complaints(names: readonly string[]): Map<string, string> {
  const program = ts.createProgram(names.map(fileOf), {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
  });
  const said = new Map(names.map((name) => [name, '']));
  for (const { file, messageText } of ts.getPreEmitDiagnostics(program)) {
    // Generated files are in their own folders.
    const name = names.find((one) => file?.fileName.endsWith(`/${one}.ts`)) ?? 'generated';
    said.set(name, `${said.get(name) ?? ''}${ts.flattenDiagnosticMessageText(messageText, '\n')}\n`);
  }
  return said;
}

test('generated code compiles under strict rules, with a CSV upload and its mapping; an invalid value does not', () => {
  const generators = Object.keys(sources) as Generator[];
  for (const name of generators) writeFileSync(fileOf(`mistaken-${name}`), sources[name].replace("'reject'", "'refuse'"));
  const said = complaints(generators.flatMap((name) => [name, `mistaken-${name}`]));
  expect(said.get('generated')).toBeUndefined();
  for (const name of generators) {
    expect(said.get(name), name).toBe('');
    expect(said.get(`mistaken-${name}`), name).toContain('"refuse"');
  }
}, 180_000);

test.each(Object.keys(sources) as Generator[])(
  'the client of %s uploads a CSV file with a mapping',
  async (name) => {
    const { upload } = (await import(fileOf(name))) as { upload: Upload };
    const { status, entity } = await upload(api.url, app.key, app.app, CSV);
    expect(status).toBe(202);
    expect(entity!.counts).toMatchObject({ rows: 1, jobs: 1, invalid: 0 });
    const { text } = await app.get(`/api/v1/batches/${entity!.id}/results?format=jsonl`);
    expect(JSON.parse(text.trim())).toMatchObject({ reference: '007' });
  },
  60_000,
);
