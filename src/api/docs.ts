/**
 * Documentation: `/openapi.json`, and `/docs`, where it is read and tried out (Swagger UI, from its package, without inline scripts). In the
 * embedded mode on a loopback address the page finds the demo app's test key filled in.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Hono } from 'hono';
import { ApiError } from '../errors.ts';
import { openApiDocument } from '../openapi/document.ts';
import { readDemoKey } from '../sandbox.ts';
import type { Service } from '../service.ts';
import type { Http, Variables } from './http.ts';
import { isAsked } from './watch.ts';

const require = createRequire(import.meta.url);
const packageFile = require.resolve('swagger-ui-dist/package.json');
/** The files of the viewer that the page needs, and no others; by name, so that a request never becomes a path. */
const VIEWER: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
]);

/** `v`: the viewer's version, so that its files may be kept for good. Addresses are relative, for services behind a path. */
const page = (version: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Confam API</title>
<link rel="stylesheet" href="docs/swagger-ui.css?v=${version}">
<link rel="icon" type="image/png" href="docs/favicon-32x32.png?v=${version}">
</head>
<body>
<div id="viewer"></div>
<script src="docs/swagger-ui-bundle.js?v=${version}"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

/** `validatorUrl`: nothing is sent to a validator elsewhere. The key comes as JSON, which other sites' pages cannot read. */
const START = `window.addEventListener('load', async () => {
  const known = await fetch('docs/sandbox.json').then((response) => (response.status === 200 ? response.json() : null), () => null);
  const viewer = SwaggerUIBundle({
    url: 'openapi.json',
    dom_id: '#viewer',
    validatorUrl: null,
    deepLinking: true,
    displayRequestDuration: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    tryItOutEnabled: true,
    onComplete() {
      if (!known) return;
      viewer.preauthorizeApiKey('ApiKey', known.test_key);
      viewer.preauthorizeApiKey('AppId', known.app_id);
    },
  });
});
`;

/** The viewer draws icons from data URIs; scripts and styles are files alone. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
const HEADERS = { 'Content-Security-Policy': POLICY, 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' };
const ASK_AGAIN = 'no-cache';
const FOR_GOOD = 'public, max-age=31536000, immutable';

export function docsRoutes({ config }: Service) {
  let written: Promise<string> | null = null;
  const document = (): Promise<string> => {
    written ??= openApiDocument().then((made) => JSON.stringify(made));
    return written;
  };
  const version = readFile(packageFile, 'utf8').then((text) => (JSON.parse(text) as { version: string }).version);

  return new Hono<{ Variables: Variables }>()
    .get('/openapi.json', async (c) => send(c, await document(), 'application/json; charset=utf-8', ASK_AGAIN))
    .get('/docs', async (c) => send(c, page(await version), 'text/html; charset=utf-8', ASK_AGAIN))
    .get('/docs/:file', async (c) => {
      const name = c.req.param('file');
      if (name === 'start.js') return send(c, START, 'text/javascript; charset=utf-8', ASK_AGAIN);
      if (name === 'sandbox.json') return sendDemoKey(c);
      const type = VIEWER.get(name);
      if (type === undefined) throw noFile();
      return send(c, await readFile(join(dirname(packageFile), name)), type, FOR_GOOD);
    });

  /** 204 where there is none to give, so that no page reports an error. */
  function sendDemoKey(c: Http): Response {
    const known = isFromThisMachine(c) ? readDemoKey(config) : null;
    const headers = { ...HEADERS, 'Cache-Control': 'no-store' };
    return known ? c.json(known, 200, headers) : c.body(null, 204, headers);
  }
}

function send(c: Http, content: string | Uint8Array<ArrayBuffer>, type: string, caching: string): Response {
  const tag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
  const headers = { ...HEADERS, ETag: tag, 'Cache-Control': caching };
  return isAsked(c, tag) ? c.body(null, 304, headers) : c.body(content, 200, { ...headers, 'Content-Type': type });
}

/**
 * Asked for by name of the loopback address (another name that leads here is somebody's rebinding), by a page of ours or no page at all,
 * and not through a proxy, which would stand for others.
 */
function isFromThisMachine(c: Http): boolean {
  const host = (c.req.header('host') ?? '').replace(/:\d+$/, '');
  const site = c.req.header('sec-fetch-site');
  const proxied = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'].some((name) => c.req.header(name) !== undefined);
  return ['localhost', '127.0.0.1', '[::1]'].includes(host) && (site === undefined || site === 'same-origin') && !proxied;
}

const noFile = (): ApiError => new ApiError('resource_not_found', 'There is no such path');
