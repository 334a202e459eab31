/** The answer of a screening, member by member. The check and the hits of monitors share it. */
import { z } from 'zod';
import { categories, entryTypes } from '../engines/aml/list.ts';
import { riskLevels } from '../engines/aml/risk.ts';
import { agreements, birthVerdicts, tokenRelations } from '../engines/aml/screening.ts';

const text = z.string();
const evidence = <const Verdicts extends readonly string[]>(verdicts: Verdicts) =>
  z.object({
    verdict: z.enum(verdicts),
    listed: z.array(text).describe('What the list says'),
    effect: z.number().describe('Added to the score of the name'),
  });

/** A listed person or organization that matches the screened one. */
export const screeningHit = z.object({
  list: text,
  list_version: text,
  source_id: text.describe("The publisher's id of the entry"),
  type: z.enum(entryTypes),
  category: z.enum(categories),
  name: text.describe('The primary name of the entry'),
  matched_alias: text.describe('The listed name that matched'),
  score: z.number().describe('0 to 1'),
  explanation: z.object({
    tokens: z.array(
      z.object({
        query: text.nullable().describe('null: no word that was sent corresponds to the listed word'),
        listed: text.nullable().describe('null: no listed word corresponds to the word that was sent'),
        how: z.enum(tokenRelations),
        similarity: z.number(),
      }),
    ),
    rules: z.array(text).describe('Rules that changed the score (docs/aml.md)'),
    name_score: z.number(),
    dob: evidence(birthVerdicts),
    country: evidence(agreements),
    gender: evidence(agreements),
  }),
  programs: z.array(text).describe('Sanctions programmes, offices, charges or headlines'),
  listed_on: text.nullable(),
  ended_on: text.nullable().describe('When the last office of a politically exposed person ended, or will end'),
  url: text.nullable(),
});

/** The check's entity. The first five members are the published ones. */
export const screeningEntity = z.object({
  risk_level: z.enum(riskLevels),
  pep_detected: z.boolean().describe('A hit of category pep that nobody has cleared'),
  sanctions_match: z.boolean().describe('A hit of category sanction that nobody has cleared'),
  total_hits: z.int().describe('Over all lists, cleared ones too'),
  screened_at: text.describe('ISO 8601, UTC, with milliseconds'),
  risk_score: z.int().describe('0 to 100'),
  hits: z
    .array(
      screeningHit.extend({
        cleared: z
          .object({
            clearance: text,
            cleared_by: text,
            recorded_by: text.nullable().optional().describe('The key that recorded what `cleared_by` decided; null: that person did'),
            reason: text,
            at: text,
            expires_at: text.nullable(),
          })
          .nullable()
          .describe('The hit was found to be somebody else, and does not count'),
      }),
    )
    .describe('Best first, at most 100'),
  screening: z.object({
    engine_version: text,
    threshold: z.number(),
    lists: z.array(z.object({ list: text, version: text, published_on: text.nullable(), entries: z.int() })),
  }),
});
export type ScreeningEntity = z.infer<typeof screeningEntity>;
export type ScreeningHit = ScreeningEntity['hits'][number];

/** Most hits listed in a cell. */
const CELL_HITS = 10;

/** `un_sc SBi.9001 sanction 0.97 Name, also listed as Alias; …`, for readers of results in a spreadsheet. */
export function tellHits(value: unknown): string {
  const hits = value as ScreeningEntity['hits'];
  const lines = hits
    .slice(0, CELL_HITS)
    .map(
      ({ list, source_id, category, score, name, matched_alias, cleared }) =>
        `${list} ${source_id} ${category} ${score} ${name}${matched_alias === name ? '' : `, also listed as ${matched_alias}`}${cleared ? ' (cleared)' : ''}`,
    );
  return [...lines, ...(hits.length > CELL_HITS ? [`and ${hits.length - CELL_HITS} more`] : [])].join('; ');
}

/** `un_sc 2026-02-27-66b392a4; …` */
export const tellLists = (value: unknown): string =>
  (value as ScreeningEntity['screening']['lists']).map(({ list, version }) => `${list} ${version}`).join('; ');
