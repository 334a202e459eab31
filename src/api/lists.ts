/** The operator's view of the watch lists for live keys: the state of each and its earlier versions. */
import type { z } from 'zod';
import { listVersions, readStatus, showStatus, showVersion } from '../aml/status.ts';
import { listsAnswer, listVersionsAnswer } from '../contract/lists.ts';
import { pageQuery } from '../contract/queries.ts';
import { ApiError } from '../foundation/errors.ts';
import { envelope, type Http } from './http.ts';
import { answer } from './openapi/operation.ts';
import { schemaOf } from './openapi/schema.ts';
import { page, refusedCursor } from './pages.ts';
import { route } from './route.ts';
import type { Tools } from './tools.ts';

const common = { tag: 'operator', who: 'admin' } as const;

async function findList(c: Http, { lists }: Tools): Promise<string> {
  const list = c.req.param('list') ?? '';
  if (!lists.some((definition) => definition.list === list)) throw new ApiError('resource_not_found', 'There is no such list');
  return list;
}

export const listRoutes = [
  route({
    ...common,
    method: 'get',
    path: '/api/v1/admin/lists',
    id: 'listWatchLists',
    audit: { none: 'shows nobody' },
    summary: 'State of the watch lists for live keys: version, age, counts, refused versions',
    answers: { 200: answer('All lists', schemaOf(listsAnswer, 'output')) },
    async handle(c, { service, lists }) {
      const data = (await readStatus(service, lists)).map(showStatus);
      return envelope<z.infer<typeof listsAnswer>>(c, { object: 'list', data });
    },
  }),
  route({
    ...common,
    method: 'get',
    path: '/api/v1/admin/lists/:list/versions',
    id: 'listWatchListVersions',
    audit: { none: 'shows nobody' },
    summary: 'Every version of a watch list, with what it added, changed and removed',
    find: findList,
    query: pageQuery,
    answers: { 200: answer('Newest first', schemaOf(listVersionsAnswer, 'output')) },
    async handle(c, { service, found: list, query: { cursor = null, limit } }) {
      const read = await listVersions(service, list, { cursor, limit });
      if (!read) throw refusedCursor();
      return envelope<z.infer<typeof listVersionsAnswer>>(c, page(read.versions.map(showVersion), read.nextCursor));
    },
  }),
];
