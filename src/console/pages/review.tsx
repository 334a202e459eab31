/** One case: why it was opened, what was found, the comments, and the decision. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Refused } from '../../client/errors.ts';
import type { Decision, Review, ReviewDetail } from '../../client/reviews.ts';
import { newKey } from '../../client/transport.ts';
import { checkName, counted, shortId } from '../format.ts';
import { Evidence } from '../job/evidence.tsx';
import { Reveal } from '../job/reveal.tsx';
import { useShownJob } from '../job/shown-job.ts';
import type { PageProps } from '../page.ts';
import { Notice, State, Time } from '../parts/common.tsx';
import { Choices, Problem, useSubmit } from '../parts/form.tsx';
import { useOnce } from '../parts/once.ts';
import { refusalText } from '../parts/refusals.ts';
import { Loaded, useResource } from '../parts/resource.tsx';
import { attempt, say } from '../parts/toasts.tsx';
import { actorName } from '../review/actor.ts';
import { RowOf } from '../review/row-of.tsx';
import { useListTitles } from '../screening/list-titles.ts';
import { client, may, session } from '../state.ts';
import { useSubject } from '../subject.ts';
import { reviewStates, riskWords, whyOpened } from '../words.ts';

export default function ReviewPage({ params: { id } }: PageProps) {
  const review = useResource(`review ${id}`, (signal) => client.reviews.read(id!, signal, { purpose: 'review' }));
  return <Loaded of={review}>{(data) => <Case review={data} onChanged={review.reload} />}</Loaded>;
}

function Case({ review, onChanged }: { review: ReviewDetail; onChanged: () => void }) {
  useSubject(review.reference ?? shortId(review.id));
  const isOpen = review.state !== 'decided';
  const isMine = review.assignee === session.value?.person.id;
  const { isBusy, run } = useOnce();
  const assign = (assignee: string | null, done: string) =>
    void run(() => attempt(() => client.reviews.assign(review.id, assignee), done).then(onChanged));
  return (
    <>
      <div class="head">
        <p class="crumb">
          <a href="reviews">Review</a>
        </p>
        <h1>
          {whyOpened(review)} {shortId(review.id)}
        </h1>
        <State {...reviewStates(review)} />
        <div class="actions">
          {review.summary && (
            <a class="button" href={`jobs/${review.job}`}>
              Open the job
            </a>
          )}
          {isOpen &&
            (isMine ? (
              <button type="button" aria-disabled={isBusy} onClick={() => assign(null, 'The case is unassigned again.')}>
                Unassign
              </button>
            ) : (
              <button type="button" aria-disabled={isBusy} onClick={() => assign('me', 'The case is yours.')}>
                Assign to me
              </button>
            ))}
        </div>
      </div>
      <section class="card body" aria-label="The case">
        <dl class="facts">
          <div>
            <dt>Check</dt>
            <dd>{checkName(review.check)}</dd>
          </div>
          <div>
            <dt>Row</dt>
            <dd>
              <RowOf review={review} />
            </dd>
          </div>
          <div>
            <dt>Assigned to</dt>
            <dd>{review.assignee ? <bdi>{actorName(review, review.assignee)}</bdi> : 'Nobody'}</dd>
          </div>
          <Found summary={review.summary} />
          <div>
            <dt>Opened</dt>
            <dd class="when">
              <Time at={review.opened_at} />
              {review.monitor && (
                <small>
                  The monitor found new hits since the job: <a href="screening">see monitors</a>
                </small>
              )}
            </dd>
          </div>
          {review.decided_at && (
            <div>
              <dt>Decided</dt>
              <dd class="when">
                <Time at={review.decided_at} />
                <small>
                  by <bdi>{actorName(review, review.decided_by!).replace(/^You$/, 'you')}</bdi>
                </small>
              </dd>
            </div>
          )}
        </dl>
      </section>
      {isOpen && review.proposal && (
        <Notice tone="warn" title={`${actorName(review, review.proposed_by!)} would ${review.proposal}.`}>
          <p>
            {review.proposed_by === session.value?.person.id
              ? 'Another person must agree before it takes effect.'
              : 'It takes effect if you agree. If not, the case is escalated.'}
          </p>
        </Notice>
      )}
      {review.summary && <FoundBy job={review.job} />}
      <div class="pair">
        <Notes review={review} onChanged={onChanged} />
        {isOpen && <Decide review={review} onChanged={onChanged} />}
      </div>
    </>
  );
}

/** Numbers without personal details; the job has the rest. */
function Found({ summary }: Pick<ReviewDetail, 'summary'>) {
  const titleOf = useListTitles(Boolean(summary?.aml?.hits.length));
  if (!summary)
    return (
      <div>
        <dt>Result</dt>
        <dd>
          Not kept<small>as of every single call; whoever made it has the answer. Send the same as a job to see it here.</small>
        </dd>
      </div>
    );
  const { face, aml } = summary;
  return (
    <>
      {face && (
        <>
          <div>
            <dt>Similarity of the faces</dt>
            <dd>
              {face.confidence}
              <small>a match at {face.threshold} or above</small>
            </dd>
          </div>
          <div>
            <dt>Liveness</dt>
            <dd>
              {face.liveness.replaceAll('_', ' ')}
              {face.replay_suspected && <small>A replay is suspected</small>}
            </dd>
          </div>
        </>
      )}
      {aml && (
        <>
          <div>
            <dt>Risk</dt>
            <dd>
              {riskWords[aml.risk_level]}
              <small>{aml.risk_score} of 100</small>
            </dd>
          </div>
          <div>
            <dt>Hits</dt>
            <dd>
              {counted(aml.total_hits, 'hit')}
              <small>{[...new Set(aml.hits.map(({ list }) => titleOf(list)))].join('; ')}</small>
            </dd>
          </div>
        </>
      )}
    </>
  );
}

