/** What a person must decide: cases by state, kind and who looks into them. */
import type { Review } from '../../client/reviews.ts';
import { checkName, shortId } from '../format.ts';
import { Empty, Scroll, State, Time } from '../parts/common.tsx';
import { Listed, useList } from '../parts/list.tsx';
import { attempt } from '../parts/toasts.tsx';
import { query, setQuery } from '../router.ts';
import { client, may, session } from '../state.ts';
import { reviewKinds, reviewStates } from '../words.ts';

const OPEN = 'open,seconding,escalated';

const STATES = [
  ['', 'To decide'],
  ['escalated', 'Escalated'],
  ['decided', 'Decided'],
] as const;

const ASSIGNEES = [
  ['', 'Anybody'],
  ['me', 'Me'],
  ['none', 'Nobody yet'],
] as const;

export default function ReviewsPage() {
  const [state, kind, assignee] = ['state', 'kind', 'assignee'].map((name) => query.value.get(name) ?? '');
  const reviews = useList<Review>(`reviews ${state} ${kind} ${assignee}`, (cursor, signal) =>
    client.reviews.page({ state: state || OPEN, kind, assignee, limit: 50, cursor }, signal),
  );
  const take = (id: string) => attempt(() => client.reviews.assign(id, 'me'), 'The case is yours.').then(reviews.reload);
  return (
    <>
      <div class="head">
        <h1>Review</h1>
      </div>
      <div class="filters">
        <Filter name="state" label="State" value={state!} options={STATES} />
        <Filter name="kind" label="Because of" value={kind!} options={[['', 'Anything'], ...Object.entries(reviewKinds)]} />
        <Filter name="assignee" label="Assigned to" value={assignee!} options={ASSIGNEES} />
      </div>
      <Listed
        of={reviews}
        empty={
          <Empty title={state || kind || assignee ? 'No case fits' : 'Nothing to review'}>
            <p>A case opens when a face or its liveness is not clear, or a screening has hits at or above the app’s level.</p>
          </Empty>
        }
      >
        {(items) => (
          <Scroll name="Review cases" isCard>
            <table>
              <caption class="unseen">Review cases, newest first</caption>
              <thead>
                <tr>
                  <th scope="col">Case</th>
                  <th scope="col">Because of</th>
                  <th scope="col">Check</th>
                  <th scope="col">State</th>
                  <th scope="col">Assigned to</th>
                  <th scope="col">Opened</th>
                </tr>
              </thead>
              <tbody>
                {items.map((review) => (
                  <tr key={review.id}>
                    <th scope="row" class="row-name">
                      <a href={`reviews/${review.id}`}>{shortId(review.id)}</a>
                    </th>
                    <td>{reviewKinds[review.kind]}</td>
                    <td>{checkName(review.check)}</td>
                    <td>
                      <State {...reviewStates(review)} />
                    </td>
                    <td>
                      {review.assignee === session.value?.person.id ? (
                        'You'
                      ) : review.assignee ? (
                        shortId(review.assignee)
                      ) : may('reviews') && review.state !== 'decided' ? (
                        <button type="button" onClick={() => void take(review.id)}>
                          Assign to me<span class="unseen">: {shortId(review.id)}</span>
                        </button>
                      ) : (
                        <span class="soft">Nobody</span>
                      )}
                    </td>
                    <td>
                      <Time at={review.opened_at} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        )}
      </Listed>
    </>
  );
}

interface FilterProps {
  name: string;
  label: string;
  value: string;
  options: readonly (readonly [string, string])[];
}

const Filter = ({ name, label, value, options }: FilterProps) => (
  <label class="field">
    <span>{label}</span>
    <select value={value} onChange={(event) => setQuery({ [name]: event.currentTarget.value })}>
      {options.map(([id, word]) => (
        <option key={id} value={id}>
          {word}
        </option>
      ))}
    </select>
  </label>
);
