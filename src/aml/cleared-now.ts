/** Which hits of stored screenings are cleared at the moment. A stored result stays as it was when a hit is cleared, or a clearance ends, afterwards. */
import type { AppMode } from '../access/owner.ts';
import { clearedAs } from '../checks/aml.ts';
import { type ScreenedCompany, screeningsIn } from '../checks/company-screening.ts';
import type { ScreeningEntity } from '../checks/screening.ts';
import { assessRisk, type RiskLevel, riskLevels } from '../engines/aml/risk.ts';
import type { Context } from '../foundation/context.ts';
import { clearancesInForce } from './clearing.ts';
import type { DigestOf } from './digests.ts';
import { subjectsLike } from './subjects-of-job.ts';

/** A person or an organization, or a company with everybody in its record. */
export type StoredScreening =
  | {
      /** HMAC, as in `jobs`. */
      subject: Buffer;
      entity: ScreeningEntity;
    }
  | { company: ScreenedCompany };

interface ClearedHits {
  /** Places in the hits of its screening, from 0. */
  hits: number[];
  all: boolean;
  /** What the other hits amount to; null if the entity does not show all of them. */
  risk_level: RiskLevel | null;
}

/** Of a company, `hits` are its own, and `all` and `risk_level` include the parties. */
export interface ClearedNow extends ClearedHits {
  /** Only of a company: each different party with hits. */
  parties?: (ClearedHits & { at: string[] })[];
}

/** What clearances are looked up for. */
interface Part {
  subjects: readonly Buffer[];
  entity: Pick<ScreeningEntity, 'hits' | 'total_hits' | 'screened_at'>;
  at: string[];
}

/** One for each screening. One query for all of them, two after a change of the index key. */
export async function readClearedNow(
  ctx: Context,
  digestOf: DigestOf,
  owner: AppMode,
  screenings: readonly StoredScreening[],
): Promise<ClearedNow[]> {
  const parts = await partsOf(ctx, owner, screenings);
  const inForce = await clearancesInForce(
    ctx,
    digestOf,
    owner,
    parts.flat().flatMap(({ subjects }) => subjects),
  );
  const cleared = new Set(inForce.map(({ subject, list, sourceId }) => keyOf(subject, list, sourceId)));
  const show = ({ subjects, entity }: Part): ClearedHits =>
    showCleared(
      entity,
      entity.hits.map((hit) => subjects.some((subject) => cleared.has(keyOf(subject, hit.list, hit.source_id)))),
    );
  return screenings.map((screening, at) => {
    const shown = parts[at]!.map((part) => ({ ...show(part), at: part.at }));
    return 'company' in screening ? showCompany(shown) : show(parts[at]![0]!);
  });
}

const keyOf = (subject: Buffer, list: string, sourceId: string): string => `${subject.toString('hex')} ${list} ${sourceId}`;

/** By screening. Those of a company without hits are left out. */
async function partsOf(ctx: Context, owner: AppMode, screenings: readonly StoredScreening[]): Promise<Part[][]> {
  const asked = screenings.flatMap((screening) => ('company' in screening ? [] : [screening.subject]));
  const alike = (await subjectsLike(ctx, owner, asked, 'aml_clearances')).values();
  return screenings.map((screening) => {
    if (!('company' in screening)) return [{ subjects: alike.next().value!, entity: screening.entity, at: [] }];
    const withHits = screeningsIn(screening.company).filter(({ entity }) => entity.total_hits > 0);
    return withHits.map(({ at, question, entity }) => {
      const subjects = clearedAs(question).flatMap((subject) => ctx.cipher.indexes('subject', 'aml', subject));
      return { subjects, entity, at };
    });
  });
}

function showCleared({ hits, total_hits, screened_at }: Part['entity'], isCleared: readonly boolean[]): ClearedHits {
  const isWhole = hits.length === total_hits;
  const open = hits.flatMap(({ category, score, ended_on }, at) => (isCleared[at] ? [] : [{ category, score, endedOn: ended_on }]));
  return {
    hits: [...hits.keys()].filter((at) => isCleared[at]),
    all: isWhole && open.length === 0,
    risk_level: isWhole ? assessRisk(open, screened_at.slice(0, 10)).level : null,
  };
}

function showCompany(shown: readonly (ClearedHits & { at: string[] })[]): ClearedNow {
  const levels = shown.map(({ risk_level }) => risk_level);
  return {
    hits: shown.find(({ at }) => at.length === 0)?.hits ?? [],
    all: shown.every(({ all }) => all),
    risk_level: levels.includes(null) ? null : (riskLevels.findLast((level) => levels.includes(level)) ?? 'LOW'),
    parties: shown.filter(({ at }) => at.length > 0),
  };
}
