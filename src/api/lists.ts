/** The operator's view of the watch lists for live keys: the state of each and its earlier versions. */
import { Hono } from 'hono';
import type { z } from 'zod';
import { configureLists } from '../aml/definitions.ts';
import { listVersions, readStatus, showStatus, showVersion } from '../aml/status.ts';
import type { listsAnswer, listVersionsAnswer } from '../contract/lists.ts';
import { pageQuery } from '../contract/queries.ts';
import { ApiError } from '../foundation/errors.ts';
import type { Service } from '../pipeline/service.ts';
import type { Authentication } from './authenticate.ts';
import { checked, envelope, type Variables } from './http.ts';
import { refusedCursor } from './query.ts';

export function listRoutes(service: Service, authentication: Authentication) {
  const definitions = configureLists(service.config);
  return new Hono<{ Variables: Variables }>()
    .get('/api/v1/admin/lists', authentication.admin, async (c) => {
      const data = (await readStatus(service, definitions)).map(showStatus);
      return envelope<z.infer<typeof listsAnswer>>(c, { object: 'list', data });
    })
    .get('/api/v1/admin/lists/:list/versions', authentication.admin, async (c) => {
      const list = c.req.param('list');
      if (!definitions.some((definition) => definition.list === list)) throw new ApiError('resource_not_found', 'There is no such list');
      const { cursor = null, limit } = checked(pageQuery, c.req.query());
      const page = await listVersions(service, list, { cursor, limit });
      if (!page) throw refusedCursor();
      return envelope<z.infer<typeof listVersionsAnswer>>(c, {
        object: 'list',
        data: page.versions.map(showVersion),
        has_more: page.nextCursor !== null,
        next_cursor: page.nextCursor,
      });
    });
}
