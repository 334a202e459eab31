/** What the whole console shares: who is signed in, on which app and in which mode it works, the connection, and the client of the API. */
import { computed, effect, signal } from '@preact/signals';
import { type Client, openClient, type Session } from '../client/client.ts';
import { Refused } from '../client/errors.ts';
import { isUnattended } from './attended.ts';
import { mayLeave, unsaved } from './router.ts';

/**
 * `expired`: the session has ended while the console was in use; the page stays, behind a form to sign in again. `leaving`: the session is being ended, and the
 * page is gone already.
 */
type Phase = 'starting' | 'out' | 'in' | 'expired' | 'leaving';

export const phase = signal<Phase>('starting');
/** True while signing out if an attempt to end the session has failed. */
export const isStillIn = signal(false);
export const session = signal<Session | null>(null);
export const connection = signal<'fine' | 'lost' | 'back'>('fine');
/** Counts up when everything shown should be read again. */
export const epoch = signal(0);

export type Mode = 'test' | 'live';

const APP = 'confam.app';
const MODE = 'confam.mode';
const PURPOSE = 'confam.purpose';

/** A tab keeps its app and mode; a new tab begins with those chosen last. */
const chosen = (name: string): string | null => sessionStorage.getItem(name) ?? localStorage.getItem(name);
const chosenApp = signal(chosen(APP));
export const mode = signal<Mode>(chosen(MODE) === 'live' ? 'live' : 'test');
export const app = computed(() => session.value?.apps.find(({ id }) => id === chosenApp.value) ?? session.value?.apps[0] ?? null);
// The defaults too: another tab's choice must not change this tab when it is reloaded.
effect(() => {
  sessionStorage.setItem(MODE, mode.value);
  if (app.value !== null) sessionStorage.setItem(APP, app.value.id);
});
/** Why personal data was last read in this tab; empty if nobody has said. */
export const lastPurpose = signal(sessionStorage.getItem(PURPOSE) ?? '');
effect(() => sessionStorage.setItem(PURPOSE, lastPurpose.value));

/** Changes when other data must be shown. */
export const scope = computed(() => `${app.value?.id} ${mode.value}`);

/** Recovery codes that the person has not saved yet. Once the new factor is set up nothing is demanded any more, but the codes are shown only once. */
export const unkept = signal<string[] | null>(null);

/** Whether a second factor must be set up before this page. What an app demands concerns that app, and not what an administrator does for the deployment. */
export const needsFactor = (path: string): boolean =>
  unkept.value !== null ||
  session.value?.second_factor_setup_required === true ||
  (app.value?.second_factor_setup_required === true && !(session.value!.administrator && path.startsWith('operator/')));

/** True while the page says that its item does not exist: it may belong to another app, or to the other mode. */
export const isAbsent = signal(false);

/** Whether the role in this app allows it. The API checks it as well. */
export const may = (...scopes: string[]): boolean => scopes.every((one) => app.value?.scopes.includes(one));

export function chooseApp(id: string): void {
  localStorage.setItem(APP, id);
  chosenApp.value = id;
}

export function chooseMode(value: Mode): void {
  localStorage.setItem(MODE, value);
  mode.value = value;
}

const root = new URL('..', document.baseURI);

const caller = () => ({ csrfToken: session.value?.csrf_token ?? null, app: app.value?.id ?? null, mode: mode.value });

export const client: Client = openClient({ baseUrl: root.href, caller, fetch: watched });

/** For the app in one mode, whichever is shown. */
export const clientIn = (wanted: Mode): Client =>
  openClient({ baseUrl: root.href, caller: () => ({ ...caller(), mode: wanted }), fetch: watched });

/**
 * Whether the answer is not Confam's but a proxy's, while the service is away, or that of a network that wants a sign-in first. Nobody can say then what became
 * of the request.
 */
export const isFromBetween = (status: number, type: string | null): boolean =>
  (status >= 502 && status <= 504 && !/\bjson\b/.test(type ?? '')) || (status >= 200 && status < 300 && /^text\/html\b/.test(type ?? ''));

/** `fetch` that notices a lost connection or an ended session, and tells the service when nobody is using the tab. */
async function watched(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const headers = new Headers(init?.headers);
  if (init?.method === 'GET' && isUnattended()) headers.set('Confam-Unattended', 'true');
  let response: Response;
  try {
    response = await fetch(input, { ...init, headers });
  } catch (error) {
    if (!init?.signal?.aborted) lost();
    throw error;
  }
  if (isFromBetween(response.status, response.headers.get('content-type'))) {
    lost();
    throw new Error(`a proxy answered ${response.status}`);
  }
  if (!isSignIn(String(input), init?.method)) noteStatus(response.status);
  return response;
}

/**
 * What an answer says about the session: 401 means that it has ended, 403 perhaps that the role has changed. Whatever does not send by `client` calls it too.
 */
