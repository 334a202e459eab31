/** The token of a one-time link: for signing in, for an invitation, or to a file. */
import { place } from '../router.ts';

/**
 * The fragment is never sent. It leaves the address bar, so that no screenshot and no history has it. The exception is the link to a file, which works until it
 * ends, also after the page is loaded again.
 */
function takeToken(): string {
  const token = location.hash.slice(1);
  if (token && place.value.path !== LINK_PAGE) history.replaceState(null, '', location.pathname);
  return token;
}

/** The page for people without an account. */
export const LINK_PAGE = 'link';

let token = takeToken();
// A link opened in a tab that already shows the console.
addEventListener('hashchange', () => location.reload());

/** The token of the link that led here. */
export const sentToken = (): string => token;

export const hasToken = (): boolean => token !== '';

/** It was used, or its reader goes on without it. */
export const dropToken = (): void => {
  token = '';
};
