/** Seals what a group of jobs found, before we know which of them are still ours: rows of batches in blocks, the rest one by one. */
import { knownCheck } from '../checks/catalog.ts';
import type { Tx } from '../foundation/context.ts';
import type { Sealer } from '../foundation/crypto.ts';
import type { Cipher, SealerOf } from '../foundation/data-keys.ts';
import { newId } from '../foundation/ids.ts';
import { recordset } from '../foundation/recordset.ts';
import { hasLargeImage, sealEntity } from '../jobs/entities.ts';
import { BLOCK_JOBS, type BlockAddress, ResultBlock, sealBlock } from '../jobs/result-blocks.ts';

/** A job that found something. */
export interface FoundEntity {
  jobId: string;
  appId: string;
  batchId: string | null;
  checkId: string;
  entity: Record<string, unknown>;
}

/** Where a job's result is: in a slot of a block, or by itself in `bytes`. */
export interface SealedResult {
  block: string | null;
  slot: number | null;
  /** Position in `bytes`, from 1 as SQL counts, and size; the images follow. Zero in a block. */
  start: number;
  size: number;
  imageSize: number;
  /** Bytes that it takes: its own size, or its share of the block. */
  storedBytes: number;
}

export interface NewBlock extends BlockAddress {
  appId: string;
  checkId: string;
  start: number;
  sealed: Buffer;
  /** By slot. */
  jobIds: string[];
}

export interface SealedResults {
  /** All ciphertexts in one value, which SQL cuts apart. */
  bytes: Buffer;
  blocks: NewBlock[];
  byJob: Map<string, SealedResult>;
}

/** `inBlocks`: false while any running process cannot read blocks. */
export function sealResults(sealerOf: SealerOf, found: readonly FoundEntity[], { inBlocks }: { inBlocks: boolean }): SealedResults {
  const parts: Buffer[] = [];
  let next = 1;
  const append = (bytes: Buffer): number => {
    parts.push(bytes);
    next += bytes.length;
    return next - bytes.length;
  };
  const byJob = new Map<string, SealedResult>();
  const blocks: NewBlock[] = [];
  const lanes = new Map<string, FoundEntity[]>();
  for (const one of found) {
    const lane = laneOf(one, inBlocks);
    const others = lanes.get(lane);
    if (others) others.push(one);
    else lanes.set(lane, [one]);
  }
  for (const [lane, entities] of lanes) {
    for (let at = 0; at < entities.length; at += BLOCK_JOBS) {
      const some = entities.slice(at, at + BLOCK_JOBS);
      // A block of one takes two to three times as long to seal.
      if (lane === ALONE || some.length === 1) for (const one of some) byJob.set(one.jobId, sealAlone(sealerOf(one), one, append));
      else blocks.push(sealTogether(sealerOf(some[0]!), some, append, byJob));
    }
  }
  return { bytes: Buffer.concat(parts), blocks, byJob };
}

const ALONE = '';

/** Entities of the same batch and check share blocks. */
const laneOf = ({ batchId, checkId, entity }: FoundEntity, inBlocks: boolean): string =>
  inBlocks && batchId !== null && !hasLargeImage(knownCheck(checkId), entity) ? `${batchId} ${checkId}` : ALONE;

type Append = (bytes: Buffer) => number;

function sealAlone(sealer: Sealer, { jobId, checkId, entity }: FoundEntity, append: Append): SealedResult {
  const sealed = sealEntity(sealer, knownCheck(checkId), jobId, entity);
  const start = append(sealed.entity);
  if (sealed.entityImages) append(sealed.entityImages);
  const [size, imageSize] = [sealed.entity.length, sealed.entityImages?.length ?? 0];
  return { block: null, slot: null, start, size, imageSize, storedBytes: size + imageSize };
}

function sealTogether(sealer: Sealer, some: readonly FoundEntity[], append: Append, byJob: Map<string, SealedResult>): NewBlock {
  const address = { id: newId(), batchId: some[0]!.batchId! };
  const sealed = sealBlock(
    sealer,
    address,
    some.map(({ entity }) => entity),
  );
  for (const [slot, { jobId }] of some.entries()) {
    // The shares add up to the block.
    const storedBytes = Math.floor((sealed.length + slot) / some.length);
    byJob.set(jobId, { block: address.id, slot, start: 0, size: 0, imageSize: 0, storedBytes });
  }
  return {
    ...address,
    appId: some[0]!.appId,
    checkId: some[0]!.checkId,
    start: append(sealed),
    sealed,
    jobIds: some.map(({ jobId }) => jobId),
  };
}

/**
 * Takes the results of superseded jobs out of the new blocks: no job points at them, so nothing that erases a person would find them. A block without any
 * settled job was not written.
 */
export async function dropSuperseded(tx: Tx, cipher: Cipher, blocks: readonly NewBlock[], settled: ReadonlySet<string>): Promise<void> {
  const incomplete = blocks.flatMap((block) => {
    const lost = block.jobIds.flatMap((jobId, slot) => (settled.has(jobId) ? [] : [slot]));
    const isWritten = lost.length < block.jobIds.length;
    return lost.length > 0 && isWritten ? [{ ...block, lost }] : [];
  });
  if (incomplete.length === 0) return;
  const [opener, sealerOf] = await Promise.all([cipher.opener(incomplete.map(({ sealed }) => sealed)), cipher.sealers(incomplete)]);
  const changed = incomplete.map((block) => ({
    ...block,
    rest: new ResultBlock(opener, block, block.sealed).without(block.lost, sealerOf(block)),
  }));
  await tx`
    update result_blocks b set sealed = c.rest
    from ${recordset(tx, changed, { batch_id: ['uuid', (c) => c.batchId], id: ['uuid', (c) => c.id], rest: ['bytea', (c) => c.rest] })} c
    where b.batch_id = c.batch_id and b.id = c.id`;
}
