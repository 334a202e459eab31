/** The routes of the console: one page for all its addresses, and the files of its bundle. The page takes everything else from the public API. */
import { ApiError } from '../../foundation/errors.ts';
import type { Http } from '../http.ts';
import { lenientRoute } from '../route.ts';
import type { Tools } from '../tools.ts';
import type { ConsoleFile, ConsoleFiles } from './files.ts';

/** Pictures that are shown come from the API as blobs. Uploads and downloads go to the API too. `base-uri`: see `pageOf`. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const FOR_GOOD = 'public, max-age=31536000, immutable';

/** Addresses are relative to the console's own, for services behind a path prefix. `depth`: how far below it the page is. */
function pageOf({ script, style, preload }: ConsoleFiles, depth: number, hasProvider: boolean): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<base href="${'../'.repeat(depth) || './'}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>Confam</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="assets/${style}">
${preload.map((name) => `<link rel="modulepreload" href="assets/${name}">\n`).join('')}<script type="module" src="assets/${script}"></script>
</head>
<body${hasProvider ? ' data-provider' : ''}>
<noscript><p>The console needs JavaScript. The API does everything that the console does.</p></noscript>
</body>
</html>
`;
}

const NOT_BUILT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Confam</title><link rel="icon" href="data:,"></head>
<body>
<h1>The console is not built</h1>
<p>The log of the service says why; <code>npm run build</code> builds it. The API works.</p>
</body>
</html>
`;

function html(c: Http, text: string, status: 200 | 503): Response {
  return c.body(text, status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': POLICY,
  });
}

/** The encodings that the client says it accepts; a weight of 0 refuses one. */
function encoded(c: Http, file: ConsoleFile): Response {
  const accepted = (c.req.header('accept-encoding') ?? '').toLowerCase().split(',');
  const takes = (coding: string) =>
    accepted.some((one) => {
      const [name, weight] = one.split(';').map((part) => part.trim());
      return name === coding && Number(weight?.replace('q=', '') ?? 1) !== 0;
    });
  const coding = takes('br') ? 'br' : takes('gzip') ? 'gzip' : null;
  return c.body(file[coding ?? 'plain'], 200, {
    'Content-Type': file.type,
    'Cache-Control': FOR_GOOD,
    Vary: 'Accept-Encoding',
    ...(coding && { 'Content-Encoding': coding }),
  });
}

const common = { method: 'get', who: 'anyone', audit: { none: 'public' } } as const;

/** The page of an address tells by itself whether there is such a page: the server knows none of their names. */
const page = (path: string, depth: number) =>
  lenientRoute({
    ...common,
    path,
    async handle(c, { consoleFiles, people }: Tools) {
      const files = await consoleFiles.files();
      return files ? html(c, pageOf(files, depth, people.oidc !== null), 200) : html(c, NOT_BUILT, 503);
    },
  });

export const consoleRoutes = [
  lenientRoute({ ...common, path: '/console', handle: (c) => c.redirect('console/', 302) }),
  lenientRoute({
    ...common,
    path: '/console/assets/:file',
    async handle(c, { consoleFiles, params }) {
      const file = (await consoleFiles.files())?.byName.get(params.file);
      if (!file) throw new ApiError('resource_not_found', 'There is no such file');
      return encoded(c, file);
    },
  }),
  page('/console/', 0),
  page('/console/:page', 0),
  page('/console/:page/:id', 1),
  page('/console/:page/:id/:part', 2),
];
