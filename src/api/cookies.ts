/** The cookies of a browser: its session, the mark of a known browser, and the secret of an OIDC sign-in in progress. */
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { ABSOLUTE_SECONDS } from '../access/people/sessions.ts';
import type { Config } from '../foundation/config.ts';
import type { Http } from './http.ts';

const BROWSER_SECONDS = 180 * 86_400;
const OIDC_SECONDS = 5 * 60;

export interface Cookies {
  session(c: Http): string | null;
  setSession(c: Http, token: string | null): void;
  browser(c: Http): string | null;
  setBrowser(c: Http, value: string): void;
  oidc(c: Http): string | null;
  setOidc(c: Http, value: string | null): void;
}

/** With https a cookie is Secure, and its name keeps other hosts of the domain from setting it. */
export function openCookies({ CONFAM_PUBLIC_URL: publicUrl }: Config): Cookies {
  const secure = publicUrl?.startsWith('https:') ?? false;
  const named = (name: string) => `${secure ? '__Host-' : ''}confam_${name}`;
  const read = (name: string) => (c: Http) => getCookie(c, named(name)) ?? null;
  const write = (name: string, maxAge: number, sameSite: 'Strict' | 'Lax') => (c: Http, value: string | null) => {
    const options = { path: '/', httpOnly: true, secure, sameSite };
    if (value === null) deleteCookie(c, named(name), options);
    else setCookie(c, named(name), value, { ...options, maxAge });
  };
  return {
    session: read('session'),
    setSession: write('session', ABSOLUTE_SECONDS, 'Strict'),
    browser: read('browser'),
    setBrowser: write('browser', BROWSER_SECONDS, 'Strict'),
    oidc: read('oidc'),
    // Lax: the browser comes back from another site.
    setOidc: write('oidc', OIDC_SECONDS, 'Lax'),
  };
}
