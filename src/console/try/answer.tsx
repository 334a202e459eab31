/** A call's answer: the outcome, its time and cost, pictures, and the JSON. */
import type { CallAnswer } from '../../client/checks.ts';
import { Refused } from '../../client/errors.ts';
import { naira, resultState, took, type Worded } from '../format.ts';
import { Empty, Failure, State } from '../parts/common.tsx';
import { JsonView } from '../parts/json-view.tsx';
import { pictureUrl } from '../parts/picture.ts';

export interface Answered {
  answer: CallAnswer | null;
  error: unknown;
  tookMs: number;
}

export function Answer({ answered }: { answered: Answered | null }) {
  return (
    <section class="card answer" aria-labelledby="answer" aria-live="polite">
      <header>
        <h2 id="answer">Answer</h2>
        {answered && <State {...outcomeOf(answered)} />}
      </header>
      {answered === null ? (
        <Empty title="No call yet">
          <p class="soft">Fill in the form and call. The answer appears here, with its time and price.</p>
        </Empty>
      ) : answered.answer ? (
        <Found answer={answered.answer} tookMs={answered.tookMs} />
      ) : (
        <NotFound error={answered.error} tookMs={answered.tookMs} />
      )}
    </section>
  );
}

function outcomeOf({ answer, error }: Answered): Worded {
  if (answer) {
    // A screening is told by its hits, and a match by what agrees: neither says by being found that all is well.
    const { word, tone } = resultState(answer.entity);
    return { word: `200 ${word}`, tone };
  }
  if (!(error instanceof Refused)) return { word: 'No answer', tone: 'bad' };
  return error.code === 'record_not_found'
    ? { word: '404 Not on record', tone: 'info' }
    : { word: `${error.status} ${error.code}`, tone: error.status >= 500 ? 'bad' : 'warn' };
}

function Found({ answer, tookMs }: { answer: CallAnswer; tookMs: number }) {
  const { entity, billed_amount, cached, meta } = answer;
  return (
    <div class="body stack">
      <dl class="facts">
        <div>
          <dt>Time</dt>
          <dd>
            {took(meta.latency_ms)}
            <small>{took(tookMs)} with the network</small>
          </dd>
        </div>
        <div>
          <dt>Price</dt>
          <dd>{naira(billed_amount)}</dd>
        </div>
        <div>
          <dt>From the cache</dt>
          <dd>{cached ? 'Yes' : 'No'}</dd>
        </div>
      </dl>
      <Pictures entity={entity} />
      <JsonView name="The answer as JSON" value={answer} />
      <p class="soft small mono">{meta.request_id}</p>
    </div>
  );
}

function NotFound({ error, tookMs }: { error: unknown; tookMs: number }) {
  if (!(error instanceof Refused))
    return (
      <div class="body">
        <Failure error={error} />
      </div>
    );
  const { status, code, message, details, requestId, extra } = error;
  const body = { status: 'error', error: message, code, ...(details.length > 0 && { details }), ...extra, meta: { request_id: requestId } };
  return (
    <div class="body stack">
      {code === 'record_not_found' ? <p>{message}. This costs nothing.</p> : <Failure error={error} />}
      <dl class="facts">
        <div>
          <dt>Status</dt>
          <dd>{status}</dd>
        </div>
        <div>
          <dt>Time</dt>
          <dd>{took(tookMs)}</dd>
        </div>
        <div>
          <dt>Price</dt>
          <dd>{naira(0)}</dd>
        </div>
      </dl>
      <JsonView name="The answer as JSON" value={body} />
      {code === 'record_not_found' && <p class="soft small mono">{requestId}</p>}
    </div>
  );
}

/** The members of an entity that are pictures. */
function Pictures({ entity }: { entity: Record<string, unknown> }) {
  const pictures = Object.entries(entity).flatMap(([name, value]) => {
    const url = pictureUrl(value);
    return url === null ? [] : [{ name, url }];
  });
  if (pictures.length === 0) return null;
  return (
    <div class="found-pictures">
      {pictures.map(({ name, url }) => (
        <figure key={name}>
          <img src={url} alt={name} />
          <figcaption class="small soft">{name}</figcaption>
        </figure>
      ))}
    </div>
  );
}
