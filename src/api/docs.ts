/**
 * Documentation: `/openapi.json`, and `/docs` to read it and try it out (Swagger UI from its package, without inline scripts). Whoever opens the one-time
 * link that `npm start` prints finds the demo app's test key filled in. Only that link reveals the key: the sender controls everything else about a request,
 * such as the `Host` header.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Hono } from 'hono';
import { openThreads } from '../engines/threads.ts';
import { sameSecret } from '../foundation/crypto.ts';
import { ApiError } from '../foundation/errors.ts';
import { readDemoKey } from '../pipeline/demo-app.ts';
import type { Service } from '../pipeline/service.ts';
import { isAsked } from './batch-progress.ts';
import type { Http, Variables } from './http.ts';

const require = createRequire(import.meta.url);
const packageFile = require.resolve('swagger-ui-dist/package.json');
/** The viewer's files that the page needs. They are looked up by name, so that a request never becomes a path. */
const VIEWER: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
]);

/** `v` is the viewer's version, so that its files may be cached for good. Addresses are relative, for services behind a path prefix. */
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

/**
 * `validatorUrl: null`: nothing is sent to an outside validator. The link's token is in the fragment, which browsers send to nobody; the page removes it from
 * the address and keeps the key that it was exchanged for until its tab is closed.
 */
const START = `window.addEventListener('load', async () => {
  const token = location.hash.match(/^#key=([\\w-]+)$/)?.[1];
  if (token) {
    history.replaceState(null, '', location.pathname + location.search);
    const answer = await fetch('docs/sandbox.json', { headers: { Authorization: token } });
    if (answer.status === 200) sessionStorage.setItem('confam-sandbox', await answer.text());
  }
  const known = JSON.parse(sessionStorage.getItem('confam-sandbox'));
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

/** The viewer draws icons from data URIs; scripts and styles come from files only. */
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
const HEADERS = { 'Content-Security-Policy': POLICY, 'Referrer-Policy': 'no-referrer' };
const ASK_AGAIN = 'no-cache';
const FOR_GOOD = 'public, max-age=31536000, immutable';

/** How long the link stays valid. */
const LINK_MS = 3_600_000;

export interface Docs {
  routes: Hono<{ Variables: Variables }>;
  /** Writes `/openapi.json` in a thread. Without this the first request waits for it. */
  prepare(): void;
  /** Path of `/docs` that fills in the demo app's test key for whoever opens it first. A later link replaces it. */
  link(): string;
}

export function openDocs({ config, log }: Service): Docs {
  let written: Promise<string> | null = null;
  /** Written once; after a failure the next call tries again. */
  const document = (): Promise<string> => {
    written ??= writeDocument().catch((error: unknown) => {
      written = null;
      throw error;
    });
    return written;
  };
  let offered: { token: string; until: number } | null = null;
  const version = readFile(packageFile, 'utf8').then((text) => (JSON.parse(text) as { version: string }).version);

  const routes = new Hono<{ Variables: Variables }>()
    .get('/', (c) => c.redirect('docs', 302))
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

  /** 204 if there is no key to give: an error status would show up in the browser's console. */
  function sendDemoKey(c: Http): Response {
    const isOffered =
      offered !== null && performance.now() < offered.until && sameSecret(c.req.header('authorization') ?? '', offered.token);
    const known = isOffered ? readDemoKey(config) : null;
    if (known === null) return c.body(null, 204, HEADERS);
    offered = null;
    return c.json(known, 200, HEADERS);
  }

  return {
    routes,
    prepare: () => void document().catch((error: unknown) => log.warn({ err: error }, 'openapi.json could not be written yet')),
    link() {
      const token = randomBytes(24).toString('base64url');
      offered = { token, until: performance.now() + LINK_MS };
      return `/docs#key=${token}`;
    },
  };
}

/** In a thread, so that no other request waits. */
async function writeDocument(): Promise<string> {
  const thread = openThreads<null, string>(import.meta.url, './openapi/document-thread', { threads: 1 });
  try {
    return await thread.run(null);
  } finally {
    await thread.destroy();
  }
}

function send(c: Http, content: string | Uint8Array<ArrayBuffer>, type: string, caching: string): Response {
  const tag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
  const headers = { ...HEADERS, ETag: tag, 'Cache-Control': caching };
  return isAsked(c, tag) ? c.body(null, 304, headers) : c.body(content, 200, { ...headers, 'Content-Type': type });
}

const noFile = (): ApiError => new ApiError('resource_not_found', 'There is no such path');
