/** What a face check found, and the pictures that were compared. */
import { useEffect, useState } from 'preact/hooks';
import type { Job } from '../../client/client.ts';
import { Refused } from '../../client/errors.ts';
import { asked } from '../parts/asked.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { purposeIn, WhatFor } from '../parts/what-for.tsx';
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

/** Loaded only on request, because the audit records who sees a picture, and what for. */
function Pictures({ id }: { id: string }) {
  const [files, setFiles] = useState<(Blob | null)[] | null>(null);
  const [isAsking, setAsking] = useState(false);
  const show = async (entered: FormData) => {
    const purpose = purposeIn(entered);
    const read = await Promise.all(SIDES.map((side) => client.jobs.image(id, side, undefined, { purpose }).catch(nullIfGone)));
    const waiting = read.find((one) => one !== null && !(one instanceof Blob));
    if (waiting) asked(waiting);
    else setFiles(read as (Blob | null)[]);
    setAsking(false);
  };
  if (files === null)
    return (
      <div class="actions">
        <button type="button" onClick={() => setAsking(true)}>
          Show the pictures
        </button>
        {isAsking && (
          <FormDialog title="Show the pictures?" verb="Show them" onClose={() => setAsking(false)} onSubmit={show}>
            <p>The audit records that you have seen them, and why.</p>
            <WhatFor />
          </FormDialog>
        )}
      </div>
    );
  return (
    <div class="pictures">
      {files.map((file, at) => (
        <figure key={SIDES[at]}>
          {file ? <Picture file={file} side={SIDES[at]!} /> : <p class="soft">No longer kept</p>}
          <figcaption class="small">{SIDES[at]}</figcaption>
        </figure>
      ))}
    </div>
  );
}

function nullIfGone(error: unknown): null {
  if (error instanceof Refused && error.code === 'resource_not_found') return null;
  throw error;
}

function Picture({ file, side }: { file: Blob; side: string }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return url && <img src={url} alt={`The ${side}`} />;
}
