/** The end of an id, which fits into a table; the whole one on hover, for screen readers and on the clipboard. */
import { useRef } from 'preact/hooks';
import { shortId } from '../format.ts';
import { copy } from './copy.ts';

export function ShortId({ id }: { id: string }) {
  const whole = useRef<HTMLSpanElement>(null);
  return (
    <small class="short-id soft" title={id}>
      <span class="mono" aria-hidden="true">
        {shortId(id)}
      </span>
      <span class="unseen" ref={whole}>
        {id}
      </span>
      <button type="button" class="plain" aria-label={`Copy ${shortId(id)}`} onClick={() => void copy(id, whole.current!)}>
        Copy
      </button>
    </small>
  );
}