/** What there is to judge, masked until somebody asks to see it. */
function FoundBy({ job: id }: { job: string }) {
  const { of, shown, show } = useShownJob(id, { purpose: 'review' });
  return (
    <Loaded of={of}>
      {(data) => {
        const job = shown(data);
        return (
          <>
            {may('reveal') && job.masked && (
              <div class="card body actions">
                <Reveal id={id} onShown={show} />
                <span class="soft">Personal details are hidden until you ask to see them.</span>
              </div>
            )}
            <Evidence job={job} onShown={show} />
          </>
        );
      }}
    </Loaded>
  );
}

function Notes({ review, onChanged }: { review: ReviewDetail; onChanged: () => void }) {
  const { id, notes } = review;
  const { problem, isBusy, submit } = useSubmit();
  const [text, setText] = useState('');
  const [idempotencyKey, setKey] = useState(newKey);
  return (
    <section class="card" aria-labelledby="notes">
      <header>
        <h2 id="notes">Notes</h2>
      </header>
      <div class="body stack">
        {notes.length === 0 ? (
          <p class="soft">No notes yet.</p>
        ) : (
          <ol class="plain-list">
            {notes.map(({ actor, decision, text: said, at }) => (
              <li key={`${actor} ${at}`}>
                <p class="soft small">
                  <bdi>{actorName(review, actor)}</bdi> · <Time at={at} />
                  {decision && ` · ${DECIDED[decision]}`}
                </p>
                <p class="said">{said}</p>
              </li>
            ))}
          </ol>
        )}
        <form
          class="form unprinted"
          onSubmit={(event) => {
            event.preventDefault();
            void submit(() => client.reviews.comment(id, text.trim(), { idempotencyKey })).then((isDone) => {
              if (!isDone) return;
              setText('');
              setKey(newKey);
              onChanged();
            });
          }}
        >
          <label class="field">
            <span>Comment</span>
            <textarea rows={3} required maxLength={2000} value={text} onInput={(event) => setText(event.currentTarget.value)} />
            <small class="soft">Stored encrypted; the app’s reviewers can read it.</small>
          </label>
          <Problem text={problem} />
          <div class="actions">
            <button type="submit" aria-disabled={isBusy}>
              Comment
            </button>
          </div>
        </form>
      </div>
    </section>
  );
}

