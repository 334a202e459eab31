/**
 * Bull Board, the viewer of BullMQ's queues, without its server: its answers and files are handed out by the routes of `queue-routes.ts`. Only what it answers to
 * GET is kept, so that nothing can be changed by it. It is loaded at the first look, and its connections close a minute after the last.
 */
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import type { AppControllerRoute, BullBoardQueues, IServerAdapter, UIConfig } from '@bull-board/api/typings/app';
import { families } from '../../checks/catalog.ts';
import { LISTS_QUEUE, type SeenQueues, WEBHOOK_QUEUE } from '../../foundation/queue.ts';
import type { Service } from '../../pipeline/service.ts';

export interface QueueBoard {
  /** The page. `base`: its absolute path, with a slash at the end. */
  page(base: string): Promise<string>;
  /** A file below `static/`; null: there is none. */
  file(path: string): Promise<{ type: string; bytes: Uint8Array<ArrayBuffer> } | null>;
  /** What the page asks for below `api/`; null: there is no such thing. */
  answer(path: string, query: Record<string, string>): Promise<{ status: number; body: unknown } | null>;
  close(): Promise<void>;
}

const KEPT_MS = 60_000;

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
};

/** None of its links leads out of the console, and it polls every five seconds. */
const LOOK: UIConfig = { boardTitle: 'Confam: queues', hideDocsLink: true, pollingInterval: { showSetting: true } };

interface Collected {
  routes: AppControllerRoute[];
  queues: BullBoardQueues;
  config: UIConfig;
}

export function openQueueBoard({ queues: backend }: Pick<Service, 'queues'>): QueueBoard {
  let seen: SeenQueues | null = null;
  let board: Promise<Collected> | null = null;
  let leave: NodeJS.Timeout | undefined;

  async function close(): Promise<void> {
    clearTimeout(leave);
    const closing = seen;
    [seen, board] = [null, null];
    await closing?.close();
  }

  async function load(): Promise<Collected> {
    const [{ createBullBoard }, { BullMQAdapter }] = await Promise.all([
      import('@bull-board/api'),
      import('@bull-board/api/bullMQAdapter'),
    ]);
    seen = backend.see([...families, WEBHOOK_QUEUE, LISTS_QUEUE]);
    const adapters = seen.queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true }));
    const collector = new Collector();
    createBullBoard({ queues: adapters, serverAdapter: collector, options: { uiConfig: LOOK, uiBasePath: uiFolder() } });
    return collector.collected;
  }

  const opened = (): Promise<Collected> => {
    clearTimeout(leave);
    leave = setTimeout(() => void close(), KEPT_MS).unref();
    board ??= load().catch((error: unknown) => {
      board = null;
      throw error;
    });
    return board;
  };

  return {
    page: async (base) => pageOf(base, (await opened()).config, await readFile(join(uiFolder(), 'dist/index.ejs'), 'utf8')),
    async file(path) {
      if (!filesOf(uiFolder()).has(path)) return null;
      return {
        type: TYPES[extname(path)] ?? 'application/octet-stream',
        bytes: new Uint8Array(await readFile(join(uiFolder(), 'dist/static', path))),
      };
    },
    async answer(path, query) {
      const { routes, queues, config } = await opened();
      for (const { route, handler } of routes) {
        const params = match(String(route), `/api/${path}`);
        if (!params) continue;
        const { status = 200, body } = await handler({ queues, uiConfig: config, params, query, body: {}, headers: {} });
        return { status, body: withoutReasons(body) };
      }
      return null;
    },
    close,
  };
}

/** What Bull Board would set up on a server. */
class Collector implements IServerAdapter {
  readonly collected: Collected = { routes: [], queues: new Map(), config: {} };
  setQueues(queues: BullBoardQueues): this {
    this.collected.queues = queues;
    return this;
  }
  setApiRoutes(routes: AppControllerRoute[]): this {
    this.collected.routes = routes.filter(({ method }) => method === 'get');
    return this;
  }
  setUIConfig(config: UIConfig): this {
    this.collected.config = config;
    return this;
  }
  setViewsPath = (): this => this;
  setStaticPath = (): this => this;
  setEntryRoute = (): this => this;
  setErrorHandler = (): this => this;
}

const uiFolder = (): string => dirname(createRequire(import.meta.url).resolve('@bull-board/ui/package.json'));

let known: ReadonlySet<string> | null = null;

/** Reads only files that are listed by name. */
function filesOf(folder: string): ReadonlySet<string> {
  const root = join(folder, 'dist/static');
  known ??= new Set(
    existsSync(root) ? readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/')) : [],
  );
  return known;
}

/** Its own page has styles inline and a typeface of another site, which the content security policy forbids. */
function pageOf(base: string, config: UIConfig, original: string): string {
  const [style] = /static\/css\/[\w.]+\.css/.exec(original) ?? [];
  const scripts = [...original.matchAll(/<script defer src="(static\/js\/[\w.-]+)">/g)].map(([, source]) => source);
  if (style === undefined || scripts.length === 0) throw new Error('the page of @bull-board/ui has another form than expected');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<base href="${base}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Queues · Confam</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
</head>
<body>
<script id="__UI_CONFIG__" type="application/json">${JSON.stringify(config).replaceAll('<', '\\u003c')}</script>
<div id="root"></div>
${scripts.map((source) => `<script defer src="${source}"></script>`).join('\n')}
</body>
</html>
`;
}

/** `/api/queues/:queueName` against `/api/queues/nin` → `{ queueName: 'nin' }`. */
function match(route: string, path: string): Record<string, string> | null {
  const [names, parts] = [route.split('/'), path.split('/')];
  if (names.length !== parts.length) return null;
  const found: Record<string, string> = {};
  for (const [at, name] of names.entries()) {
    if (name.startsWith(':')) found[name.slice(1)] = parts[at]!;
    else if (name !== parts[at]) return null;
  }
  return found;
}

/** An error's message may quote personal data. The log has the error under the ticket's id, without its message. */
const withoutReasons = (body: unknown): unknown =>
  JSON.parse(
    JSON.stringify(body ?? null, (key, value) => (key === 'failedReason' && value ? 'See the log.' : key === 'stacktrace' ? [] : value)),
  );
