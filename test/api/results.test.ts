/** A batch's files: results in three formats, filtered, compressed, during the run; rows to correct; links for people without a key. */
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { SaxesParser } from 'saxes';
import { describe, expect, test } from 'vitest';
import { fromBuffer } from 'yauzl';
import { changeSettings } from '../../src/access/apps.ts';
import { bySystem } from '../../src/access/audit/append.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { type BatchEntity, type Entity, type JobEntity, type TestApp, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';

const api = useApi();

const NIN = '70123456789';
const UNKNOWN = '00000000001';
const FAILING = '00000000003';
const path = (batch: { id: string }) => `/api/v1/batches/${batch.id}`;
const uuidOf = (batch: { id: string }) => parseId('bat', batch.id)!;

async function run(app: TestApp, csv: string, query = 'checks=nin_basic', type = 'text/csv'): Promise<BatchEntity> {
  const answer = await app.post<BatchEntity>(`/api/v1/batches?${query}`, csv, { 'Content-Type': type });
  expect(answer.status, answer.text).toBe(202);
  return app.ended<BatchEntity>(path(answer.body.entity));
}

const readCsv = (text: string): Record<string, string>[] => parse(text, { columns: true });

/** The answer as raw bytes, not decoded. */
function download(app: TestApp, target: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; headers: Record<string, string | string[] | undefined>; bytes: Buffer }>((resolve, reject) => {
    const own = { Authorization: app.key, AppId: app.app, ...headers };
    const made = request({ host: '127.0.0.1', port: api.port, path: target, method, agent: false, headers: own }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, bytes: Buffer.concat(chunks) }));
      response.on('error', reject);
    });
    made.on('error', reject);
    made.end();
  });
}

/** Cells of the first sheet by position; a number cell is a number. Throws where a zip or XML reader would. */
async function readXlsx(
  bytes: Buffer,
): Promise<{ cells: Map<string, string | number>; rows: (string | number)[][]; formulas: number; sheet: string }> {
  const files = await new Promise<Map<string, Buffer>>((resolve, reject) => {
    const found = new Map<string, Buffer>();
    fromBuffer(bytes, { lazyEntries: true, validateEntrySizes: true }, (error, zip) => {
      if (error) return reject(error);
      zip.on('entry', (entry) =>
        zip.openReadStream(entry, (failed, stream) => {
          if (failed) return reject(failed);
          const chunks: Buffer[] = [];
          stream.on('data', (chunk: Buffer) => chunks.push(chunk));
          stream.on('end', () => {
            found.set(entry.fileName, Buffer.concat(chunks));
            zip.readEntry();
          });
        }),
      );
      zip.on('end', () => resolve(found));
      zip.on('error', reject);
      zip.readEntry();
    });
  });
  expect([...files.keys()]).toEqual(
    expect.arrayContaining(['[Content_Types].xml', '_rels/.rels', 'xl/workbook.xml', 'xl/worksheets/sheet1.xml']),
  );
  for (const [name, file] of files) if (name !== 'xl/worksheets/sheet1.xml') new SaxesParser().write(file.toString()).close();
  const sheet = files.get('xl/worksheets/sheet1.xml')!.toString();
  const cells = new Map<string, string | number>();
  const rows: (string | number)[][] = [];
  let formulas = 0;
  let [at, type, text] = ['', '', ''];
  const parser = new SaxesParser();
  parser.on('opentag', ({ name, attributes }) => {
    if (name === 'row') rows.push([]);
    if (name === 'c') [at, type, text] = [attributes.r as string, (attributes.t as string) ?? 'n', ''];
    if (name === 'f') formulas++;
  });
  parser.on('text', (part) => {
    text += part;
  });
  parser.on('closetag', ({ name }) => {
    if (name !== 'c') return;
    const value = type === 'n' ? Number(text) : text;
    cells.set(at, value);
    rows.at(-1)!.push(value);
  });
  parser.write(sheet).close();
  return { cells, rows, formulas, sheet };
}

/** One row of each kind: found, not found, failed, invalid, and the first again. */
const MIXED = `nin,note\n${NIN},a\n${UNKNOWN},b\n${FAILING},c\n123,d\n${NIN},e\n`;

/** What the copier does with twins: the later row's job becomes a duplicate of its original. */
async function makeTwin(batch: BatchEntity, row: number, twin: number): Promise<void> {
  const { sql } = api.service;
  await sql.begin(async (tx) => {
    await tx`delete from results where job_id in (select id from jobs where batch_id = ${uuidOf(batch)} and row_number = ${row})`;
    await tx`update jobs set status = 'duplicate', twin_row = ${twin}, outcome = null, completed_at = null, billed_kobo = 0, cached = false,
        result_block = null, result_slot = null
      where batch_id = ${uuidOf(batch)} and row_number = ${row}`;
    await tx`update batches set duplicate = 1 where id = ${uuidOf(batch)}`;
  });
}

