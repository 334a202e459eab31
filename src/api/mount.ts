/** Puts declared routes into a router, and lists the methods of a path. */
import type { Hono } from 'hono';
import { purposeOf, recordDenial } from './audited.ts';
import { rememberAddress } from './client-address.ts';
import type { Audited, Middleware, Variables } from './http.ts';
import type { Who } from './openapi/operation.ts';
import type { Route } from './route.ts';
import type { OpenTools } from './tools.ts';

/** The middleware before the handler, by the kind of key that the route accepts. */
export type Guards = Record<Who, readonly Middleware[]>;

export function mount<Needs extends OpenTools>(
  app: Hono<{ Variables: Variables }>,
  routes: readonly Route<Needs>[],
  tools: Needs,
  guards: Guards,
): void {
  for (const route of routes) {
    const begin: Middleware = async (c, next) => {
      c.set('route', route);
      if (c.req.method === 'HEAD' && !route.head) return c.notFound();
      const action = actionOf(route.audit);
      if (action === null) return next();
      rememberAddress(c, tools.service.config);
      purposeOf(c);
      await next();
      // Hono has turned what was thrown into an answer by now.
      await recordDenial(c, tools.service, action, c.error);
    };
    app.on(route.method.toUpperCase(), [route.path], begin, ...guards[route.who], (c) => route.answer(c, tools));
  }
}

const actionOf = (audit: Audited | undefined) => (!audit || 'none' in audit ? null : 'read' in audit ? audit.read : audit.change);

/** The methods that a path allows, for `Allow`. */
export function methodsOf(routes: readonly Route[], path: string): string[] {
  const matching = routes.filter((route) => matches(route.path, path));
  const methods = matching.map(({ method }) => method.toUpperCase());
  return [...new Set(matching.some(({ method, head }) => method === 'get' && head) ? [...methods, 'HEAD'] : methods)];
}

/** A `:name` matches any part that is not empty. */
function matches(route: string, path: string): boolean {
  const expected = route.split('/');
  const parts = path.split('/');
  return parts.length === expected.length && expected.every((part, at) => (part.startsWith(':') ? parts[at] !== '' : part === parts[at]));
}
