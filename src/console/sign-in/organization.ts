/** Signing in at the organization's own page, by OIDC, and coming back from there. */
import { say } from '../parts/toasts.tsx';
import { navigate, place, query, setQuery } from '../router.ts';
import { client } from '../state.ts';
import { hasToken, sentToken } from './sent-token.ts';

/** Whether the service has an identity provider. */
export const hasOrganization = (): boolean => 'provider' in document.body.dataset;

/** The pages for signing in. */
export const isGate = (path: string): boolean => path === 'sign-in' || path === INVITATION;

const INVITATION = 'invitation';

export const isInvitation = (): boolean => place.value.path === INVITATION;

const ASKED_FOR = 'confam.asked-for';

const NOT_ACCEPTED =
  'You are signed in, but the invitation is not accepted: it is for another address, or it no longer works. To accept it, sign in at your organization under the address that was invited.';

/** The organization always sends people back to Home, or to the sign-in page if it did not let them in. Takes them on from Home to the page that they had asked for. */
export function returnFromOidc(): void {
  if (isGate(place.value.path)) return;
  if (query.value.get('invitation') === 'open') {
    setQuery({ invitation: '' });
    say(NOT_ACCEPTED, { isBad: true });
  }
  const asked = sessionStorage.getItem(ASKED_FOR);
  sessionStorage.removeItem(ASKED_FOR);
  if (asked !== null && place.value.path === '') navigate(asked, { replace: true });
}

/** Goes to the organization's page. The service remembers the invitation, because the page loses its token on the way. Throws the refusal. */
export async function beginOidc(): Promise<void> {
  const { url } = await client.session.beginOidc(isInvitation() && hasToken() ? { token: sentToken() } : {});
  if (!isGate(place.value.path)) sessionStorage.setItem(ASKED_FOR, `${place.value.path}${place.value.query}`);
  location.assign(url);
}
