/** Shows the end of an id, to fit into a table. The whole id is in the tooltip, read out by screen readers, and copied by the button. */
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
