/** The tools of handlers: opened once for a service, and passed to each handler with the request. */
import { type Oidc, openOidc } from '../access/people/oidc.ts';
import { openPasswords, type Passwords } from '../access/people/passwords.ts';
import type { RateLimits } from '../access/rate-limit.ts';
import { configureLists, type ListDefinition } from '../aml/definitions.ts';
import { openWaiters, type Waiters } from '../batches/waiters.ts';
import { portraitChecker } from '../faces/portrait.ts';
import { ApiError, retryAfter } from '../foundation/errors.ts';
import { uuidFromHex } from '../foundation/ids.ts';
import { type Overviews, openOverviews } from '../pipeline/overview.ts';
import type { Service } from '../pipeline/service.ts';
import type { CheckPortrait } from '../sandbox/portraits/enrol.ts';
import type { Authentication } from './authenticate.ts';
import type { Console } from './console/files.ts';
import { openQueueBoard, type QueueBoard } from './console/queue-board.ts';
import type { Cookies } from './cookies.ts';
import type { Docs } from './docs/document.ts';
import type { ProcessState } from './health.ts';
import { type Holders, openHolders } from './holders.ts';
import type { Http } from './http.ts';
import { clientNetwork } from './sign-ins.ts';
import { openStreams, type SendStream } from './streams.ts';
import { type OpenUploads, openUploads } from './uploads.ts';

/** What the routes on the operations port need. */
export interface OpenTools {
  service: Service;
  state: ProcessState;
}

/** What signing in needs. */
export interface PeopleTools {
  cookies: Cookies;
  passwords: Passwords;
  /** Null unless the operator has configured a provider. */
  oidc: Oidc | null;
  /** The session of a request that needs none. */
  signedIn: Authentication['people']['signedIn'];
  renewing: Authentication['people']['renewing'];
  /** Refuses with 429 if the network of the request tries to sign in too often. */
  limitNetwork(c: Http): void;
}

export interface Tools extends OpenTools {
  watch: Waiters;
  overviews: Overviews;
  holders: Holders;
  rateLimits: RateLimits;
  docs: Docs;
  consoleFiles: Console;
  queueBoard: QueueBoard;
  /** The watch lists for live keys. */
  lists: readonly ListDefinition[];
  forgetKeys: Authentication['forget'];
  people: PeopleTools;
  uploads: OpenUploads;
  sendFile: SendStream;
  sendEvents: SendStream;
  /** Checks what a picture must contain, such as a face; undefined: anything. */
  checkPortrait?: CheckPortrait;
  /** Answers a request of our own as if the client of `c` had sent it over the same connection. */
  callOwn(c: Http, request: Request): Promise<Response>;
}

/** Requests of one network a minute to sign in, redeem a link, or begin with a passkey or OIDC. */
const SIGN_IN_REQUESTS_MAX = 300;

/** What is open already: the API itself uses it too. */
interface Opened extends Pick<Tools, 'docs' | 'consoleFiles' | 'rateLimits'> {
  authentication: Pick<Authentication, 'forget' | 'people'>;
}

export function openTools(
  service: Service,
  state: ProcessState,
  { docs, consoleFiles, rateLimits, authentication: { forget, people } }: Opened,
): Omit<Tools, 'callOwn'> {
  const { config, admission } = service;
  const holders = openHolders(service);
  return {
    service,
    state,
    rateLimits,
    docs,
    consoleFiles,
    queueBoard: openQueueBoard(service),
    forgetKeys: forget,
    people: {
      cookies: people.cookies,
      signedIn: people.signedIn,
      renewing: people.renewing,
      passwords: openPasswords(service),
      oidc: openOidc(service),
      limitNetwork: openNetworkLimit(service, rateLimits),
    },
    watch: openWaiters(service),
    overviews: openOverviews(service),
    holders,
    lists: configureLists(config),
    uploads: openUploads(service),
    sendFile: openStreams(service, holders, admission.downloads),
    sendEvents: openStreams(service, holders, admission.streams),
    checkPortrait: service.faces ? portraitChecker(service.faces) : undefined,
  };
}

/** Each network counts like a key, under an id that does not reveal its address. */
function openNetworkLimit({ cipher, config }: Service, rateLimits: RateLimits): PeopleTools['limitNetwork'] {
  return (c) => {
    const network = cipher.index('network', clientNetwork(c, config.CONFAM_TRUSTED_PROXIES)).toString('hex', 0, 16);
    const { allowed, resetSeconds } = rateLimits.take(uuidFromHex(network), SIGN_IN_REQUESTS_MAX);
    if (allowed) return;
    throw new ApiError('rate_limited', `Too many requests to sign in have come from your network; try again in ${resetSeconds} s`, {
      headers: retryAfter(resetSeconds),
    });
  };
}
