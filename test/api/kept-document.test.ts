/** The OpenAPI document is written once for the code that describes it; later starts read it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openDocs } from '../../src/api/docs/document.ts';
import { keep, readKept } from '../../src/api/openapi/kept.ts';
import { documentedOperations } from '../../src/api/routes.ts';
import { useApi } from '../setup/api.ts';

const api = useApi();
const folder = mkdtempSync(join(tmpdir(), 'confam-document-'));
afterAll(() => rmSync(folder, { recursive: true }));

const written = { json: '{"openapi":"3.1.0"}', pages: [{ name: 'reference/nin', markdown: '# NIN' }] };

it('is read as it was written', async () => {
  const path = join(folder, 'new/openapi.json');
  expect(await readKept(path)).toBeNull();
  await keep(written, path);
  expect(await readKept(path)).toEqual(written);
});

it('is not read after a change of the code, or when it is damaged', async () => {
  const path = join(folder, 'openapi.json');
  await keep(written, path);
  const kept = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...kept, code: `${kept.code}.` }));
  expect(await readKept(path)).toBeNull();
  writeFileSync(path, JSON.stringify(kept).slice(0, -1));
  expect(await readKept(path)).toBeNull();
});

it('is written once, in a thread, while others are answered; a later start reads it', async () => {
  const path = join(folder, 'once.json');
  let threads = 0;
  const countThread = () => void threads++;
  process.on('worker', countThread);
  try {
    const docs = openDocs(api.service, documentedOperations, path);
    let isWritten = false;
    const writing = docs.document().finally(() => {
      isWritten = true;
    });
    for (let i = 0; i < 5; i++) expect((await fetch(`${api.url}/healthz`)).status).toBe(200);
    expect(isWritten).toBe(false);
    const text = await writing;
    expect(await docs.document()).toBe(text);
    expect(await openDocs(api.service, documentedOperations, path).document()).toBe(text);
    expect(threads).toBe(1);
    expect(await (await fetch(`${api.url}/openapi.json`)).text()).toBe(text);
  } finally {
    process.off('worker', countThread);
  }
});

it('is served where it cannot be kept', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const docs = openDocs(api.service, documentedOperations, join(file, 'openapi.json'));
  expect(JSON.parse(await docs.document())).toHaveProperty('openapi', '3.1.0');
});