const DECIDED: Readonly<Record<Decision, string>> = { approve: 'approved', reject: 'rejected', escalate: 'escalated' };

const DECISIONS: readonly { value: Decision; label: string; note: string }[] = [
  { value: 'approve', label: 'Approve', note: 'This is the right person, or the hits are about somebody else.' },
  { value: 'reject', label: 'Reject', note: 'This is not the right person, or a hit really is this person.' },
  { value: 'escalate', label: 'Escalate', note: 'Somebody else must decide; you no longer can.' },
];

const ESCALATE = DECISIONS.filter(({ value }) => value === 'escalate');
const FINAL = DECISIONS.filter(({ value }) => value !== 'escalate');

/** What this person may still decide, by the rules of the API, and why not everything. */
function choicesIn({ state, notes, proposed_by, escalated_by }: ReviewDetail): { options: typeof DECISIONS; why: string | null } {
  const me = session.value?.person.id;
  if (state === 'escalated')
    return notes.some(({ actor, decision }) => decision !== null && actor === me)
      ? { options: [], why: 'You have already decided or escalated this case: somebody else must decide it.' }
      : { options: FINAL, why: null };
  if (state === 'seconding' && proposed_by === me)
    return { options: ESCALATE, why: 'You have already decided: another person must agree. You can still escalate the case.' };
  if (state === 'seconding' && escalated_by === me)
    return { options: ESCALATE, why: 'You have escalated this case before: somebody else must decide it. You can escalate it again.' };
  return { options: DECISIONS, why: null };
}

/** In words, what came of a decision. */
function outcomeOf(chosen: Decision, { state, decision }: Review): string {
  if (state === 'seconding') return 'Noted. Another person must agree before it takes effect.';
  if (state === 'escalated')
    return chosen === 'escalate' ? 'The case is escalated.' : 'You and the first person disagree: the case is escalated to somebody else.';
  return `The case is ${DECIDED[decision!]}.`;
}

function Decide({ review, onChanged }: { review: ReviewDetail; onChanged: () => void }) {
  const { problem, setProblem, isBusy, submit } = useSubmit();
  const [decision, setDecision] = useState<Decision | null>(null);
  const { options, why } = choicesIn(review);
  const section = useRef<HTMLElement>(null);
  // A decision removes this form. If the focus was in it, it moves to the top of the case.
  useLayoutEffect(
    () => () => section.current?.contains(document.activeElement) && document.getElementById('main')?.focus({ preventScroll: true }),
    [],
  );
  const decide = async (reason: string) => {
    if (!decision) return setProblem('Choose a decision.');
    const isDone = await submit(async () => {
      try {
        say(outcomeOf(decision, await client.reviews.decide(review.id, { decision, reason })));
      } catch (error) {
        if (!(error instanceof Refused && error.status === 409)) throw error;
        say(`${refusalText(error)} The case is shown as it is now.`, { isBad: true });
      }
    });
    if (isDone) onChanged();
  };
  return (
    <section ref={section} class="card unprinted" aria-labelledby="decide">
      <header>
        <h2 id="decide">Decide</h2>
      </header>
      {why && <p class="body soft">{why}</p>}
      {options.length > 0 && (
        <form
          class="body form"
          onSubmit={(event) => {
            event.preventDefault();
            void decide(String(new FormData(event.currentTarget).get('reason')).trim());
          }}
        >
          <Choices
            legend="Decision"
            type="radio"
            name="decision"
            options={options}
            chosen={decision ? [decision] : []}
            onChange={([one]) => setDecision(one as Decision)}
          />
          <label class="field">
            <span>Reason</span>
            <textarea name="reason" rows={3} required maxLength={2000} />
          </label>
          <Problem text={problem} />
          <div class="actions">
            <button type="submit" class="main" aria-disabled={isBusy}>
              Decide
            </button>
          </div>
        </form>
      )}
    </section>
  );
}
