/** `/mcp`: the API for language models (Model Context Protocol over HTTP, without sessions). Off unless `CONFAM_MCP` is set. What it offers: `tools.ts`. */
import { createMiddleware } from 'hono/factory';
import type { Config } from '../../foundation/config.ts';
import { ApiError } from '../../foundation/errors.ts';
import { leaveFirstGate } from '../admit.ts';
import { type Variables, wholeBody } from '../http.ts';
import { lenientRoute } from '../route.ts';

const BODY_BYTES_MAX = 1024 * 1024;

/** Before the key is looked at. */
export const refuseUnlessOn = ({ CONFAM_MCP }: Pick<Config, 'CONFAM_MCP'>) =>
  createMiddleware<{ Variables: Variables }>(async (_, next) => {
    if (!CONFAM_MCP) throw new ApiError('resource_not_found', 'There is no such path: the operator has not enabled it (CONFAM_MCP)');
    await next();
  });

/** Hosts that mean this machine, as a URL writes them: the only origins without CONFAM_PUBLIC_URL. */
const OWN_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * The protocol asks servers to look at `Origin`: to a browser, a page whose host name was rebound to this machine is of the same origin, but it is not ours. Programs
 * send none.
 */
export const refuseOtherOrigins = ({ CONFAM_PUBLIC_URL: address }: Pick<Config, 'CONFAM_PUBLIC_URL'>) =>
  createMiddleware<{ Variables: Variables }>(async (c, next) => {
    const origin = c.req.header('origin');
    if (origin !== undefined && !isOurs(origin, address)) throw new ApiError('forbidden', 'This Origin is not the address of the service');
    await next();
  });

function isOurs(origin: string, address: string | undefined): boolean {
  if (!URL.canParse(origin)) return false;
  return address === undefined ? OWN_HOSTS.includes(new URL(origin).hostname) : origin === new URL(address).origin;
}

export const mcpRoutes = [
  lenientRoute({
    method: 'post',
    path: '/mcp',
    // Each tool calls the API as its client, with the client's own key: scopes, limits and audit are those of the routes behind it.
    who: 'model',
    audit: { none: 'what its tools do is recorded by the routes that they call' },
    // What a tool found may be masked personal data.
    keepsAnswer: false,
    // A message of the protocol, which its library reads.
    ownBody: {},
    async handle(c, { service, callOwn, docs }) {
      const body = await wholeBody(c, BODY_BYTES_MAX);
      // The tools' calls pass the gate themselves; they must not wait for this request to leave it.
      leaveFirstGate(c);
      const credentials = new Headers();
      for (const name of ['authorization', 'appid', 'audit-purpose', 'x-forwarded-for']) {
        const value = c.req.header(name);
        if (value !== undefined) credentials.set(name, value);
      }
      const call = (path: string, init: RequestInit = {}) => {
        const headers = new Headers(init.headers);
        for (const [name, value] of credentials) headers.set(name, value);
        return callOwn(c, new Request(new URL(path, 'http://confam.invalid'), { ...init, headers }));
      };
      // Loaded when it is first called: few deployments switch it on.
      const [{ createMcpHandler }, { openMcpServer }] = await Promise.all([import('@modelcontextprotocol/server'), import('./tools.ts')]);
      const handler = createMcpHandler(() => openMcpServer(call, docs.site), {
        maxRequestBodySize: BODY_BYTES_MAX,
        // Nothing here changes while a client listens.
        maxSubscriptions: 0,
        onerror: (error) => service.log.debug({ err: error }, 'a request to /mcp was refused'),
      });
      const { url, headers, signal } = c.req.raw;
      return handler.fetch(new Request(url, { method: 'POST', headers, body, signal }));
    },
  }),
];
