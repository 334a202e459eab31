/**
 * How many rows a second of an upload are read, validated, encrypted and committed, compared with COPY of the resulting rows; and how much memory that takes.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { request } from 'undici';
import { ZipFile } from 'yazl';
import { parseId } from '../src/foundation/ids.ts';
import { freshNins } from './batch.ts';
import { median, perSecond, type Report, times } from './figure.ts';
import { type App, type Bench, type Confam, type Options, rowsOf, type Size } from './harness.ts';
import { cpuSeconds, peakMb } from './memory.ts';

const ROWS: Size = { full: 1_000_000, tiny: 2_000 };
/** Rows generated at a time: the upload is never in memory as a whole. */
const SLICE_ROWS = 10_000;

interface Format {
  name: string;
  type: string;
  write(path: string, rows: number): Promise<void>;
  target: { perSecond: number; ratio?: number; megabytes: number };
}

const FORMATS: Format[] = [
  { name: 'CSV', type: 'text/csv', write: writeCsv, target: { perSecond: 40_000, ratio: 0.12, megabytes: 400 } },
  {
    name: 'XLSX',
    type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    write: writeXlsx,
    target: { perSecond: 10_000, megabytes: 500 },
  },
];

interface Run {
  /** Rows a second. */
  perSecond: number;
  reference: number;
  /** Processor time of the API for a row, in microseconds: comparable on a machine that does other things too. */
  processorUs: number | null;
}

