/** The breach corpus: an import of invented addresses (`--rows`), its size on disk and in memory, and look-ups of addresses that are in it and of others. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { openCorpus, readCorpus } from '../src/engines/email/breaches/corpus.ts';
import { importBreach } from '../src/engines/email/breaches/import.ts';
import type { Address } from '../src/engines/email/email.ts';
import { type Figure, perSecond, type Report, summarize } from './figure.ts';
import { type Bench, type Options, rowsOf, type Size, sized } from './harness.ts';
import { peakMb } from './memory.ts';

const ADDRESSES: Size = { full: 5_000_000, tiny: 50_000 };
const LOOKUPS: Size = { full: 20_000, tiny: 1_000 };
const PIECE = 20_000;
/** 100 million addresses in 2 GB on disk and in memory together. */
const TARGETS = { bytesEach: 20, lookupMs: 0.1 };

export async function corpus(bench: Bench, options: Options): Promise<Report> {
  const count = rowsOf(options, ADDRESSES);
  const folder = mkdtempSync(join(bench.folder, 'corpus-'));
  try {
    return await measure(folder, count, sized(options, LOOKUPS));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(folder: string, count: number, lookUps: number): Promise<Report> {
  const [dump, target, key] = [join(folder, 'dump.csv'), join(folder, 'breaches'), randomBytes(32)];
  await writeDump(dump, count);
  const began = performance.now();
  await importBreach(target, key, { name: 'Bench', date: null, hasPasswords: false, files: [dump] });
  const importSeconds = (performance.now() - began) / 1000;
  const peak = peakMb(process.pid);
  const [{ bytes, header }] = (await readCorpus(target, [key])) as [Awaited<ReturnType<typeof readCorpus>>[number]];
  const heldBytes = header!.filterBytes + 4 * 2 ** header!.directoryBits;
  const source = await openCorpus(target, { keys: [key], log: pino({ level: 'silent' }) });
  const lookUp = async (who: (i: number) => string, expected: number): Promise<number[]> => {
    const samples: number[] = [];
    for (let i = 0; i < lookUps; i++) {
      const address = addressOf(who(i));
      const started = performance.now();
      const found = await source.find(address, new AbortController().signal);
      samples.push(performance.now() - started);
      if (found?.length !== expected) throw new Error('a look-up is wrong');
    }
    return samples;
  };
  const inIt = summarize((await lookUp((i) => personAt((i * 7919) % count), 1)).map(toMicroseconds));
  const others = summarize((await lookUp((i) => `nobody${i}@example.com`, 0)).map(toMicroseconds));
  await source.close!();
  const each = (bytes + heldBytes) / count;
  const lookup = (what: string, { p50, p99 }: { p50: number; p99: number }): Figure => ({
    what,
    measured: `p50 ${p50.toFixed(0)} µs, p99 ${p99.toFixed(0)} µs`,
    target: `≤ ${TARGETS.lookupMs} ms`,
    ok: p50 <= TARGETS.lookupMs * 1000,
  });
  return {
    figures: [
      { what: `import of ${count.toLocaleString('en')} addresses`, measured: perSecond(count / importSeconds, 'addresses') },
      { what: 'peak memory of the process during the import', measured: peak === null ? 'unknown: not Linux' : `${Math.round(peak)} MB` },
      {
        what: 'disk and memory for each address',
        measured: `${(bytes / count).toFixed(2)} + ${(heldBytes / count).toFixed(2)} bytes; for 100 million ${(each / 10).toFixed(2)} GB`,
        target: `≤ ${TARGETS.bytesEach} bytes`,
        ok: each <= TARGETS.bytesEach,
      },
      lookup('look-up of an address in the corpus', inIt),
      lookup('look-up of any other address', others),
    ],
    detail: { count, importSeconds, peak, bytes, heldBytes, inIt, others },
  };
}

const toMicroseconds = (ms: number): number => ms * 1000;
const personAt = (i: number): string => `person.${i.toString(36)}@mail${i % 5000}.example`;

async function writeDump(path: string, count: number): Promise<void> {
  const file: FileHandle = await open(path, 'w');
  for (let at = 0; at < count; at += PIECE) {
    let text = '';
    for (let i = at; i < Math.min(at + PIECE, count); i++) text += `${i},${personAt(i)},x\n`;
    await file.write(text);
  }
  await file.close();
}

function addressOf(given: string): Address {
  const [local, domain] = given.split('@') as [string, string];
  return { given, local, domain, unicodeDomain: domain, registrable: domain, suffix: 'example', mailbox: given, tag: null };
}
