/** Addresses within the console. Links are ordinary `<a href="batches">`, relative to the page's `<base>`; a click on one changes `place` instead of loading. */
import { computed, signal } from '@preact/signals';
import { keep, keepScroll, scrollBack } from './kept-place.ts';

/** Where the console is, such as `/console/`, also behind a path prefix. */
const base = new URL('.', document.baseURI);

const read = () => ({ path: location.pathname.slice(base.pathname.length), query: location.search });

/** The address below the console: `batches/bat_…`, and its query with the `?`. */
export const place = signal(read());

export const query = computed(() => new URLSearchParams(place.value.query));

/** What leaving the page would lose, as a question; null: nothing. */
export const unsaved = signal<string | null>(null);

export const mayLeave = (): boolean => {
  // The browser itself asks, at once: the page behind must not change until the person has answered.
  if (unsaved.value !== null && !confirm(unsaved.value)) return false;
  unsaved.value = null;
  return true;
};

/** Returns false if the person chose to stay. */
export function navigate(href: string, { replace = false } = {}): boolean {
  if (!mayLeave()) return false;
  keepScroll();
  history[replace ? 'replaceState' : 'pushState'](null, '', new URL(href || '.', base));
  const before = place.value.path;
  place.value = read();
  if (place.value.path !== before) scrollTo(0, 0);
  return true;
}

/** Changes one part of the query, without a step in the browser's history. */
export function setQuery(changes: Readonly<Record<string, string>>): void {
  const next = new URLSearchParams(place.value.query);
  for (const [name, value] of Object.entries(changes)) value === '' ? next.delete(name) : next.set(name, value);
  const text = next.toString();
  history.replaceState(null, '', addressOf({ path: place.value.path, query: text && `?${text}` }));
  keep({ scroll: scrollY });
  place.value = read();
}

const addressOf = ({ path, query }: typeof place.value): URL => new URL(`${path || '.'}${query}`, base);

/** A part of an address, decoded; null if it is not encoded rightly. */
function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/** `batches/:id` against `batches/bat_1` → `{ id: 'bat_1' }`. Anybody can make a link to this page: nothing in it may look like more than one part of a path. */
export function match(pattern: string, path: string): Record<string, string> | null {
  const [names, parts] = [pattern.split('/'), path.replace(/\/$/, '').split('/')];
  if (names.length !== parts.length) return null;
  const found: Record<string, string> = {};
  for (const [at, name] of names.entries()) {
    const part = decoded(parts[at]!);
    if (part === null) return null;
    if (name.startsWith(':') && !/[/\\?#]|^\.{0,2}$/.test(part)) found[name.slice(1)] = part;
    else if (name !== part) return null;
  }
  return found;
}

addEventListener('popstate', () => {
  // The browser has already changed the address: if the person stays, put it back.
  if (!mayLeave()) return history.pushState(null, '', addressOf(place.value));
  const before = place.value.path;
  place.value = read();
  if (place.value.path !== before) scrollTo(0, 0);
  scrollBack();
});

addEventListener('beforeunload', (event) => {
  if (unsaved.value !== null) event.preventDefault();
});

// A file that is dropped beside its place would be opened by the browser instead of the console. A field for a file takes it by itself.
document.addEventListener('dragover', (event) => {
  const isField = event.target instanceof Element && event.target.matches('input[type="file"]');
  if (event.defaultPrevented || isField || !event.dataTransfer?.types.includes('Files')) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = 'none';
});

document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute('download')) return;
  const url = new URL(link.href);
  if (url.origin !== base.origin || !url.pathname.startsWith(base.pathname) || url.hash) return;
  event.preventDefault();
  navigate(url.href);
});