export async function ingest(bench: Bench, options: Options): Promise<Report> {
  const report: Report = { figures: [], detail: {} };
  const rows = rowsOf(options, ROWS);
  const folder = await mkdtemp(join(bench.folder, 'ingest-'));
  // Under root, Postgres runs as another user, who writes a file here.
  await chmod(folder, 0o777);
  try {
    const copied = join(folder, 'copied');
    for (const format of FORMATS) {
      const path = join(folder, format.name);
      await format.write(path, rows);
      // A separate process for each format, so that its peak belongs to that format.
      const confam = await bench.startConfam(options.backend);
      const app = await confam.createApp('Ingest');
      for (const table of TABLES) await confam.sql.unsafe(`create table bare_${table} as table ${table} with no data`);
      const runs: Run[] = [];
      for (let i = 0; i < options.repeats; i++) {
        const before = cpuSeconds(confam.pid);
        const { id, ms } = await upload(confam, app, path, format.type, rows);
        const after = cpuSeconds(confam.pid);
        const processorUs = before === null || after === null ? null : ((after - before) / rows) * 1_000_000;
        runs.push({ perSecond: (rows / ms) * 1000, reference: (rows / (await copyBare(confam, id, copied))) * 1000, processorUs });
      }
      const peak = peakMb(confam.pid);
      await confam.stop();
      addFigures(report, format, rows, runs, peak);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return report;
}

function addFigures(report: Report, { name, target }: Format, rows: number, runs: Run[], peak: number | null): void {
  const measured = median(runs.map((run) => run.perSecond));
  const reference = median(runs.map((run) => run.reference));
  const ratio = measured / reference;
  const processorUs = Math.min(...runs.map((run) => run.processorUs ?? Number.NaN));
  report.figures.push({
    what: `ingest of ${rows.toLocaleString('en')} rows, ${name}`,
    measured: perSecond(measured, 'rows'),
    reference: `COPY ${perSecond(reference, 'rows')}`,
    ratio: times(ratio),
    target: `≥ ${target.perSecond.toLocaleString('en')} rows/s${target.ratio === undefined ? '' : `, ≥ ${target.ratio}`}`,
    ok: measured >= target.perSecond && ratio >= (target.ratio ?? 0),
  });
  report.figures.push({
    what: `processor time of the API, ${name}, least of ${runs.length}`,
    measured: Number.isNaN(processorUs) ? 'skipped: needs /proc' : `${processorUs.toFixed(1)} µs a row`,
  });
  report.figures.push({
    what: `peak memory of the API, ${name}`,
    measured: peak === null ? 'skipped: needs /proc' : `${Math.round(peak)} MB`,
    target: `≤ ${target.megabytes} MB`,
    ...(peak !== null && { ok: peak <= target.megabytes }),
  });
  report.detail[name] = { rows, measured, reference, peakMegabytes: peak, runs };
}

/** `id` is the batch's key in the database, `ms` the time from the first byte to the answer. */
async function upload(confam: Confam, app: App, path: string, type: string, rows: number): Promise<{ id: string; ms: number }> {
  const began = performance.now();
  const answer = await request(`${confam.baseUrl}/api/v1/batches?checks=nin_advance&start=manual`, {
    method: 'POST',
    headers: { ...app.headers, 'content-type': type },
    body: createReadStream(path, { highWaterMark: 256 * 1024 }),
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const text = await answer.body.text();
  const ms = performance.now() - began;
  const { entity } = JSON.parse(text) as { entity?: { id: string; counts: { rows: number; invalid: number } } };
  if (entity?.counts.rows !== rows || entity.counts.invalid > 0) throw new Error(`upload: ${answer.statusCode} ${text.slice(0, 1000)}`);
  return { id: parseId('bat', entity.id)!, ms };
}

/** The tables that an upload's rows go to. */
const TABLES = ['jobs', 'row_blocks'];

/** Milliseconds that Postgres takes to copy the stored batch into tables without indexes and constraints. */
async function copyBare(confam: Confam, batchId: string, path: string): Promise<number> {
  let ms = 0;
  for (const table of TABLES) {
    await confam.sql.unsafe(`truncate bare_${table}`);
    await confam.sql.unsafe(`copy (select * from ${table} where batch_id = '${batchId}') to '${path}'`);
    const began = performance.now();
    await pipeline(
      createReadStream(path, { highWaterMark: 256 * 1024 }),
      await confam.sql.unsafe(`copy bare_${table} from stdin`).writable(),
    );
    ms += performance.now() - began;
  }
  return ms;
}

const FIRST = ['Adaeze', 'Bola', 'Chidi', 'Damilola', 'Efe', 'Funmilayo', 'Gbenga', 'Halima', 'Ifeanyi', 'Jumoke'];
const LAST = ['Okafor', 'Adeyemi', 'Bello', 'Eze', 'Ibrahim', 'Okonkwo', 'Musa', 'Balogun', 'Nwosu', 'Abubakar'];
const nameOf = (row: number): string => `${FIRST[row % 10]} ${LAST[Math.floor(row / 10) % 10]}`;

function* slices(rows: number): Generator<{ from: number; nins: string[] }> {
  for (let from = 0; from < rows; from += SLICE_ROWS) yield { from, nins: freshNins(Math.min(SLICE_ROWS, rows - from)) };
}

async function writeCsv(path: string, rows: number): Promise<void> {
  function* text() {
    yield 'reference,nin,name\n';
    for (const { from, nins } of slices(rows)) yield nins.map((nin, i) => `customer-${from + i},${nin},${nameOf(from + i)}\n`).join('');
  }
  await pipeline(Readable.from(text()), createWriteStream(path));
}

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const relations = (...targets: [string, string][]): Buffer =>
  Buffer.from(
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets
      .map(([type, target], i) => `<Relationship Id="rId${i + 1}" Type="${RELATIONS}/${type}" Target="${target}"/>`)
      .join('')}</Relationships>`,
  );

/** As Excel saves it: shared strings (each reference used once, names often), NINs as numbers. */
async function writeXlsx(path: string, rows: number): Promise<void> {
  const names = 100;
  function* strings() {
    yield '<sst><si><t>reference</t></si><si><t>nin</t></si><si><t>name</t></si>';
    for (let i = 0; i < names; i++) yield `<si><t>${nameOf(i)}</t></si>`;
    for (const { from, nins } of slices(rows)) yield nins.map((_, i) => `<si><t>customer-${from + i}</t></si>`).join('');
    yield '</sst>';
  }
  const row = (number: number, cells: string): string => `<row r="${number}" spans="1:3">${cells}</row>`;
  function* sheet() {
    yield `<worksheet><sheetData>${row(1, '<c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c>')}`;
    for (const { from, nins } of slices(rows)) {
      yield nins
        .map((nin, i) => {
          const [at, number] = [from + i, from + i + 2];
          const text = (column: string, index: number) => `<c r="${column}${number}" t="s"><v>${index}</v></c>`;
          return row(number, `${text('A', 3 + names + at)}<c r="B${number}"><v>${nin}</v></c>${text('C', 3 + (at % names))}`);
        })
        .join('');
    }
    yield '</sheetData></worksheet>';
  }
  const zip = new ZipFile();
  zip.addBuffer(relations(['officeDocument', 'xl/workbook.xml']), '_rels/.rels');
  zip.addBuffer(
    Buffer.from(`<workbook xmlns:r="${RELATIONS}"><sheets><sheet name="Rows" sheetId="1" r:id="rId1"/></sheets></workbook>`),
    'xl/workbook.xml',
  );
  zip.addBuffer(relations(['worksheet', 'worksheets/sheet1.xml'], ['sharedStrings', 'sharedStrings.xml']), 'xl/_rels/workbook.xml.rels');
  zip.addReadStream(Readable.from(strings()), 'xl/sharedStrings.xml');
  zip.addReadStream(Readable.from(sheet()), 'xl/worksheets/sheet1.xml');
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
}