describe('results', () => {
  test('for one outcome or several are exactly the rows that have it', async () => {
    const app = await api.createApp();
    const batch = await run(app, MIXED);
    const notes = async (query: string) => readCsv((await app.get(`${path(batch)}/results?${query}`)).text).map((row) => row.note);
    expect(await notes('')).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(await notes('outcome=found')).toEqual(['a', 'e']);
    expect(await notes('outcome=not_found')).toEqual(['b']);
    expect(await notes('outcome=failed')).toEqual(['c']);
    expect(await notes('outcome=invalid')).toEqual(['d']);
    expect(await notes('outcome=invalid,not_found')).toEqual(['b', 'd']);
    expect(await notes('outcome=pending,canceled')).toEqual([]);
    for (const query of ['outcome=lost', 'outcome=found,', 'format=pdf', 'format=csv,xlsx', 'since=now', 'since=2026-01-01']) {
      expect((await app.get(`${path(batch)}/results?${query}`)).status, query).toBe(400);
    }
  });

  test("show a duplicate with its original's result, at no price", async () => {
    const app = await api.createApp();
    const batch = await run(app, MIXED);
    await makeTwin(batch, 5, 1);
    const rows = readCsv((await app.get(`${path(batch)}/results`)).text);
    const { note: _, row_number: __, ...first } = rows[0]!;
    const { note: ___, row_number: ____, ...twin } = rows[4]!;
    expect(first).toMatchObject({ 'nin_basic.status': 'completed', 'nin_basic.firstname': 'Morenike', 'nin_basic.duplicate_of': '' });
    expect(twin).toEqual({ ...first, 'nin_basic.status': 'duplicate', 'nin_basic.billed_amount': '0', 'nin_basic.duplicate_of': '1' });
    const lines = (await app.get(`${path(batch)}/results?format=jsonl&outcome=duplicate`)).text.trimEnd().split('\n');
    expect(lines).toHaveLength(1);
    const [job] = [JSON.parse(lines[0]!).checks.nin_basic];
    expect(job).toMatchObject({
      status: 'duplicate',
      outcome: 'found',
      billed_amount: 0,
      duplicate_of: 1,
      entity: { nin: NIN },
      completed_at: expect.any(String),
    });
    expect(readCsv((await app.get(`${path(batch)}/results?outcome=found`)).text).map((row) => row.note)).toEqual(['a', 'e']);
    const shown = (await app.get<JobEntity>(`/api/v1/jobs/${job.id}?wait=5`)).body.entity;
    expect(shown).toMatchObject({ status: 'duplicate', outcome: 'found', duplicate_of: 1, billed_amount: 0, result: { nin: NIN } });
    const page = (await app.get<{ data: JobEntity[] }>(`${path(batch)}/jobs?outcome=found`)).body.entity.data;
    expect(page.map((one) => [one.row, one.status, one.result?.nin])).toEqual([
      [1, 'completed', NIN],
      [5, 'duplicate', NIN],
    ]);
  });

  test('are a file named after the reference of the batch, in safe characters, and its id', async () => {
    const app = await api.createApp();
    const names = [
      ['June customers', 'June-customers-'],
      ['../Ọ̀rẹ́ "Q2"; x\\y.csv', 'Ore-Q2-x-y.csv-'],
      ['顧客', ''],
      ['a'.repeat(200), `${'a'.repeat(60)}-`],
    ] as const;
    for (const [reference, words] of names) {
      const batch = (await app.csv(`checks=nin_basic&reference=${encodeURIComponent(reference)}`, `nin\n${NIN}\n12\n`)).body.entity;
      await app.ended(path(batch));
      for (const [file, ending] of [
        ['results', '.csv'],
        ['results?format=xlsx', '.xlsx'],
        ['errors', '-errors.csv'],
      ])
        expect((await app.get(`${path(batch)}/${file}`)).headers.get('content-disposition')).toBe(
          `attachment; filename="${words}${batch.id}${ending}"`,
        );
    }
  });

  test('list a duplicate by the status of its original and as a duplicate, never by another', async () => {
    const app = await api.createApp();
    const batch = (await app.csv('checks=nin_basic', `nin\n${NIN}\n00000000003\n00000000003\n${NIN}\n`)).body.entity;
    await app.ended(path(batch));
    const rowsOf = async (status: string) =>
      (await app.get<{ data: JobEntity[] }>(`${path(batch)}/jobs?status=${status}`)).body.entity.data.map(({ row }) => row);
    expect(await rowsOf('failed')).toEqual([2, 3]);
    expect(await rowsOf('completed')).toEqual([1, 4]);
    expect(await rowsOf('duplicate')).toEqual([3, 4]);
    expect(await rowsOf('queued')).toEqual([]);
  });

  test('can be read while the batch runs, and the rest later by Next-Since: no row is missed', async () => {
    const app = await api.createApp({ naira: 10_000_000 });
    const numbers = Array.from({ length: 3_000 }, (_, i) => String(32_000_000_000 + i));
    const { entity: batch } = (await app.csv('checks=nin_basic', `nin\n${numbers.join('\n')}\n`)).body;
    const seen = new Set<string>();
    let since = '2020-01-01T00:00:00Z';
    for (let isOver = false, rounds = 0; !isOver || rounds < 2; rounds++) {
      isOver = (await app.get<BatchEntity>(path(batch))).body.entity.status === 'completed';
      const answer = await app.get(`${path(batch)}/results?outcome=found&since=${encodeURIComponent(since)}`);
      expect(answer.status, answer.text).toBe(200);
      for (const row of readCsv(answer.text)) seen.add(row.nin!);
      since = answer.headers.get('next-since')!;
      expect(since).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    }
    expect(seen.size).toBe(3_000);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    expect(readCsv((await app.get(`${path(batch)}/results?since=${later}`)).text)).toEqual([]);
  });

  test('leave every connection of the pool usable, whatever their size', async () => {
    const app = await api.createApp({ naira: 10_000_000 });
    // Around the size that postgres.js reads at a time, where it once left its socket paused for good.
    const batches = await Promise.all(
      [5, 10, 15, 20, 30, 40].map((rows) =>
        run(app, `nin\n${Array.from({ length: rows }, (_, i) => 33_000_000_000 + i).join('\n')}\n`, 'checks=nin_advance'),
      ),
    );
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all([...batches, ...batches].map((batch) => app.get(`${path(batch)}/results`)));
      expect(answers.map((answer) => readCsv(answer.text).length)).toEqual([...batches, ...batches].map((batch) => batch.counts.rows));
    }
  });

  test('take no connection that other queries are given meanwhile', async () => {
    const app = await api.createApp();
    const batch = await run(app, `nin\n${`${NIN}\n`.repeat(3_000)}`);
    let isOver = false;
    // Always more than the pool has connections: postgres.js queues the remaining ones behind those in progress.
    const others = Array.from({ length: 40 }, async () => {
      while (!isOver) await api.service.sql`select pg_sleep(0.005)`;
    });
    const files = await Promise.all(Array.from({ length: 6 }, () => app.get(`${path(batch)}/results`))).finally(() => {
      isOver = true;
    });
    await Promise.all(others);
    expect(files.map(({ text }) => readCsv(text).length)).toEqual(files.map(() => 3_000));
  });

  test('are compressed for clients that accept it, and HEAD has no body', async () => {
    const app = await api.createApp();
    const batch = await run(app, MIXED);
    const plain = await download(app, `${path(batch)}/results`);
    expect(plain.headers).toMatchObject({ vary: 'Accept-Encoding', 'content-disposition': `attachment; filename="${batch.id}.csv"` });
    expect(plain.headers['content-encoding']).toBeUndefined();
    // A file is written anew for each request: no part of it can be asked for.
    for (const range of ['bytes=10-', 'bytes=0-0', 'bytes=999999-']) {
      const whole = await download(app, `${path(batch)}/results`, { Range: range });
      expect([whole.status, whole.headers['accept-ranges'], whole.bytes.equals(plain.bytes)]).toEqual([200, 'none', true]);
    }
    for (const accepted of ['gzip', 'br, gzip;q=0.5', '*']) {
      const zipped = await download(app, `${path(batch)}/results`, { 'Accept-Encoding': accepted });
      expect(zipped.headers['content-encoding'], accepted).toBe('gzip');
      expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true);
    }
    for (const accepted of ['gzip;q=0', 'identity', 'br', 'gzip;q=0, *']) {
      expect(
        (await download(app, `${path(batch)}/results`, { 'Accept-Encoding': accepted })).headers['content-encoding'],
        accepted,
      ).toBeUndefined();
    }
    const workbook = await download(app, `${path(batch)}/results?format=xlsx`, { 'Accept-Encoding': 'gzip' });
    expect(workbook.headers['content-encoding']).toBeUndefined();
    const head = await download(app, `${path(batch)}/results?format=jsonl`, {}, 'HEAD');
    expect([head.status, head.headers['content-type'], head.bytes.length]).toEqual([200, 'application/x-ndjson', 0]);
  });

  test('as a workbook open, keep leading zeros and hold the same as the CSV', async () => {
    const app = await api.createApp();
    const batch = await run(app, `nin,account\n${NIN},00123\n${UNKNOWN},"a<b>&""c"" _x0041_x0042_\nü"\n`);
    const { cells, rows, formulas, sheet } = await readXlsx((await download(app, `${path(batch)}/results?format=xlsx`)).bytes);
    const csv = parse((await app.get(`${path(batch)}/results`)).text) as string[][];
    expect(rows[0]).toEqual(csv[0]);
    const widths = [...sheet.matchAll(/<col min="\d+" max="\d+" width="(\d+)" customWidth="1"\/>/g)].map(([, width]) => Number(width));
    expect(widths.length).toBe(csv[0]!.length);
    for (const [at, name] of csv[0]!.entries()) expect(widths[at]).toBeGreaterThan(Math.max(NIN.length, name.length));
    // Empty cells are left out of a sheet.
    expect(rows.map((row) => row.map(String))).toEqual(
      csv.map((row) => row.filter((cell) => cell !== '').map((cell) => cell.replace('_x0041_x0042_', '_x005F_x0041_x005F_x0042_'))),
    );
    expect(cells.get('B2')).toBe('00123');
    expect(cells.get('A3')).toBe(UNKNOWN);
    expect(cells.get('G2')).toBe(125);
    expect(formulas).toBe(0);
    expect(sheet).toContain('state="frozen"');
  });

  test('as a workbook say where a cell was cut, and cut no letter in half', async () => {
    const app = await api.createApp();
    const whole = 'a'.repeat(32_767);
    // In one of them the end would fall within a letter of two units.
    const long = ['', 'x', 'xx'].map((begin) => begin + 'a😀'.repeat(11_000));
    const batch = await run(app, `nin,note\n${[whole, ...long].map((note) => `${NIN},${note}\n`).join('')}`);
    const { cells } = await readXlsx((await download(app, `${path(batch)}/results?format=xlsx`)).bytes);
    expect(cells.get('B2')).toBe(whole);
    for (const [i, note] of long.entries()) {
      const cell = String(cells.get(`B${i + 3}`));
      expect(cell.length).toBeGreaterThan(32_700);
      expect(cell.length).toBeLessThanOrEqual(32_767);
      const [kept, mark] = cell.split(' [… cut');
      expect(mark).toBe(': this is all that a cell of a workbook can hold]');
      expect(note.startsWith(kept!)).toBe(true);
      expect(cell).not.toContain('\ufffd');
    }
    const csv = parse((await app.get(`${path(batch)}/results`)).text) as string[][];
    expect(csv.slice(1).map((row) => row[1])).toEqual([whole, ...long]);
  });

  test('command no terminal and turn no letters as CSV or workbook, and are whole as JSON Lines', async () => {
    const app = await api.createApp();
    const notes = ['a\u001b[2Jb', 'c\u009b2Jd', 'e\u202egpj.exe', 'f\u2066g\u2069'];
    const batch = await run(app, `nin,note\n${notes.map((note) => `${NIN},${note}\n`).join('')}1,${notes[0]}\n`);
    const shown = ['a\ufffd[2Jb', 'c\ufffd2Jd', 'egpj.exe', 'fg'];
    const csv = parse((await app.get(`${path(batch)}/results`)).text) as string[][];
    expect(csv.slice(1).map((row) => row[1])).toEqual([...shown, shown[0]]);
    const { cells } = await readXlsx((await download(app, `${path(batch)}/results?format=xlsx`)).bytes);
    expect(shown.map((_, i) => cells.get(`B${i + 2}`))).toEqual(shown);
    const lines = (await app.get(`${path(batch)}/results?format=jsonl`)).text.trimEnd().split('\n');
    expect(lines.slice(0, notes.length).map((line) => JSON.parse(line).input.note)).toEqual(notes);
    expect((await app.get(`${path(batch)}/errors`)).text).toContain(`1,${shown[0]},5,`);
  });

  test('run no formula in any format', async () => {
    const app = await api.createApp();
    const evil = ['=1+1', '+SUM(A1)', '-2', '@cmd', '\t=1', '＝1', `=HYPERLINK("http://x","y")`];
    const quoted = evil.map((cell) => `${NIN},"${cell.replaceAll('"', '""')}"\n`).join('');
    const batch = await run(app, `nin,=note\n${quoted}1,=2\n`);
    const csv = parse((await app.get(`${path(batch)}/results`)).text) as string[][];
    expect(csv[0]![1]).toBe("'=note");
    expect(csv.slice(1).map((row) => row[1])).toEqual([...evil, '=2'].map((cell) => `'${cell}`));
    const { cells, formulas } = await readXlsx((await download(app, `${path(batch)}/results?format=xlsx`)).bytes);
    expect(formulas).toBe(0);
    for (const [i, cell] of evil.entries()) expect(cells.get(`B${i + 2}`)).toBe(cell);
    const lines = (await app.get(`${path(batch)}/results?format=jsonl`)).text.trimEnd().split('\n');
    expect(lines.slice(0, evil.length).map((line) => JSON.parse(line).input['=note'])).toEqual(evil);
    expect((await app.get(`${path(batch)}/errors`)).text).toBe("nin,'=note,confam_row,confam_error\r\n1,'=2,8,nin: must be 11 digits\r\n");
  });
});

