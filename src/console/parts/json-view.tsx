/** JSON as it was answered, in colours, with long texts shortened; the copy is whole. */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { copy } from './copy.ts';

/** Longer texts are pictures and signatures. */
const SHOWN_MAX = 160;

const shorten = (_: string, value: unknown): unknown =>
  typeof value === 'string' && value.length > SHOWN_MAX ? `${value.slice(0, 60)}… (${value.length} characters)` : value;

const TOKENS = /("(?:\\.|[^"\\])*"(?:\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/;

const kindOf = (token: string): string | undefined => {
  if (token.startsWith('"')) return token.endsWith(':') ? 'name' : 'text';
  return /^(?:-?\d|true|false|null)/.test(token) ? 'value' : undefined;
};

export function JsonView({ value, name }: { value: unknown; name: string }) {
  const text = JSON.stringify(value, shorten, 2);
  return (
    <CodeView name={name} copied={JSON.stringify(value, null, 2)}>
      {text.split(TOKENS).map((token, at) => {
        const kind = kindOf(token);
        return kind ? (
          <span key={at} class={kind}>
            {token}
          </span>
        ) : (
          token
        );
      })}
    </CodeView>
  );
}

/** Lines of code in a box that scrolls, with a button that copies them. */
export function CodeView({ name, copied, children }: { name: string; copied: string; children: ComponentChildren }) {
  const shown = useRef<HTMLPreElement>(null);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by the keyboard
    <section class="code" aria-label={name} tabIndex={0}>
      <button type="button" class="small" aria-label={`Copy ${name}`} onClick={() => void copy(copied, shown.current!)}>
        Copy
      </button>
      <pre ref={shown}>{children}</pre>
    </section>
  );
}
