/** Small parts of every page: states, times, notices, what is shown while something loads or has failed. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Refused, Unreachable } from '../../client/errors.ts';
import { SHAPES, type Tone, time, timeExact, timeUtc, type Worded } from '../format.ts';
import { app, isAbsent, phase } from '../state.ts';
import { isTemporary, refusalText, SESSION_ENDED, whenAgain } from './refusals.ts';

export const State = ({ word, tone }: Worded) => (
  <span class={`state ${tone}`} data-shape={SHAPES[tone]}>
    {word}
  </span>
);

/** A time in Lagos, with UTC on hover. `isExact`: to the second, where things follow each other within a minute. */
export function Time({ at, isExact = false }: { at: string; isExact?: boolean }) {
  const [day, hour] = (isExact ? timeExact(at) : time(at)).split(/ (?=\d\d:)/);
  // If it must break, it breaks between the two.
  return (
    <time class="nowrap" dateTime={at} title={timeUtc(at)}>
      <span class="id">{day}</span> <span class="id">{hour}</span>
    </time>
  );
}

export function Notice({ tone = 'plain', title, children }: { tone?: Tone; title: string; children?: ComponentChildren }) {
  return (
    <div class={`notice ${tone}`} role={tone === 'bad' ? 'alert' : undefined}>
      <span aria-hidden="true">{SHAPES[tone]}</span>
      <div>
        <strong>{title}</strong>
        {children}
      </div>
    </div>
  );
}

/** Nothing for 150 ms: most answers come sooner, and a flash is worse than a wait. */
export function Waiting({ what = 'Loading' }: { what?: ComponentChildren }) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return isSlow ? (
    <p class="spinner" role="status">
      {what}…
    </p>
  ) : null;
}

/** Screen readers announce it when it appears, and whenever it changes. */
export function Spoken({ text }: { text: string }) {
  const [said, setSaid] = useState('');
  useEffect(() => setSaid(text), [text]);
  return (
    <p class="unseen" role="status" aria-live="polite">
      {said}
    </p>
  );
}

/** What the person can do about a refusal. */
function advice(error: Refused): string | null {
  switch (error.code) {
    case 'forbidden':
      return `Your role in this app is ${app.value?.role ?? 'none'}. An owner of the app can change it.`;
    case 'insufficient_funds':
      return 'Nothing was started. Ask your administrator to top the wallet up, then try again.';
    case 'spending_cap_exceeded':
      return 'Your administrator has set this cap. Wait until it renews, or ask for a higher one.';
    case 'resource_not_found':
      return 'It may belong to another app, or to the other mode: see the switch at the top.';
    case 'second_factor_setup_required':
      return 'Set up an authenticator app or a passkey in My account: your name at the top leads there.';
    case 'provider_not_configured':
      return 'Your administrator has to set up a vendor for it.';
    case 'lists_not_loaded':
      return 'Nothing was screened or charged. Lists are indexed within minutes after a start; if this lasts longer, your administrator has to load them.';
    case 'app_suspended':
      return 'Ask your administrator. Work that was under way waits until then.';
    case 'internal':
      return error.requestId && 'This is a fault of the service, not yours. Tell your administrator the request id.';
    default:
      return isTemporary(error) ? whenAgain(error) : null;
  }
}

export function Failure({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const refused = error instanceof Refused ? error : null;
  const saysAbsent = refused?.code === 'resource_not_found';
  useEffect(() => {
    if (!saysAbsent) return;
    isAbsent.value = true;
    return () => {
      isAbsent.value = false;
    };
  }, [saysAbsent]);
  const title = refused
    ? refusalText(refused)
    : error instanceof Unreachable
      ? 'Confam cannot be reached.'
      : 'Something went wrong on this page.';
  if (title === SESSION_ENDED && phase.value === 'in') return null;
  const text = refused
    ? advice(refused)
    : error instanceof Unreachable
      ? 'Check your connection. The page continues automatically as soon as the connection is back.'
      : 'This is a fault of the console. Reload the page; if this happens again, tell your administrator.';
  return (
    <Notice tone="bad" title={title}>
      {text && <p>{text}</p>}
      {refused?.requestId && <p class="soft small mono">{refused.requestId}</p>}
      {retry && (
        <p>
          <button type="button" onClick={retry}>
            Try again
          </button>
        </p>
      )}
    </Notice>
  );
}

export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <h2>{title}</h2>
    {children}
  </div>
);

/** Content that may be wider than the screen scrolls in a box of its own, which the keyboard can reach. */
export const Scroll = ({ name, isCard = false, children }: { name: string; isCard?: boolean; children: ComponentChildren }) => (
  <section
    class={isCard ? 'card scroll' : 'scroll'}
    aria-label={name}
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by the keyboard
    tabIndex={0}
  >
    {children}
  </section>
);
