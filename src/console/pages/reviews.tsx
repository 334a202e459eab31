/** What a person must decide: cases by state, kind and assignee. */
import type { Review } from '../../client/reviews.ts';
import { checkName, shortId } from '../format.ts';
import { Empty, State, Time } from '../parts/common.tsx';
import { Filter, filterOf } from '../parts/filter.tsx';
import { Listed, useList } from '../parts/list.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { Table } from '../parts/table.tsx';
import { attempt } from '../parts/toasts.tsx';
import { actorName } from '../review/actor.ts';
import { RowOf } from '../review/row-of.tsx';
import { client, may, session } from '../state.ts';
import { reviewKinds, reviewStates, riskWords, whyOpened } from '../words.ts';

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
  const [state, kind, assignee] = ['state', 'kind', 'assignee'].map(filterOf);
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
        <Filter name="state" label="State" options={STATES} />
        <Filter name="kind" label="Reason" options={[['', 'Anything'], ...Object.entries(reviewKinds)]} />
        <Filter name="assignee" label="Assigned to" options={ASSIGNEES} />
      </div>
      <Listed
        of={reviews}
        empty={
          <Empty title={state || kind || assignee ? 'No case matches' : 'Nothing to review'}>
            <Opening />
          </Empty>
        }
      >
        {(items) => (
          <Table
            caption="Review cases, newest first"
            name="Review cases"
            isCard
            rows={items}
            keyOf={(review) => review.id}
            columns={[
              { name: 'Case', isHead: true, cell: (review) => <a href={`reviews/${review.id}`}>{shortId(review.id)}</a> },
              { name: 'Reason', cell: (review) => whyOpened(review) },
              { name: 'Risk', cell: ({ risk_level }) => (risk_level ? riskWords[risk_level] : <span class="soft">–</span>) },
              { name: 'Check', cell: (review) => checkName(review.check) },
              { name: 'Row', style: 'text', cell: (review) => <RowOf review={review} /> },
              { name: 'State', cell: (review) => <State {...reviewStates(review)} /> },
              {
                name: 'Assigned to',
                style: 'text',
                cell: (review) =>
                  review.assignee === session.value?.person.id ? (
                    'You'
                  ) : review.assignee ? (
                    <bdi>{actorName(review, review.assignee)}</bdi>
                  ) : may('reviews') && review.state !== 'decided' ? (
                    <button type="button" class="nowrap" onClick={() => void take(review.id)}>
                      Assign to me<span class="unseen">: {shortId(review.id)}</span>
                    </button>
                  ) : (
                    <span class="soft">Nobody</span>
                  ),
              },
              { name: 'Opened', cell: (review) => <Time at={review.opened_at} /> },
            ]}
          />
        )}
      </Listed>
    </>
  );
}

/** Which results of this app open a case. */
function Opening() {
  const settings = useResource('settings', (signal) => client.settings.read(signal));
  return (
    <Loaded of={settings}>
      {({ reviews: { face, liveness, aml_level } }) => {
        const faces = [face && 'a face is not clearly the same', liveness && 'the liveness of one is not clear']
          .filter(Boolean)
          .join(' or ');
        return (
          <>
            {faces && <p>A case opens when {faces}.</p>}
            {aml_level ? (
              <p>A case opens when a screening has hits at risk {riskWords[aml_level]} or above.</p>
            ) : (
              <p>This app opens no cases for screenings. Your administrator can set a level.</p>
            )}
          </>
        );
      }}
    </Loaded>
  );
}
