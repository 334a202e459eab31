/** The hits of a company and of everybody on record with it. Each is explained, and says whom it was found for. */
import type { CacScreening } from '../../client/catalogue.ts';
import type { Job } from '../../client/client.ts';
import { counted } from '../format.ts';
import { Notice } from '../parts/common.tsx';
import { useListTitles } from '../screening/list-titles.ts';
import { may } from '../state.ts';
import { BestOnly, ExplainedHit, type Hit, hitsWord } from './explained-hit.tsx';

type Company = CacScreening['entity'];
type Screened = NonNullable<Company['directors'][number]['screening']>;

/** What a party is to the company, by the member of the result that it is in. */
const ROLES: Readonly<Record<string, string>> = {
  directors: 'director',
  shareholders: 'shareholder',
  beneficial_owners: 'beneficial owner',
  secretary: 'secretary',
  proprietors: 'proprietor',
  trustees: 'trustee',
};

interface Party {
  /** The first place in the result: a masked name may be that of several. */
  place: string;
  name: string;
  roles: string;
  screening: Pick<Screened, 'hits' | 'total_hits'>;
  /** Places in its hits. */
  cleared: readonly number[];
}

/** The company first, then each different party with hits. */
function partiesOf(company: Company, cleared: Job['cleared']): Party[] {
  const own = {
    place: '',
    name: company.company_name,
    roles: 'the company itself',
    screening: company.screening,
    cleared: cleared?.hits ?? [],
  };
  const others = (cleared?.parties ?? []).flatMap(({ at, hits }) => {
    const place = at[0]!;
    const [role = '', index = '0'] = place.split('.');
    const party = [company[role as 'directors']].flat()[Number(index)];
    if (!party?.screening) return [];
    const name = [party.firstname, party.othername, party.surname].filter(Boolean).join(' ');
    const roles = at.map((one) => ROLES[one.split('.')[0]!] ?? one).join(', ');
    return [{ place, name, roles, screening: party.screening, cleared: hits }];
  });
  return [own, ...others].filter(({ screening }) => screening.total_hits > 0);
}

export function CompanyHits({ job }: { job: Job }) {
  const company = job.result as unknown as Company;
  const { total_hits, screened, not_screened } = company.overall_risk;
  const masked = job.masked === true;
  const titleOf = useListTitles(!masked && total_hits > 0);
  const parties = partiesOf(company, job.cleared);
  return (
    <section class="card" aria-labelledby="hits">
      <header>
        <h2 id="hits">{hitsWord(total_hits)}</h2>
        <span class="soft small">
          {screened === 1 ? 'The company was' : `The company and ${counted(screened - 1, 'other')} were`} screened.
        </span>
      </header>
      {not_screened > 0 && (
        <div class="body">
          <Notice tone="warn" title={`${counted(not_screened, 'party', 'parties')} on record could not be screened.`}>
            <p>Their records have no name that can be compared, or more than 100 are on record. Screen them one by one.</p>
          </Notice>
        </div>
      )}
      {total_hits > 0 && masked && <p class="body soft unprinted">Show the job in clear to compare its hits.</p>}
      {parties.map(({ place, name, screening }) => (
        <BestOnly key={place} shown={screening.hits.length} total={screening.total_hits} of={<bdi>{name}</bdi>} />
      ))}
      {parties.flatMap(({ place, name, roles, screening, cleared }) =>
        screening.hits.map((hit, at) => (
          <ExplainedHit
            key={`${place} ${at}`}
            hit={hit as Hit}
            title={titleOf(hit.list)}
            masked={masked}
            isCleared={cleared.includes(at)}
            of={
              <p>
                Found for <bdi>{name}</bdi>, {roles}
              </p>
            }
          />
        )),
      )}
      {total_hits > 0 && !masked && !job.cleared?.all && may('reviews') && (
        <p class="body soft unprinted">These hits cannot be cleared on this page. Your engineers can clear them through the API.</p>
      )}
    </section>
  );
}
