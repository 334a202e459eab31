/**
 * Results in blocks: entities that were settled together for one batch and check, sealed as one. The names of their members are written once, the values of each
 * as an array, and the whole is deflated. A job names its block and its slot in it. Entities with large images, single jobs, and results of earlier releases are
 * stored one by one (`entities.ts`), which is also how all of them are read.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Sql, Tx } from '../foundation/context.ts';
import type { Opener, Sealer } from '../foundation/crypto.ts';
import type { Cipher } from '../foundation/data-keys.ts';
import { endOfValue, OPEN_BRACKET } from '../foundation/json-bytes.ts';
import { recordset } from '../foundation/recordset.ts';

/** Most entities of one block. Twice as many save a tenth of the bytes, and reading one of them takes twice as long. */
export const BLOCK_JOBS = 64;

type Entity = Record<string, unknown>;

export interface BlockAddress {
  batchId: string;
  id: string;
}

/** Where a job's entity is. All null: not in a block. */
export interface InBlock {
  batchId: string | null;
  resultBlock: string | null;
  resultSlot: number | null;
  /** Set once it has been read. Null: the block is gone. */
  block?: ResultBlock | null;
}

const PURPOSE = 'result_block';
/** The batch gives its app and its mode. */
const bindingOf = ({ batchId, id }: BlockAddress): string => `${batchId}:${id}`;

/** First byte of what is sealed: how the text follows. */
const PLAIN = 0;
const DEFLATED = 1;

/** By slot; null for one that is empty. */
export function sealBlock(sealer: Sealer, address: BlockAddress, entities: readonly (Entity | null)[]): Buffer {
  const layouts: string[][] = [];
  const lines = entities.map((entity) => (entity === null ? EMPTY : JSON.stringify(valuesOf(entity, layouts))));
  return sealLines(sealer, address, [JSON.stringify(layouts), ...lines]);
}

const EMPTY = 'null';

/** The number of its layout, then the values in that order. */
function valuesOf(entity: Entity, layouts: string[][]): unknown[] {
  const names = Object.keys(entity).filter((name) => entity[name] !== undefined);
  let layout = layouts.findIndex((known) => known.length === names.length && known.every((name, i) => name === names[i]));
  if (layout === -1) layout = layouts.push(names) - 1;
  return [layout, ...names.map((name) => entity[name])];
}

function sealLines(sealer: Sealer, address: BlockAddress, lines: readonly string[]): Buffer {
  const text = Buffer.from(lines.join('\n'));
  const deflated = deflateRawSync(text, { level: 1 });
  const isSmaller = deflated.length < text.length;
  return sealer.seal(Buffer.concat([Buffer.of(isSmaller ? DEFLATED : PLAIN), isSmaller ? deflated : text]), PURPOSE, bindingOf(address));
}

/** A block as it is stored. It is opened when the first of its entities is asked for, and only those that are asked for are parsed. */
export class ResultBlock {
  private lines: Lines | null = null;
  private layouts: string[][] = [];
  private readonly opener: Opener;
  private readonly address: BlockAddress;
  private sealed: Uint8Array | null;

  /** `sealed` must stay as it is until the first entity is asked for. */
  constructor(opener: Opener, address: BlockAddress, sealed: Uint8Array) {
    this.opener = opener;
    this.address = address;
    this.sealed = sealed;
  }

  /** Null if the slot is empty. Throws if the block does not open or has no such slot. */
  entity(slot: number): Entity | null {
    const lines = this.open();
    const stored = JSON.parse(lines.bytes.toString('utf8', startOf(lines, slot), lines.ends[slot + 1])) as
      | [layout: number, ...values: unknown[]]
      | null;
    if (stored === null) return null;
    const names = this.layouts[stored[0]];
    if (names?.length !== stored.length - 1) throw new Error(MISFIT);
    const entity: Entity = {};
    for (let i = 0; i < names.length; i++) entity[names[i]!] = stored[i + 1];
    return entity;
  }

  /** The same for a table, as unparsed JSON: parsing every value takes longer than everything else. Fills and returns `row`. */
  row(slot: number, row: BlockRow): BlockRow | null {
    const lines = this.open();
    const { bytes } = lines;
    const start = startOf(lines, slot);
    if (bytes[start] !== OPEN_BRACKET) return null;
    let end = endOfValue(bytes, start + 1);
    const names = this.layouts[Number(bytes.toString('latin1', start + 1, end))] ?? [];
    row.bytes = bytes;
    row.names = names;
    for (let i = 0; i < names.length; i++) {
      row.starts[i] = end + 1;
      end = end === -1 ? -1 : endOfValue(bytes, end + 1);
      row.ends[i] = end;
    }
    if (end !== lines.ends[slot + 1]! - 1) throw new Error(MISFIT);
    return row;
  }

  /** The block without these slots, sealed again. */
  without(slots: readonly number[], sealer: Sealer): Buffer {
    const lines = this.open().bytes.toString().split('\n');
    for (const slot of slots) {
      if (lines[slot + 1] === undefined || slot < 0) throw new Error(NO_SLOT);
      lines[slot + 1] = EMPTY;
    }
    return sealLines(sealer, this.address, lines);
  }

