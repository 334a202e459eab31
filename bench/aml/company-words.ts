/**
 * A program: writes `src/names/frequent-company-words.ts` from the names of listed organizations. Only the development half is counted (`companies.ts`), so
 * that the held-out half measures the table too.
 *
 *   node --import tsx bench/aml/company-words.ts
 */
import { writeFileSync } from 'node:fs';
import { tokenizeOrganization } from '../../src/engines/aml/match/organization-tokens.ts';
import type { Listing } from '../../src/engines/aml/screening.ts';
import { organizationsIn } from './companies.ts';
import { readListings } from './lists.ts';
import { wrapped } from './wrapped.ts';

/** A word in at least this many of the half's organizations is in some names, or in many. */
const SOME = 6;
const MANY = 25;

const listings: Listing[] = [];
for await (const listing of readListings('sanctions')) listings.push(listing);
const bearers = new Map<string, Set<number>>();
for (const { half, cluster, names } of organizationsIn(listings)) {
  if (half !== 'development') continue;
  for (const { text } of names)
    for (const { text: word } of tokenizeOrganization(text)) {
      if (!/^[a-z]{3,}$/.test(word)) continue;
      const seen = bearers.get(word) ?? new Set();
      bearers.set(word, seen.add(cluster));
    }
}
const words = [...bearers]
  .filter(([, { size }]) => size >= SOME)
  .map(([word, { size }]) => `${word}${size >= MANY ? 2 : 1}`)
  .sort();
writeFileSync(
  new URL('../../src/names/frequent-company-words.ts', import.meta.url),
  `/**
 * Words that listed organizations have in their names: 1 some, 2 many. Counted over the development half of the lists' organizations, so that the other half
 * measures this table too. Written by \`bench/aml/company-words.ts\`.
 */
export const FREQUENT_COMPANY_WORDS = \`
${wrapped(words).join('\n')}
\`;
`,
);
console.log(`${words.length} words`);
