/** What a face check found, and the pictures that were compared. */
import { useEffect, useState } from 'preact/hooks';
import type { Job } from '../../client/client.ts';
import { asked } from '../parts/asked.ts';
import { attempt } from '../parts/toasts.tsx';
import { client, may } from '../state.ts';

const SIDES = ['selfie', 'portrait'] as const;

/** What every face check answers. */
interface Compared {
  confidence_score?: number;
  selfie_verification?: { confidence_value: number };
  threshold: number;
  liveness: { decision: string };
}

/** How alike the two are, how alike they must be, and the pictures, for people who may see them. */
export function Faces({ job: { id, result } }: { job: Job }) {
  const { confidence_score, selfie_verification, threshold, liveness } = result as unknown as Compared;
  return (
    <section class="card" aria-labelledby="pictures">
      <header>
        <h2 id="pictures">Faces</h2>
      </header>
      <div class="body stack">
        <dl class="facts">
          <div>
            <dt>Similarity</dt>
            <dd>
              {confidence_score ?? selfie_verification?.confidence_value ?? '–'}
              <small>a match at {threshold} or above</small>
            </dd>
          </div>
          <div>
            <dt>Liveness</dt>
            <dd>{liveness.decision.replaceAll('_', ' ')}</dd>
          </div>
        </dl>
        {may('reveal') && <Pictures id={id} />}
      </div>
    </section>
  );
}

/** Loaded only on request, because the audit records who sees a picture. */
function Pictures({ id }: { id: string }) {
  const [shown, setShown] = useState<{ side: string; url: string | null }[] | null>(null);
  useEffect(
    () => () => {
      for (const { url } of shown ?? []) if (url !== null) URL.revokeObjectURL(url);
    },
    [shown],
  );
  const show = () =>
    attempt(async () => {
      const read = await Promise.allSettled(SIDES.map((side) => client.jobs.image(id, side)));
      const failure = read.find((one) => one.status === 'rejected');
      if (failure && read.every(({ status }) => status === 'rejected')) throw failure.reason;
      const files = read.map((one) => (one.status === 'fulfilled' ? one.value : null));
      const waiting = files.find((one) => one !== null && !(one instanceof Blob));
      if (waiting) asked(waiting);
      else setShown(files.map((file, at) => ({ side: SIDES[at]!, url: file instanceof Blob ? URL.createObjectURL(file) : null })));
    }, null);
  if (shown === null)
    return (
      <div class="actions">
        <button type="button" onClick={() => void show()}>
          Show the pictures
        </button>
        <span class="soft small">The audit records that you have seen them.</span>
      </div>
    );
  return (
    <div class="pictures">
      {shown.map(({ side, url }) => (
        <figure key={side}>
          {url ? <img src={url} alt={`The ${side}`} /> : <p class="soft">No longer kept</p>}
          <figcaption class="small">{side}</figcaption>
        </figure>
      ))}
    </div>
  );
}
