/** `/openapi.json`, and `/docs/reference` to read it and try it out (Swagger UI from its package, without inline scripts). */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ApiError } from '../../foundation/errors.ts';
import { file } from '../openapi/operation.ts';
import { route } from '../route.ts';
import { ASK_AGAIN, FOR_GOOD, policyHeaders, send } from './send.ts';

const require = createRequire(import.meta.url);
const packageFile = require.resolve('swagger-ui-dist/package.json');
/** The viewer's files that the page needs. They are looked up by name, so that a request never becomes a path. */
const VIEWER: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
]);

const { version } = require(packageFile) as { version: string };

/** `v` is the viewer's version, so that its files may be cached for good. Addresses are relative, for services behind a path prefix. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Confam API</title>
<link rel="stylesheet" href="reference/swagger-ui.css?v=${version}">
<link rel="icon" type="image/png" href="reference/favicon-32x32.png?v=${version}">
</head>
<body>
<div id="viewer"></div>
<script src="reference/swagger-ui-bundle.js?v=${version}"></script>
<script src="reference/start.js"></script>
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
    const answer = await fetch('reference/sandbox.json', { headers: { Authorization: token } });
    if (answer.status === 200) sessionStorage.setItem('confam-sandbox', await answer.text());
  }
  const known = JSON.parse(sessionStorage.getItem('confam-sandbox'));
  const viewer = SwaggerUIBundle({
    url: '../openapi.json',
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

const common = { tag: 'operations', method: 'get', who: 'anyone' } as const;

export const referenceRoutes = [
  route({
    ...common,
    path: '/openapi.json',
    id: 'readDocument',
    audit: { none: 'public' },
    summary: 'This document',
    answers: {
      200: { description: 'OpenAPI 3.1', content: { 'application/json': { schema: { type: 'object' } } } },
      304: { description: 'Unchanged' },
    },
    handle: async (c, { docs }) => send(c, await docs.document(), 'application/json; charset=utf-8', ASK_AGAIN),
  }),
  route({
    ...common,
    path: '/docs/reference',
    id: 'browseReference',
    audit: { none: 'public' },
    summary: 'This document, to read and try out',
    answers: { 200: file('A page', 'text/html') },
    handle: (c) => send(c, PAGE, 'text/html; charset=utf-8', ASK_AGAIN),
  }),
  route({
    ...common,
    path: '/docs/reference/:file',
    id: 'readPageFile',
    audit: { none: 'public' },
    summary: 'Scripts and styles of that page',
    answers: { 200: file('The file', 'text/javascript', 'text/css', 'image/png', 'application/json'), 304: { description: 'Unchanged' } },
    async handle(c, { docs, params: { file: name } }) {
      if (name === 'start.js') return send(c, START, 'text/javascript; charset=utf-8', ASK_AGAIN);
      if (name === 'sandbox.json') {
        const known = docs.takeDemoKey(c.req.header('authorization') ?? '');
        // An error status would show up in the browser's console.
        return known === null ? c.body(null, 204, policyHeaders) : c.json(known, 200, policyHeaders);
      }
      const type = VIEWER.get(name);
      if (type === undefined) throw new ApiError('resource_not_found', 'There is no such path');
      return send(c, await readFile(join(dirname(packageFile), name)), type, FOR_GOOD);
    },
  }),
];
