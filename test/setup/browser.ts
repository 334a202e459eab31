/** A browser of the console: it keeps cookies, and sends the CSRF token once it knows it. */
import { expect } from 'vitest';
import { consoleUrl, linkUrl } from '../../src/access/people/links.ts';
import type { Role } from '../../src/access/roles.ts';
import type { Answer, Entity, TestApi, TestApp } from './api.ts';

export const PASSWORD = 'Ọjà-Alẹ́ opens at six';

export interface SessionEntity {
  id: string;
  person: { id: string; email: string; name: string | null };
  administrator: boolean;
  csrf_token: string;
  may_change_sign_in: boolean;
  current_password_required: boolean;
  apps: { id: string; name: string; role: Role; scopes: string[] }[];
  factors: { password: boolean; totp: boolean; passkeys: number; recovery_codes: number };
}

let browsers = 0;

export class Browser {
  readonly cookies = new Map<string, string>();
  /** The Set-Cookie lines of the last answer. */
  set: string[] = [];
  csrf = '';
  /** Sent as AppId. */
  app = '';
  readonly #url: string;
  readonly #address = `198.19.${++browsers >> 8}.${browsers & 255}`;

  constructor(api: Pick<TestApi, 'url'>) {
    this.#url = api.url;
  }

  async send<E = Entity>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer<E>> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        'X-Forwarded-For': this.#address,
        'User-Agent': 'Test browser',
        Cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(this.csrf && method !== 'GET' && { 'X-CSRF-Token': this.csrf }),
        ...(this.app && { AppId: this.app }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    this.set = response.headers.getSetCookie();
    for (const line of this.set) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === '' || /max-age=0/i.test(line)) this.cookies.delete(name!);
      else this.cookies.set(name!, value!);
    }
    const text = await response.text();
    const answer = {
      status: response.status,
      headers: response.headers,
      text,
      body: (text.startsWith('{') ? JSON.parse(text) : {}) as Answer<E>['body'],
    };
    const token = (answer.body.entity as { csrf_token?: string } | undefined)?.csrf_token;
    if (token) this.csrf = token;
    return answer;
  }

  get = <E = Entity>(path: string, headers?: Record<string, string>) => this.send<E>('GET', path, undefined, headers);
  post = <E = Entity>(path: string, body?: unknown, headers?: Record<string, string>) => this.send<E>('POST', path, body, headers);
  signIn = (email: string, password = PASSWORD, more: object = {}) =>
    this.post<SessionEntity>('/api/v1/session', { email, password, ...more });
  whoAmI = () => this.get<SessionEntity>('/api/v1/session');
}

export const tokenIn = (link: unknown): string => String(link).split('#')[1]!;

let people = 0;

/** Somebody with this role in the app, invited by the operator and signed in. */
export async function signedInAs(
  api: TestApi,
  app: TestApp,
  role: Role,
  browser = new Browser(api),
): Promise<{ browser: Browser; email: string; id: string }> {
  const email = `person-${++people}@bank.test`;
  const invited = await api.admin.post<{ id: string; link: string }>('/api/v1/admin/people', { email, app: app.app, role });
  expect(invited.status, invited.text).toBe(201);
  expect(invited.body.entity.link).toBe(linkUrl(consoleUrl(api.service.config), 'invitation', tokenIn(invited.body.entity.link)));
  const accepted = await browser.post<SessionEntity>('/api/v1/session/link', {
    token: tokenIn(invited.body.entity.link),
    password: PASSWORD,
    name: 'Ada Obi',
  });
  expect(accepted.status, accepted.text).toBe(200);
  browser.app = app.app;
  return { browser, email, id: invited.body.entity.id };
}
