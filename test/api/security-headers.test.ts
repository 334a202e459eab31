/** Whatever answers, a browser is told to do nothing with it. */
import { describe, expect, it } from 'vitest';
import { routes } from '../../src/api/routes.ts';
import { SECURITY_HEADERS, securityHeaders } from '../../src/api/security-headers.ts';
import { sendBytes, useApi } from '../setup/api.ts';

const api = useApi({ CONFAM_PUBLIC_URL: 'https://verify.example.com' });
const TRANSPORT = 'max-age=31536000; includeSubDomains';
const expected = Object.entries<string>(SECURITY_HEADERS).map(([name, value]) => [name.toLowerCase(), value] as const);

/** `bat_1` and the like: a path that leads to nothing is refused by its handler or before. */
const some = (path: string) => path.replaceAll(/:[^/]+/g, 'none');

describe('security headers', () => {
  it('are on the answer of every route, which shares nothing with other origins and redirects to no other', async () => {
    const faults: string[] = [];
    for (const { method, path } of [...routes, { method: 'get', path: '/nowhere' }]) {
      const answer = await fetch(`${api.url}${some(path)}`, { method: method.toUpperCase(), redirect: 'manual' });
      await answer.body?.cancel();
      const own = /^\/(docs|console|openapi\.json|llms\.txt)/.test(path) ? ['content-security-policy'] : [];
      const wrong = expected.filter(([name, value]) => !own.includes(name) && answer.headers.get(name) !== value);
      if (answer.headers.get('strict-transport-security') !== TRANSPORT) wrong.push(['strict-transport-security', TRANSPORT]);
      faults.push(...wrong.map(([name]) => `${method} ${path}: ${name}`));
      if ([...answer.headers.keys()].some((name) => name.startsWith('access-control-'))) faults.push(`${method} ${path}: CORS`);
      if (!/^(?![\w+.-]+:|\/\/)/.test(answer.headers.get('location') ?? '')) faults.push(`${method} ${path}: redirects elsewhere`);
    }
    expect(faults).toEqual([]);
  });

  it.each(['/docs', '/docs/reference', '/console/sign-in'])(
    'leave %s its own policy, which also forbids frames, foreign forms and bases',
    async (page) => {
      // The console's page names its own folder as the base; the documentation has a form to search.
      const [base, form] = page.startsWith('/docs') ? ["base-uri 'none'", "form-action 'self'"] : ["base-uri 'self'", "form-action 'none'"];
      const policy = (await fetch(`${api.url}${page}`)).headers.get('content-security-policy')!.split('; ');
      expect(policy).toEqual(expect.arrayContaining(["script-src 'self'", base, form, "default-src 'none'", "frame-ancestors 'none'"]));
    },
  );

  it('come with how long an idle connection is kept', async () => {
    const answer = await sendBytes(Number(new URL(api.url).port), 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n', 300);
    expect(answer).toMatch(/^keep-alive: timeout=65\r$/im);
  });

  it('are on what is refused before any route', async () => {
    const answer = await sendBytes(Number(new URL(api.url).port), 'nonsense\r\n\r\n');
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) expect(answer).toContain(`${name}: ${value}\r\n`);
  });

  it('demand https only of a service that is known by an https address', () => {
    const names = (address?: string) => securityHeaders({ CONFAM_PUBLIC_URL: address }).map(([name]) => name);
    expect(names('https://verify.example.com')).toContain('Strict-Transport-Security');
    expect(names('http://127.0.0.1:8080')).not.toContain('Strict-Transport-Security');
    expect(names()).not.toContain('Strict-Transport-Security');
  });
});