export function noteStatus(status: number): void {
  if (phase.value !== 'in') return;
  if (status === 401) phase.value = 'expired';
  if (status === 403) readAgain();
}

/** A sign-in is refused with 401 too, for example because the password is wrong. */
const isSignIn = (url: string, method: string | undefined): boolean => method === 'POST' && /\/api\/v1\/session(\/link)?$/.test(url);

const PROBE_MS = 2_000;
const SAID_MS = 4_000;

/** Whether the service answers at all. */
export const isReachable = (): Promise<boolean> =>
  fetch(new URL('readyz', root), { cache: 'no-store' }).then(
    () => true,
    () => false,
  );

/** Says so and asks every two seconds until the service answers; then everything shown is read again. */
export function lost(): void {
  if (connection.value === 'lost') return;
  connection.value = 'lost';
  const probe = async () => {
    const answer = await fetch(new URL('readyz', root), { cache: 'no-store' }).catch(() => null);
    if (!answer?.ok || isFromBetween(answer.status, answer.headers.get('content-type'))) return void setTimeout(probe, PROBE_MS);
    connection.value = 'back';
    epoch.value++;
    setTimeout(() => {
      if (connection.value === 'back') connection.value = 'fine';
    }, SAID_MS);
  };
  setTimeout(probe, PROBE_MS / 2);
}

type News = 'signed in' | 'signed out';

/** Tabs tell each other who is signed in. */
const tabs = new BroadcastChannel('confam.session');
const tell = (news: News): void => tabs.postMessage(news);
tabs.onmessage = ({ data }: MessageEvent<News>) => (data === 'signed out' ? left() : void readSession());

/** The person who last used this tab. The next person must see nothing of theirs. */
let lastPerson: string | null = null;

/** Returns false if somebody else used this tab before: it is then loaded anew, and shows nothing meanwhile. */
function enter(next: Session): boolean {
  if (lastPerson !== null && lastPerson !== next.person.id) {
    // The browser must not offer to stay on the page of the person before.
    unsaved.value = null;
    lastPurpose.value = '';
    phase.value = 'starting';
    location.reload();
    return false;
  }
  lastPerson = next.person.id;
  session.value = next;
  phase.value = 'in';
  return true;
}

/** Returns whether this is the person who used the tab before, if anybody did. */
export function signedIn(next: Session): boolean {
  tell('signed in');
  if (!enter(next)) return false;
  epoch.value++;
  return true;
}

export async function readSession(): Promise<void> {
  const wasOut = phase.value === 'out';
  try {
    const next = await client.session.read();
    const hasLeft = phase.value === 'leaving' || (phase.value === 'out' && !wasOut);
    if (hasLeft) return;
    const wasExpired = phase.value === 'expired';
    // What was asked for meanwhile was refused.
    if (enter(next) && wasExpired) epoch.value++;
  } catch (error) {
    if (phase.value !== 'starting') return;
    if (isSignedOut(error)) phase.value = 'out';
    else setTimeout(readSession, PROBE_MS);
  }
}

const LOOK_MS = 60_000;

// Most pages ask for nothing by themselves, and so would never notice that the session of somebody who has left has ended.
setInterval(() => {
  if (phase.value === 'in' && isUnattended()) void readSession();
}, LOOK_MS);

const AGAIN_MS = 5_000;
let readAt = 0;

/** The role may have changed meanwhile. A page may be refused many times at once. */
function readAgain(): void {
  if (phase.value !== 'in' || Date.now() - readAt < AGAIN_MS) return;
  readAt = Date.now();
  void readSession();
}

document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && readAgain());

const isSignedOut = (error: unknown): boolean => error instanceof Refused && error.status === 401;

/** Hides the page at once, then tries until the service has ended the session. */
export function signOut(): void {
  if (!mayLeave()) return;
  isStillIn.value = false;
  phase.value = 'leaving';
  void endSession();
}

async function endSession(): Promise<void> {
  // Another tab has ended it, and somebody may have signed in since.
  if (phase.value !== 'leaving') return;
  try {
    await client.session.signOut();
  } catch (error) {
    if (!isSignedOut(error)) return void tryAgain(error);
  }
  tell('signed out');
  left();
}

async function tryAgain(error: unknown): Promise<void> {
  // The CSRF token may be that of an earlier session.
  const next = error instanceof Refused && error.status < 500 ? await client.session.read().catch(() => null) : null;
  if (next !== null && next.person.id !== session.value?.person.id) return location.reload();
  session.value = next ?? session.value;
  isStillIn.value = next === null;
  setTimeout(endSession, PROBE_MS);
}

function left(): void {
  session.value = null;
  unkept.value = null;
  lastPurpose.value = '';
  phase.value = 'out';
}
