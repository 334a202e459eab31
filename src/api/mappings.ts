/** Saved mappings: which column is which input, for files with the same column names. A submission with a mapping saves it; previews find it again. */

import { mappable } from '../batches/columns.ts';
import { deleteMapping, listMappings, putMapping, readMapping } from '../batches/saved-mappings.ts';
import { checks as allChecks, askedCheck } from '../checks/catalog.ts';
import type { Check } from '../checks/check.ts';
import { mappingBody, showSavedMapping } from '../contract/mappings.ts';
import { pageQuery } from '../contract/queries.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId } from '../foundation/ids.ts';
import { authorOf } from './audited.ts';
import { callerOf, envelope } from './http.ts';
import { answer } from './openapi/operation.ts';
import { objectOf, pageOf, refTo } from './openapi/schema.ts';
import { page, refusedCursor } from './pages.ts';
import { route } from './route.ts';

const MAPPINGS = '/api/v1/mappings';
const common = { tag: 'batches', who: 'app', scope: 'batches:write' } as const;

function idOf({ id }: { id: string }): string {
  const found = parseId('map', id);
  if (found === null) throw unknown();
  return found;
}

/** A submission would refuse such an input. */
function refuseUnknown(keys: readonly string[], checks: readonly Check[]): void {
  const isKey = mappable(checks);
  const details = keys
    .filter((key) => !isKey(key))
    .map((key) => ({ path: `mapping.${key}`, message: 'is not an input of these checks', rule: 'unknown_field' }));
  if (details.length === 0) return;
  throw new ApiError('invalid_request', details.map(({ path, message }) => `${path} ${message}`).join('; '), { details });
}

const unknown = () => new ApiError('resource_not_found', 'There is no such mapping');

export const mappingRoutes = [
  route({
    ...common,
    method: 'get',
    path: MAPPINGS,
    id: 'listMappings',
    audit: { none: 'names of columns, of nobody' },
    summary: 'Saved mappings, most recently used first',
    query: pageQuery,
    answers: { 200: answer('A page', pageOf(refTo('Mapping'))) },
    async handle(c, { service, query: { limit, cursor = null } }) {
      const found = await listMappings(service, callerOf(c).appId, { cursor, limit });
      if (!found) throw refusedCursor();
      return envelope(c, page(found.mappings.map(showSavedMapping), found.nextCursor));
    },
  }),
  route({
    ...common,
    method: 'put',
    path: `${MAPPINGS}/:id`,
    id: 'saveMapping',
    audit: { change: 'mapping.save' },
    summary: 'Save the mapping for files with the column names of a preview; `id` is its `fingerprint`',
    body: { schema: mappingBody, example: { mapping: { nin: 'National ID' }, checks: ['nin_basic'] } },
    answers: { 200: answer('The mapping', refTo('Mapping')) },
    async handle(c, { service, params, body }) {
      const id = idOf(params);
      const { appId } = callerOf(c);
      const checks = body.checks.map((check) => askedCheck(check, 'checks'));
      refuseUnknown(Object.keys(body.mapping), checks.length > 0 ? checks : allChecks);
      await putMapping(service, appId, id, body, authorOf(c));
      return envelope(c, showSavedMapping((await readMapping(service, appId, id))!));
    },
  }),
  route({
    ...common,
    method: 'delete',
    path: `${MAPPINGS}/:id`,
    id: 'deleteMapping',
    audit: { change: 'mapping.delete' },
    summary: 'Forget a mapping',
    answers: { 200: answer('Forgotten', objectOf({ id: { type: 'string' }, object: { const: 'mapping' }, deleted: { const: true } })) },
    async handle(c, { service, params }) {
      if (!(await deleteMapping(service, callerOf(c).appId, idOf(params), authorOf(c)))) throw unknown();
      return envelope(c, { id: params.id, object: 'mapping', deleted: true });
    },
  }),
];
