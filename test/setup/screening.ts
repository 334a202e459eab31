/** Screenings of invented people, as the check answers them. */
import { sealHit } from '../../src/aml/monitors.ts';
import type { ScreeningEntity, ScreeningHit } from '../../src/checks/screening.ts';
import type { Match } from '../../src/engines/aml/screening.ts';
import type { Context } from '../../src/foundation/context.ts';
import { newId, parseId } from '../../src/foundation/ids.ts';
import type { Service } from '../../src/pipeline/service.ts';
import type { ScreeningReport } from '../../src/reports/screening.ts';
import { waitFor } from './database.ts';

export const hitOf = (own: Partial<ScreeningHit> = {}): ScreeningHit => ({
  list: 'ofac_sdn',
  list_version: '2026-11-18 3fa91c02',
  source_id: '88123',
  type: 'person',
  category: 'sanction',
  name: 'Bakari Tunde OKOROGBA',
  matched_alias: 'Bakary Okorogba',
  score: 0.94,
  explanation: {
    tokens: [
      { query: 'Bakari', listed: 'Bakary', how: 'folded', similarity: 0.95 },
      { query: 'Okorogba', listed: 'Okorogba', how: 'exact', similarity: 1 },
      { query: null, listed: 'Tunde', how: 'unmatched', similarity: 0 },
    ],
    rules: ['list_longer', 'another_rule'],
    name_score: 0.912,
    dob: { verdict: 'exact', listed: ['1971-04-03'], effect: 0.03 },
    country: { verdict: 'different', listed: ['LY', 'ML'], effect: -0.1 },
    gender: { verdict: 'unknown', listed: [], effect: 0 },
  },
  programs: ['SDGT', 'LIBYA3'],
  listed_on: '2019-06-12',
  ended_on: null,
  url: 'https://lists.example/entries/88123',
  cleared: null,
  ...own,
});

export const screeningOf = (hits: ScreeningHit[]): ScreeningEntity => ({
  risk_level: hits.length > 0 ? 'CRITICAL' : 'LOW',
  risk_score: hits.length > 0 ? 94 : 0,
  pep_detected: hits.some(({ category }) => category === 'pep'),
  sanctions_match: hits.some(({ category }) => category === 'sanction'),
  total_hits: hits.length,
  screened_at: '2026-11-21T09:30:00.123Z',
  hits,
  screening: {
    engine_version: 'aml-1',
    threshold: 0.75,
    lists: [
      { list: 'ofac_sdn', version: '2026-11-18 3fa91c02', published_on: '2026-11-18', entries: 7421 },
      { list: 'in_house', version: '2026-11-20 9ce0ab11', published_on: null, entries: 12 },
    ],
  },
});

/** A report on one person with these hits. */
export const reportOf = (hits: ScreeningHit[], own: Partial<ScreeningReport> = {}): ScreeningReport => ({
  appName: 'Palm Gate Microfinance',
  job: {
    id: `job_${'01'.repeat(16)}`,
    live: true,
    batch: null,
    row: null,
    reference: 'onboarding-7741',
    metadata: { branch: 'Ikeja' },
    createdAt: '2026-11-21T09:29:59.000Z',
  },
  input: { name: 'Bakari Okorogba', date_of_birth: '1971-04-03', country: 'NG' },
  entity: screeningOf(hits),
  review: null,
  madeAt: new Date('2026-11-21T10:00:00Z'),
  ...own,
});

/** Gives a monitor this many hits, numbered from 0, as a list that changes for years would. `monitor`: its public id. */
export async function addHits({ sql, cipher }: Context, appId: string, monitor: string, count: number): Promise<void> {
  const sealer = await cipher.sealer({ appId });
  for (let n = 0; n < count; n++) {
    const id = newId();
    const match = { list: 'un_sc', sourceId: `Q${n}`, name: `Namesake ${n}` } as Match;
    await sql`
      insert into aml_monitor_hits (id, monitor_id, list, digest, hit)
      values (${id}, ${parseId('mon', monitor)}, 'un_sc', ${Buffer.from(`digest ${n}`)}, ${sealHit(sealer, id, match)})`;
  }
}

/** Waits until the sandbox's lists are indexed. On a busy machine that takes longer than a call waits for it. */
export const listsIndexed = ({ screenings }: Pick<Service, 'screenings'>) =>
  waitFor('the index of the lists', () =>
    screenings.prepared(false).then(
      () => true,
      () => false,
    ),
  );
