/** The routes of the documentation: `/openapi.json`, the pages, their Markdown, the search, and the list for language models. */
import { z } from 'zod';
import { ApiError } from '../../foundation/errors.ts';
import type { Http } from '../http.ts';
import { file } from '../openapi/operation.ts';
import { lenientRoute, route } from '../route.ts';
import { assetFiles, assets } from './assets.ts';
import { foundOf, homeOf, pageOf } from './page.ts';
import { search } from './search.ts';
import { ASK_AGAIN, FOR_GOOD, HTML, send } from './send.ts';
import type { Site } from './site.ts';

const MARKDOWN = 'text/markdown; charset=utf-8';
const QUESTION_LENGTH_MAX = 200;

const common = { tag: 'operations', method: 'get', who: 'anyone', audit: { none: 'public' } } as const;

const aPage = {
  200: file('The page, its Markdown (`.md`), or a picture', 'text/html', 'text/markdown', 'image/png'),
  304: { description: 'Unchanged' },
};

export const docsRoutes = [
  lenientRoute({ method: 'get', path: '/', who: 'anyone', audit: { none: 'public' }, handle: (c) => c.redirect('docs', 302) }),
  // Somebody who types the address; every other path has no slash at its end.
  lenientRoute({ method: 'get', path: '/docs/', who: 'anyone', audit: { none: 'public' }, handle: (c) => c.redirect('../docs', 302) }),
  route({
    ...common,
    path: '/openapi.json',
    id: 'readDocument',
    summary: 'This document',
    answers: {
      200: { description: 'OpenAPI 3.1', content: { 'application/json': { schema: { type: 'object' } } } },
      304: { description: 'Unchanged' },
    },
    handle: async (c, { docs }) => send(c, await docs.document(), 'application/json; charset=utf-8', ASK_AGAIN),
  }),
  route({
    ...common,
    path: '/docs',
    id: 'browse',
    summary: 'The documentation',
    answers: { 200: file('A page', 'text/html'), 304: { description: 'Unchanged' } },
    handle: async (c, { docs }) => send(c, homeOf(await docs.site(), assets, 'docs/'), HTML, ASK_AGAIN),
  }),
  route({
    ...common,
    path: '/docs/search',
    id: 'searchDocumentation',
    summary: 'Sections of the documentation that have all of the words',
    query: z.strictObject({
      q: z
        .string()
        .max(QUESTION_LENGTH_MAX)
        .default('')
        .meta({ description: 'One or more words, or their beginnings', example: 'webhook signature' }),
    }),
    answers: { 200: file('A page', 'text/html') },
    async handle(c, { docs, query: { q } }) {
      const site = await docs.site();
      return send(c, foundOf(site, assets, q, search(site, q)), HTML, ASK_AGAIN);
    },
  }),
  route({
    ...common,
    path: '/docs/:page',
    id: 'readPage',
    summary: 'A page of the documentation',
    answers: aPage,
    handle: async (c, { docs, params }) => answer(c, await docs.site(), params.page),
  }),
  route({
    ...common,
    path: '/docs/:folder/:page',
    id: 'readPageInFolder',
    summary: 'A page of the documentation in a folder',
    answers: aPage,
    handle: async (c, { docs, params: { folder, page } }) => answer(c, await docs.site(), `${folder}/${page}`),
  }),
  route({
    ...common,
    path: '/llms.txt',
    id: 'readPagesForModels',
    summary: 'The pages of the documentation for language models (llmstxt.org)',
    answers: { 200: file('Markdown', 'text/plain'), 304: { description: 'Unchanged' } },
    handle: async (c, { docs }) => send(c, listForModels(await docs.site()), 'text/plain; charset=utf-8', ASK_AGAIN),
  }),
];

function answer(c: Http, site: Site, name: string): Response {
  const asset = assetFiles.get(name);
  if (asset) return send(c, asset.content, asset.type, FOR_GOOD);
  const picture = name.endsWith('.png') ? site.picture(name) : null;
  if (picture) return send(c, picture, 'image/png', ASK_AGAIN);
  const isSource = name.endsWith('.md');
  const page = site.page(isSource ? name.slice(0, -3) : name);
  if (page === null) throw new ApiError('resource_not_found', 'There is no such page');
  return isSource ? send(c, page.source, MARKDOWN, ASK_AGAIN) : send(c, pageOf(site, assets, page), HTML, ASK_AGAIN);
}

/** Addresses are relative, for services behind a path prefix. */
function listForModels(site: Site): string {
  const groups = site.groups.map(({ title, pages }) => {
    const lines = pages
      .flatMap((name) => site.page(name) ?? [])
      .map(({ name, title: label, summary }) => `- [${label}](docs/${name}.md): ${summary}`);
    return `## ${title === 'Decisions' ? 'Optional' : title}\n\n${lines.join('\n')}`;
  });
  return `# Confam

> A self-hosted service that verifies Nigerian identities, companies and risk signals (NIN, BVN, CAC, TIN, credit, email, AML screening, face match), one at a time or a million rows at a
> time. Every route is in [openapi.json](openapi.json).

${groups.join('\n\n')}
`;
}