test('the time between an end and a retry is no part of how long a batch took', async () => {
  const app = await api.createApp();
  const batch = await run(app, `nin\n${NIN}\n${FAILING}\n`);
  expect(batch).toMatchObject({ status: 'completed', counts: { failed: 1 }, took_seconds: expect.any(Number) });
  await api.service.sql`update batch_history set at = at - interval '1 hour' where batch_id = ${uuidOf(batch)}`;
  await api.service.sql`update batches set started_at = started_at - interval '1 hour' where id = ${uuidOf(batch)}`;
  expect((await app.post(`${path(batch)}/retry`)).status).toBe(200);
  const again = await app.ended<BatchEntity & { took_seconds: number; progress: { rate_per_second: number } }>(path(batch));
  expect(again.took_seconds).toBeLessThan(600);
  expect(again.progress.rate_per_second).toBeGreaterThan(0);
});

describe('rows to correct', () => {
  const CSV = `nin,phone,note\n123,+234800,"x, ""y"""\n${NIN},1,ok\n,=2,\n5,6,7,8\n`;

  test('come in the form of the upload, and give the same errors when uploaded again unchanged, twice', async () => {
    const app = await api.createApp();
    const batch = await run(app, CSV, 'checks=nin_basic&map.reference=phone');
    expect(batch.counts.invalid).toBe(3);
    const answer = await app.get(`${path(batch)}/errors`);
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${batch.id}-errors.csv"`);
    const lines = answer.text.split('\r\n');
    expect(lines[0]).toBe('nin,phone,note,confam_row,confam_error');
    expect(lines[1]).toBe(`123,'+234800,"x, ""y""",1,nin: must be 11 digits`);
    let last = { batch, text: answer.text };
    for (let i = 0; i < 2; i++) {
      const again = await run(app, last.text, 'checks=nin_basic&map.reference=phone');
      expect(again.counts).toMatchObject({ rows: 3, invalid: 3, jobs: 0 });
      const rules = (one: BatchEntity) => one.errors.map(({ path: field, rule }) => [field.replace(/\d+$/, ''), rule]);
      expect(rules(again)).toEqual(rules(batch));
      last = { batch: again, text: (await app.get(`${path(again)}/errors`)).text };
      expect(last.text.split('\r\n')[0]).toBe('nin,phone,note,confam_row,confam_error');
    }
  });

  test.each([
    ['semicolons', ';'],
    ['tabs', '\t'],
    ['bars', '|'],
  ])('of a CSV with %s have them too, and can be uploaded again', async (_, delimiter) => {
    const app = await api.createApp();
    const line = (...cells: (string | number)[]) => cells.join(delimiter);
    const batch = await run(
      app,
      [line('nin', 'phone', 'note'), line(123, '+234800', `"x${delimiter}, ""y"""`), line(NIN, 1, 'ok'), line(5, 6, '"a, b"')].join('\n'),
    );
    const { text } = await app.get(`${path(batch)}/errors`);
    const head = line('nin', 'phone', 'note', 'confam_row', 'confam_error');
    expect(text).toBe(
      `${[head, line(123, "'+234800", `"x${delimiter}, ""y"""`, 1, 'nin: must be 11 digits'), line(5, 6, '"a, b"', 3, 'nin: must be 11 digits')].join('\r\n')}\r\n`,
    );
    const again = await run(app, text.replace('\n123', `\n${NIN}`));
    expect(again.counts).toMatchObject({ rows: 2, found: 1, invalid: 1 });
    expect((await app.get(`${path(again)}/errors`)).text).toBe(`${head}\r\n${line(5, 6, '"a, b"', 2, 'nin: must be 11 digits')}\r\n`);
  });

  test('come as CSV or as a workbook, if they were a table', async () => {
    const app = await api.createApp();
    const batch = await run(app, 'nin;note\n012;=1\n');
    const sheet = [
      ['nin', 'note', 'confam_row', 'confam_error'],
      ['012', '=1', 1, 'nin: must be 11 digits'],
    ];
    const { bytes, headers } = await download(app, `${path(batch)}/errors?format=xlsx`);
    expect(headers['content-disposition']).toBe(`attachment; filename="${batch.id}-errors.xlsx"`);
    expect((await readXlsx(bytes)).rows).toEqual(sheet);
    const linked = (await app.post<{ path: string }>(`${path(batch)}/links`, { kind: 'errors', format: 'xlsx' })).body.entity;
    expect((await readXlsx((await download(app, linked.path)).bytes)).rows).toEqual(sheet);
    expect((await app.get(`${path(batch)}/errors?format=csv`)).text).toBe((await app.get(`${path(batch)}/errors`)).text);
  });

  test('come in no form that would lose something of a row', async () => {
    const app = await api.createApp();
    const table = await run(app, 'nin\n12\n');
    const objects = await run(app, '{"nin":"12"}\n', 'checks=nin_basic', 'application/x-ndjson');
    for (const [batch, format, says] of [
      [table, 'jsonl', 'format must be csv or xlsx: these rows were uploaded as a table'],
      [objects, 'csv', 'format must be jsonl: these rows were uploaded as JSON objects'],
    ] as const)
      for (const answer of [
        await app.get(`${path(batch)}/errors?format=${format}`),
        await app.post(`${path(batch)}/links`, { kind: 'errors', format }),
      ])
        expect([answer.status, answer.body]).toMatchObject([400, { error: says, details: [{ path: 'format', rule: 'enum' }] }]);
    expect((await app.get(`${path(objects)}/errors?format=jsonl`)).text).toBe((await app.get(`${path(objects)}/errors`)).text);
  });

  test('say what is wrong in the names of their own columns', async () => {
    const app = await api.createApp();
    const batch = await run(app, `B.V.N,National ID,Born on\n1,${NIN},31/02/1990\n`, 'checks=nin_basic,bvn_match&map.dob=Born%20on');
    const [, line] = (await app.get(`${path(batch)}/errors`)).text.split('\r\n');
    expect(line).toBe(`1,${NIN},31/02/1990,1,"B.V.N: must be 11 digits; Born on (dob): is not a day of the calendar"`);
    const objects = await run(app, '{"National ID":"1"}\n', 'checks=nin_basic&map.nin=National%20ID', 'application/x-ndjson');
    expect(JSON.parse((await app.get(`${path(objects)}/errors`)).text)).toMatchObject({
      confam_error: 'National ID (nin): must be 11 digits',
    });
  });

  test('are accepted once corrected, guard and all', async () => {
    const app = await api.createApp();
    const batch = await run(app, CSV, 'checks=nin_basic&map.reference=phone');
    const corrected = (await app.get(`${path(batch)}/errors`)).text.split('\r\n').slice(0, 2).join('\r\n').replace('\r\n123', `\r\n${NIN}`);
    const again = await run(app, corrected, 'checks=nin_basic&map.reference=phone');
    expect(again.counts).toMatchObject({ rows: 1, invalid: 0, found: 1 });
    const page = (await app.get<{ data: JobEntity[] }>(`${path(again)}/jobs`)).body.entity.data;
    expect(page[0]!.reference).toBe('+234800');
  });

  test('from NDJSON and JSON are lines that can be uploaded again', async () => {
    const app = await api.createApp();
    const lines = `{"nin":"12","deep":{"a":[1]}}\n{"nin":"${NIN}"}\nnonsense\n{"nin":7}\n`;
    const batch = await run(app, lines, 'checks=nin_basic', 'application/x-ndjson');
    const answer = await app.get(`${path(batch)}/errors`);
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    const rows = answer.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows[0]).toEqual({ nin: '12', deep: { a: [1] }, confam_row: 1, confam_error: 'nin: must be 11 digits' });
    expect(rows.map((row) => row.confam_row)).toEqual([1, 3, 4]);
    const again = await run(app, answer.text, 'checks=nin_basic', 'application/x-ndjson');
    expect(again.counts).toMatchObject({ rows: 3, invalid: 3 });
    expect(again.errors.filter((error) => error.row !== 2).map((error) => error.message)).toEqual(
      batch.errors.filter((error) => error.row !== 3).map((error) => error.message),
    );
  });

  test('from a workbook are a workbook', async () => {
    const app = await api.createApp();
    const batch = await run(app, 'nin,note\n012,=1\n');
    await api.service.sql`update batches set format = 'xlsx' where id = ${uuidOf(batch)}`;
    const { rows, formulas } = await readXlsx((await download(app, `${path(batch)}/errors`)).bytes);
    expect(rows).toEqual([
      ['nin', 'note', 'confam_row', 'confam_error'],
      ['012', '=1', 1, 'nin: must be 11 digits'],
    ]);
    expect(formulas).toBe(0);
  });

  test('from a workbook whose rows are wider than its header can be uploaded again', async () => {
    const app = await api.createApp();
    const batch = await run(app, `nin,name\n${NIN},Ada,,note\n`);
    await api.service.sql`update batches set format = 'xlsx' where id = ${uuidOf(batch)}`;
    const { bytes } = await download(app, `${path(batch)}/errors`);
    const { cells } = await readXlsx(bytes);
    expect(['A2', 'B2', 'C2', 'F2'].map((at) => cells.get(at))).toEqual([NIN, 'Ada', 1, 'note']);
    const again = await app.post<BatchEntity>('/api/v1/batches?checks=nin_basic', bytes, {
      'Content-Type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    });
    expect(again.body.entity.errors).toMatchObject([{ row: 1, rule: 'column_count' }]);
  });

  test('that have as many cells as there are columns, but not those, are refused again', async () => {
    const app = await api.createApp();
    const whole = `${NIN},,Ada\n`.repeat(30);
    const batch = await run(app, `nin,,name\n${whole}${NIN},Ade\n${NIN},x,Ade\n`);
    expect(batch.errors.map(({ rule }) => rule)).toEqual(['column_count', 'column_count']);
    const { text } = await app.get(`${path(batch)}/errors`);
    expect(text.split('\r\n').slice(0, 3)).toEqual([
      'nin,name,confam_row,confam_error',
      `${NIN},,31,"row: Row 31 has 2 cells; the header has 3 columns",Ade`,
      `${NIN},Ade,32,"row: Row 32 has a value in cell 2, which has no name in the header",x`,
    ]);
    const again = await run(app, text);
    expect([again.counts.invalid, again.errors.map(({ rule }) => rule)]).toEqual([2, ['column_count', 'column_count']]);
    // A spreadsheet makes all lines as long as the longest.
    const saved = await run(app, text.replace('confam_error', 'confam_error,'));
    expect(saved.errors.map(({ rule }) => rule)).toEqual(['column_count', 'column_count']);
    const listed = parse((await app.get(`${path(batch)}/results`)).text, { relax_column_count: true }) as string[][];
    expect(listed.at(-1)!.slice(0, 2)).toEqual([NIN, 'Ade']);
  });

  test('that have too few cells are filled up: their number never passes for a cell', async () => {
    const app = await api.createApp();
    const batch = await run(app, 'nin,name\n1\n');
    const { text } = await app.get(`${path(batch)}/errors`);
    expect(text).toBe('nin,name,confam_row,confam_error\r\n1,,1,"row: Row 1 has 1 cell; the header has 2 columns"\r\n');
    const again = await run(app, text);
    expect(again.errors).toMatchObject([{ path: 'nin', row: 1 }]);
    expect((await app.get(`${path(again)}/errors`)).text).toContain('\r\n1,,1,nin: must be 11 digits\r\n');
    // Two of our own cells are missing.
    const short = await run(app, 'nin,name,confam_row,confam_error\n1,Ada\n');
    expect((await app.get(`${path(short)}/errors`)).text).toContain('\r\n1,Ada,1,"row: Row 1 has 2 cells');
  });

  test('from a batch without errors are only a header', async () => {
    const app = await api.createApp();
    const batch = await run(app, `nin\n${NIN}\n`);
    expect((await app.get(`${path(batch)}/errors`)).text).toBe('nin,confam_row,confam_error\r\n');
  });
});

describe('a link', () => {
  interface Link {
    url: string;
    path: string;
    page_url: string;
    expires_at: string;
  }
  const link = async (app: TestApp, batch: BatchEntity, body: Entity = {}): Promise<Link> => {
    const answer = await app.post<Link & Entity>(`${path(batch)}/links`, body);
    expect(answer.status, answer.text).toBe(201);
    return answer.body.entity;
  };

  test('leads to the file without a key, and no cache keeps it', async () => {
    const app = await api.createApp();
    const batch = await run(app, MIXED);
    const made = await link(app, batch, { format: 'jsonl', outcome: ['found', 'invalid'], expires_in_seconds: 60 });
    expect(Date.parse(made.expires_at) - Date.now()).toBeLessThanOrEqual(61_000);
    const answer = await fetch(made.url);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/x-ndjson',
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    expect(
      (await answer.text())
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).row),
    ).toEqual([1, 4, 5]);
    const errors = await fetch((await link(app, batch, { kind: 'errors' })).url);
    expect(await errors.text()).toContain('123,d,4,nin: must be 11 digits');
    expect((await fetch(made.url, { method: 'HEAD' })).status).toBe(200);
  });

  test('made while exports need no approval ends once they do', async () => {
    const app = await api.createApp();
    const batch = await run(app, MIXED);
    const made = await link(app, batch);
    expect((await fetch(made.url)).status).toBe(200);
    const settings = { settings: { approveExport: true } };
    const changed = await api.admin.send('PATCH', `/api/v1/admin/apps/${app.app}`, {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(settings),
    });
    expect(changed.status, changed.text).toBe(200);
    const answer = await fetch(made.url);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([403, 'link_expired']);
    const { data } = (await api.admin.get<{ data: { action: string; detail: Entity }[] }>(`/api/v1/admin/audit?app=${app.app}&limit=5`))
      .body.entity;
    expect(data.find(({ action }) => action === 'app.settings')?.detail).toMatchObject({ linksEnded: 1 });
  });

  test('is not made any more by a request that was let through just before exports came to need an approval', async () => {
    const app = await api.createApp();
    const batch = await run(app, MIXED);
    const appId = parseId('app', app.app)!;
    let asked!: ReturnType<typeof app.post>;
    await api.service.sql.begin(async (tx) => {
      await changeSettings(tx, appId, { approveExport: true }, bySystem('setup'));
      asked = app.post(`${path(batch)}/links`, { format: 'csv', expires_in_seconds: 3600 });
      // It is past the check of the settings, and waits for this transaction.
      await waitFor('the request to wait', async () => (await api.service.sql`select 1 from pg_locks where not granted`).length > 0);
    });
    const answer = await asked;
    expect([answer.status, answer.body.code]).toEqual([409, 'conflict']);
    expect((await api.service.sql`select 1 from links where batch_id = ${uuidOf(batch)}`).length).toBe(0);
    expect((await app.post(`${path(batch)}/links`, { format: 'csv', expires_in_seconds: 3600 })).status).toBe(202);
  });

  test('tells whoever has it what the file is and until when; its page is named without a request that holds the token', async () => {
    const app = await api.createApp();
    const batch = await run(app, MIXED, 'checks=nin_basic&reference=June%20payroll');
    const made = await link(app, batch, { format: 'xlsx', outcome: ['found'], expires_in_seconds: 3600 });
    const token = made.path.split('/').at(-1)!;
    expect(made.page_url).toBe(`${api.url}/console/link#${token}`);
    const answer = await fetch(`${made.url}/summary`);
    expect(answer.status).toBe(200);
    const { entity } = (await answer.json()) as { entity: Entity };
    expect(entity).toMatchObject({
      object: 'link_summary',
      live: false,
      kind: 'results',
      format: 'xlsx',
      outcome: ['found'],
      expires_at: made.expires_at,
      batch: { reference: 'June payroll', status: 'completed', counts: { rows: 5 } },
    });
    expect(Object.keys(entity.app as object)).toEqual(['name']);
    const altered = await fetch(`${made.url.slice(0, -1)}/summary`);
    expect(altered.status).toBe(403);
    const [read] = await api.service.sql<{ actorKind: string; detail: string }[]>`
      select actor_kind, detail from audit_entries where app_id = ${parseId('app', app.app)} and action = 'link.read'`;
    expect(read).toMatchObject({ actorKind: 'link' });
    expect(JSON.parse(read!.detail)).toMatchObject({ kind: 'results', summary: true });
  });

  test('is opened sixty times a minute at most, because each time is in the audit', async () => {
    const app = await api.createApp();
    const made = await link(app, await run(app, MIXED));
    // More than two minutes allow, in case a new one begins in between.
    const answers = await Promise.all(Array.from({ length: 130 }, () => fetch(`${made.url}/summary`)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(10);
    const rows = await api.service.sql`select 1 from audit_entries where app_id = ${parseId('app', app.app)} and action = 'link.read'`;
    expect(rows).toHaveLength(answers.length - refused.length);
  });

  test('that was altered or has expired opens nothing', async () => {
    const app = await api.createApp();
    const batch = await run(app, MIXED);
    const made = await link(app, batch, { expires_in_seconds: 1 });
    const opened = async (target: string) => {
      const answer = await fetch(`${api.url}${target}`);
      return [answer.status, ((await answer.json()) as { code: string }).code];
    };
    const [text, signature] = made.path.split('/').at(-1)!.split('.') as [string, string];
    const forged = Buffer.from(Buffer.from(text, 'base64url').toString().replace('results', 'errors')).toString('base64url');
    const expires = String(Date.parse(made.expires_at) / 1000);
    const later = Buffer.from(Buffer.from(text, 'base64url').toString().replace(expires, '9999999999')).toString('base64url');
    expect(later).not.toBe(text);
    for (const token of [
      `${forged}.${signature}`,
      `${later}.${signature}`,
      `${text}.`,
      text,
      `${text}.${signature.slice(1)}`,
      `${text}.${signature}=`,
      'x',
    ]) {
      expect(await opened(`/api/v1/links/${token}`), token).toEqual([403, 'link_invalid']);
    }
    await waitFor('the link to expire', async () => (await opened(made.path).catch(() => [200]))[1] === 'link_expired');
  });

  test('is refused for nonsensical options', async () => {
    const app = await api.createApp();
    const batch = await run(app, MIXED);
    for (const body of [
      { expires_in_seconds: 0 },
      { expires_in_seconds: 7 * 86_400 + 1 },
      { expires_in_seconds: '60' },
      { kind: 'jobs' },
      { format: 'pdf' },
      { outcome: 'lost' },
      { outcome: [] },
      { kind: 'errors', outcome: 'invalid' },
    ]) {
      const answer = await app.post(`${path(batch)}/links`, body);
      expect([answer.status, answer.body.code], JSON.stringify(body)).toEqual([400, 'invalid_request']);
    }
  });
});

describe('behind a proxy', () => {
  const proxied = useApi({ CONFAM_PUBLIC_URL: 'https://verify.example.com/confam/' });

  test('a link is below the public address, whatever the request says', async () => {
    const app = await proxied.createApp();
    const made = (await app.csv('checks=nin_basic&start=manual', 'nin\n12\n70123456789\n')).body.entity;
    const { body } = await app.post<{ url: string; path: string; page_url: string }>(`${path(made)}/links`, { kind: 'errors' });
    const { url, path: shown, page_url } = body.entity;
    expect(url).toBe(`https://verify.example.com/confam${shown}`);
    expect(page_url).toBe(`https://verify.example.com/confam/console/link#${shown.split('/').at(-1)}`);
  });
});