  private open(): Lines {
    if (this.lines === null) {
      const sealed = this.opener.openBytes(this.sealed!, PURPOSE, bindingOf(this.address));
      const bytes = sealed[0] === DEFLATED ? inflate(sealed.subarray(1)) : sealed.subarray(1);
      const ends: number[] = [];
      for (let end = bytes.indexOf(LINE_END); end !== -1; end = bytes.indexOf(LINE_END, end + 1)) ends.push(end);
      ends.push(bytes.length);
      this.layouts = JSON.parse(bytes.toString('utf8', 0, ends[0])) as string[][];
      this.lines = { bytes, ends };
      this.sealed = null;
    }
    return this.lines;
  }
}

/** Where the values of an entity are. */
export class BlockRow {
  bytes: Buffer = NOTHING;
  /** The same array for all entities of a block that have the same members. */
  names: readonly string[] = [];
  /** By name. */
  readonly starts: number[] = [];
  readonly ends: number[] = [];
}

/** The lines of an opened block: first the layouts, then the slots. */
interface Lines {
  bytes: Buffer;
  ends: number[];
}

function startOf({ ends }: Lines, slot: number): number {
  if (slot < 0 || slot + 1 >= ends.length) throw new Error(NO_SLOT);
  return ends[slot]! + 1;
}

/** At once instead of in pieces of 16 kB: blocks deflate to a fifth or a half. */
const inflate = (deflated: Buffer): Buffer => inflateRawSync(deflated, { chunkSize: Math.max(MIN_INFLATED, EXPANSION * deflated.length) });

const NO_SLOT = 'a result block has no such slot';
const MISFIT = 'a result does not fit its layout';
const NOTHING = Buffer.alloc(0);
const LINE_END = 0x0a;
const MIN_INFLATED = 1024;
const EXPANSION = 6;

/** Blocks that were read a moment ago: a cached answer often comes from the same block as the one before. Kept only briefly, so that nothing erased stays in memory. */
export class RecentBlocks {
  private readonly blocks = new Map<string, { block: ResultBlock; until: number }>();

  /** By id. */
  atHand(): Map<string, ResultBlock> {
    for (const [id, { until }] of this.blocks) if (until < performance.now()) this.blocks.delete(id);
    return new Map([...this.blocks].map(([id, { block }]) => [id, block]));
  }

  /** Keeps the last of `blocks` that are new. */
  keep(blocks: ReadonlyMap<string, ResultBlock>): void {
    for (const [id, block] of blocks) if (!this.blocks.has(id)) this.blocks.set(id, { block, until: performance.now() + RECENT_MS });
    for (const id of this.blocks.keys()) {
      if (this.blocks.size <= RECENT_BLOCKS) return;
      this.blocks.delete(id);
    }
  }
}

/** Each takes about 65 kB when open. */
const RECENT_BLOCKS = 32;
const RECENT_MS = 30_000;

/** Gives each of `jobs` its block. A block of several jobs is read and opened once. */
export async function attachBlocks({ sql, cipher }: { sql: Sql | Tx; cipher: Cipher }, jobs: readonly InBlock[]): Promise<void> {
  const inBlocks = jobs.filter((job) => job.resultBlock !== null);
  if (inBlocks.length === 0) return;
  const wanted = [...new Map(inBlocks.map((job) => [job.resultBlock, { batchId: job.batchId!, id: job.resultBlock! }])).values()];
  const found = await sql<(BlockAddress & { sealed: Buffer })[]>`
    select batch_id, id, sealed from result_blocks
    where (batch_id, id) in ${recordset(sql, wanted, { batch_id: ['uuid', (b) => b.batchId], id: ['uuid', (b) => b.id] })}`;
  const opener = await cipher.opener(found.map(({ sealed }) => sealed));
  const blocks = new Map(found.map(({ batchId, id, sealed }) => [id, new ResultBlock(opener, { batchId, id }, sealed)]));
  for (const job of inBlocks) job.block = blocks.get(job.resultBlock!) ?? null;
}

/**
 * Takes these results out of the blocks of a batch, for good. Returns the bytes that this frees, by check and the day (UTC) on which they were counted. The
 * caller has locked the jobs.
 */
export async function eraseFromBlocks(
  tx: Tx,
  cipher: Cipher,
  { appId, batchId }: { appId: string; batchId: string },
  slots: readonly { block: string; slot: number }[],
): Promise<{ checkId: string; day: string; bytes: number }[]> {
  if (slots.length === 0) return [];
  const ids = [...new Set(slots.map(({ block }) => block))];
  const found = await tx<{ id: string; checkId: string; day: string; sealed: Buffer }[]>`
    select id, check_id, (created_at at time zone 'utc')::date::text as day, sealed from result_blocks
    where batch_id = ${batchId} and id = any(${ids}::uuid[]) order by id for update`;
  const [opener, sealer] = await Promise.all([cipher.opener(found.map(({ sealed }) => sealed)), cipher.sealer({ appId, batchId })]);
  const kept = found.map(({ id, checkId, day, sealed }) => {
    const gone = slots.flatMap(({ block, slot }) => (block === id ? [slot] : []));
    const rest = new ResultBlock(opener, { batchId, id }, sealed).without(gone, sealer);
    return { id, checkId, day, rest, bytes: sealed.length - rest.length };
  });
  await tx`
    update result_blocks b set sealed = k.sealed
    from ${recordset(tx, kept, { id: ['uuid', (k) => k.id], sealed: ['bytea', (k) => k.rest] })} k where b.batch_id = ${batchId} and b.id = k.id`;
  return kept.map(({ checkId, day, bytes }) => ({ checkId, day, bytes }));
}
