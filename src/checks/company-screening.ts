/** Screens a company of the registry together with everybody on record with it: the record's people and organizations, each as one screening. */
import { z } from 'zod';
import { countryCode } from '../engines/aml/countries.ts';
import { riskLevels } from '../engines/aml/risk.ts';
import { NAME_LENGTH_MAX, screeningInput } from './aml.ts';
import type { Lookup } from './check.ts';
import { ProviderFailure } from './provider.ts';
import { type ScreeningEntity, screeningEntity } from './screening.ts';

/** The result of one party's screening, on the same lists as the company's. */
export const partyScreening = screeningEntity.omit({ screening: true });
type PartyScreening = z.infer<typeof partyScreening>;

/** Over the company and all parties. */
export const overallRisk = z.object({
  risk_level: z.enum(riskLevels).describe('The highest of all'),
  risk_score: z.int().describe('The highest of all, 0 to 100'),
  pep_detected: z.boolean(),
  sanctions_match: z.boolean(),
  total_hits: z.int().describe('Hits of the company and of each different party'),
  screened: z.int().describe('The company and each different party, however many roles a party has'),
  not_screened: z.int().describe('Parties whose record has no name that can be compared, or beyond the first 100'),
});

/** No company has more in practice. */
const PARTIES_MAX = 100;

/** Members of a registry record of a person that a screening reads. */
interface Party {
  surname: string;
  firstname: string;
  othername: string;
  gender: string;
  date_of_birth: string;
  nationality: string;
}

export class CompanyScreening {
  private readonly lookup: Lookup;
  /** By question, so that somebody with several roles is screened once. */
  private readonly asked = new Map<string, Promise<PartyScreening>>();
  private unscreened = 0;

  constructor(lookup: Lookup) {
    this.lookup = lookup;
  }

  async company(company: Company): Promise<ScreeningEntity> {
    const parsed = questionOfCompany(company);
    // Not retried: another attempt would pay for the same record again.
    if (!parsed.success) throw new ProviderFailure('surprise', { scope: 'subject', detail: 'company_name: cannot be screened' });
    const screened = this.ask(parsed.data);
    this.asked.set('company', screened);
    return screened;
  }

  /** Null: the record has no name that can be compared. */
  async party(party: Party): Promise<PartyScreening | null> {
    const parsed = questionOf(party);
    const key = JSON.stringify(parsed.data);
    if (!parsed.success || (!this.asked.has(key) && this.asked.size > PARTIES_MAX)) {
      this.unscreened++;
      return null;
    }
    const known = this.asked.get(key) ?? this.ask(parsed.data).then(({ screening: _, ...found }) => found);
    this.asked.set(key, known);
    return known;
  }

  async overall(): Promise<z.infer<typeof overallRisk>> {
    const all = await Promise.all(this.asked.values());
    const worst = all.reduce((one, other) => (other.risk_score > one.risk_score ? other : one));
    return {
      risk_level: worst.risk_level,
      risk_score: worst.risk_score,
      pep_detected: all.some(({ pep_detected }) => pep_detected),
      sanctions_match: all.some(({ sanctions_match }) => sanctions_match),
      total_hits: all.reduce((sum, { total_hits }) => sum + total_hits, 0),
      screened: all.length,
      not_screened: this.unscreened,
    };
  }

  private async ask(question: z.infer<typeof screeningInput>): Promise<ScreeningEntity> {
    const answer = await this.lookup('aml', 1, JSON.stringify(question), { isFresh: true });
    if (!answer.found) throw new Error('a screening always has an answer');
    return answer.record as ScreeningEntity;
  }
}

/** Members of a company's record that a screening reads. */
interface Company {
  company_name: string;
  rc_number: string;
}

function questionOfCompany({ company_name, rc_number }: Company) {
  const question = { name: company_name.slice(0, NAME_LENGTH_MAX), type: 'organization', country: 'NG' };
  const numbered = screeningInput.safeParse({ ...question, registration_number: rc_number });
  return numbered.success ? numbered : screeningInput.safeParse(question);
}

/** Leaves out the type for a record without given names: it is often a company that holds shares. */
function questionOf({ surname, firstname, othername, gender, date_of_birth, nationality }: Party) {
  const name = [firstname, othername, surname]
    .map((part) => part.trim())
    .filter(Boolean)
    .join(' ');
  const country = /^nigerian?$/i.test(nationality.trim()) ? 'NG' : (countryCode(nationality) ?? undefined);
  if (firstname.trim() === '') return screeningInput.safeParse({ name, country });
  const sex = { MALE: 'male', FEMALE: 'female' }[gender.trim().toUpperCase()];
  const question = { name, type: 'person', country, gender: sex };
  // A registry's date of birth may be missing or impossible.
  const born = screeningInput.safeParse({ ...question, date_of_birth });
  return born.success ? born : screeningInput.safeParse(question);
}

/** Members of the entity that hold parties. */
const ROLES = ['directors', 'shareholders', 'beneficial_owners', 'secretary', 'proprietors', 'trustees'] as const;

type ScreenedParty = Party & { screening: PartyScreening | null };
/** Members of a `cac_screening` entity. */
export type ScreenedCompany = Company & { screening: ScreeningEntity } & {
  [Role in (typeof ROLES)[number]]: ScreenedParty | ScreenedParty[] | null;
};

/** One of the screenings in a `cac_screening` entity. */
export interface OneScreening {
  /** Where a party is in the entity (`directors.0`), once for each role. Empty: the company itself. */
  at: string[];
  question: z.infer<typeof screeningInput>;
  entity: PartyScreening;
}

/** The company first, then each different party with a screening, as they were asked. */
export function screeningsIn(company: ScreenedCompany): OneScreening[] {
  const own = questionOfCompany(company);
  const found = new Map<string, OneScreening>();
  for (const role of ROLES) {
    const parties = company[role];
    const placed = Array.isArray(parties) ? parties.map((party, i) => ({ party, at: `${role}.${i}` })) : [{ party: parties, at: role }];
    for (const { party, at } of placed) {
      const parsed = party?.screening ? questionOf(party) : null;
      if (!parsed?.success) continue;
      const key = JSON.stringify(parsed.data);
      const known = found.get(key);
      if (known) known.at.push(at);
      else found.set(key, { at: [at], question: parsed.data, entity: party!.screening! });
    }
  }
  return [...(own.success ? [{ at: [], question: own.data, entity: company.screening }] : []), ...found.values()];
}
