/** Clearances of hits, and monitors. Screenings themselves are a check (`checks.ts`). */
import type { z } from 'zod';
import type { Owner } from '../access/owner.ts';
import { readSubmitters } from '../access/submitters.ts';
import { createClearance, isLapsed, listClearances, openNote, revokeClearance } from '../aml/clearing.ts';
import { endMonitor, listMonitors, readMonitor } from '../aml/monitors.ts';
import { readStatus, showStatus } from '../aml/status.ts';
import { versionApproved } from '../aml/two-people.ts';
import { readJob } from '../batches/submitted.ts';
import type { ScreeningEntity, ScreeningHit } from '../checks/screening.ts';
import { type ClearanceBody, type ClearanceRow, clearanceBody, clearancePage, showClearance } from '../contract/clearances.ts';
import type { CreatedBy } from '../contract/created-by.ts';
import { isJobOver } from '../contract/jobs.ts';
import type { currentListAnswer } from '../contract/lists.ts';
import type { monitorAnswer, monitorWithMatches } from '../contract/monitors.ts';
import { monitorPage } from '../contract/monitors.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId } from '../foundation/ids.ts';
import { entityOpener, openEntity } from '../jobs/entities.ts';
import { ROW_BYTES } from '../money/usage.ts';
import type { Service } from '../pipeline/service.ts';
import { authorOf } from './audited.ts';
import { callerOf, envelope, invalid } from './http.ts';
import { answer } from './openapi/operation.ts';
import { listOf, objectOf, pageOf, refTo } from './openapi/schema.ts';
import { idCursor, pageById } from './pages.ts';
import { route } from './route.ts';
import { showMonitors } from './shown-monitors.ts';

const CLEARANCES = '/api/v1/aml/clearances';
const MONITORS = '/api/v1/aml/monitors';

const unknown = (what: string) => new ApiError('resource_not_found', `There is no such ${what}`);

const common = { tag: 'aml', who: 'app' } as const;

const show = async (service: Service, row: ClearanceRow) =>
  showClearance(row, openNote(await service.cipher.opener([row.note]), row), await isLapsed(service, service.digestOf, row));

/** The job's hit; undefined if the job has no such hit, or no result. */
async function shownHit(
  service: Service,
  { appId }: Owner,
  { job = '', list, source_id }: ClearanceBody,
): Promise<ScreeningHit | undefined> {
  const id = parseId('job', job);
  const screened = id === null ? null : await readJob(service, service.sql, appId, id);
  if (screened === null || !isJobOver(screened)) return undefined;
  const entity = openEntity(await entityOpener(service.cipher, [screened]), screened) as Partial<ScreeningEntity> | null;
  return entity?.hits?.find((hit) => hit.list === list && hit.source_id === source_id);
}

async function creatorOf(service: Service, owner: Owner): Promise<CreatedBy> {
  const by = { keyId: owner.keyId ?? null, personId: owner.personId ?? null };
  return (await readSubmitters(service, owner, [by]))(by);
}

/** Who decided. A key speaks for somebody; a person only for themselves. Throws `invalid_request` if nobody or somebody else is named. */
function deciderOf(sent: string | undefined, by: CreatedBy): string {
  if (by?.kind !== 'person') {
    if (sent === undefined) throw invalid([{ path: 'cleared_by', message: 'is required with a key', rule: 'required' }]);
    return sent;
  }
  const own = by.name ?? by.id;
  if (sent !== undefined && sent.trim() !== own.trim())
    throw invalid([{ path: 'cleared_by', message: 'must be your own name, or be left out', rule: 'own_name' }]);
  return own;
}

const clearanceRoutes = [
  route({
    ...common,
    method: 'post',
    path: CLEARANCES,
    id: 'createClearance',
    scope: 'reviews',
    audit: { change: 'clearance.create' },
    summary: 'Clear a hit: the listed person is somebody else. It stays cleared until the listing changes',
    description:
      'With the setting `reviews.twoPerson` nobody clears a hit alone, and no key does: two people must first approve the review case of `job`, whose stored result or monitor has the hit (409 until then).',
    body: {
      schema: clearanceBody,
      example: {
        name: 'Gleb Voronetzky',
        date_of_birth: '1984-11-02',
        country: 'RU',
        list: 'ofac_sdn',
        source_id: '9900002',
        reason: 'Born in another year; seen in person',
        cleared_by: 'A. Analyst',
      },
    },
    answers: { 201: answer('The clearance', refTo('Clearance')) },
    errors: ['resource_not_found', 'conflict', 'storage_quota_exceeded'],
    async handle(c, { service, body }) {
      await service.storageQuota.refuseBeyond(service.sql, callerOf(c), ROW_BYTES);
      const owner = callerOf(c);
      const by = await creatorOf(service, owner);
      const cleared_by = deciderOf(body.cleared_by, by);
      const shownVersion = (await shownHit(service, owner, body))?.list_version;
      const list_version = owner.settings.reviews?.twoPerson
        ? await versionApproved(service, service.digestOf, owner, body, shownVersion)
        : (body.list_version ?? shownVersion);
      const made = await createClearance(
        service,
        service.digestOf,
        owner,
        { ...body, cleared_by, list_version },
        { by: authorOf(c), createdBy: by },
      );
      return envelope(c, await show(service, made), 201);
    },
  }),
  route({
    ...common,
    method: 'get',
    path: CLEARANCES,
    id: 'listClearances',
    scope: 'results:read',
    audit: { read: 'clearance.read' },
    reveals: true,
    summary: 'Clearances in force, newest first',
    query: clearancePage,
    answers: { 200: answer('A page', pageOf(refTo('Clearance'))) },
    async handle(c, { service, query: { limit, cursor, list, source_id, job } }) {
      const filter = {
        before: idCursor('clr', cursor),
        limit: limit + 1,
        list: list ?? null,
        sourceId: source_id ?? null,
        jobId: job === undefined ? undefined : parseId('job', job),
      };
      const clearances = await listClearances(service, callerOf(c), filter);
      return envelope(c, pageById(await Promise.all(clearances.map((row) => show(service, row))), limit));
    },
  }),
  route({
    ...common,
    method: 'delete',
    path: `${CLEARANCES}/:id`,
    id: 'revokeClearance',
    scope: 'reviews',
    audit: { change: 'clearance.revoke' },
    summary: 'Revoke a clearance; the hit counts again',
    answers: {
      200: answer('Revoked', objectOf({ id: { type: 'string' }, object: { const: 'aml_clearance' }, revoked: { const: true } })),
    },
    async handle(c, { service, params }) {
      const id = parseId('clr', params.id);
      if (id === null || !(await revokeClearance(service, callerOf(c), id, authorOf(c)))) throw unknown('clearance');
      return envelope(c, { id: params.id, object: 'aml_clearance', revoked: true });
    },
  }),
];

const monitorRoutes = [
  route({
    ...common,
    method: 'get',
    path: MONITORS,
    id: 'listMonitors',
    scope: 'results:read',
    audit: { read: 'monitor.read' },
    reveals: true,
    summary: 'Monitors, newest first, including ended ones unless `active=true`',
    query: monitorPage,
    answers: { 200: answer('A page', pageOf(refTo('Monitor'))) },
    async handle(c, { service, query: { limit, cursor, job, active, with_hits } }) {
      const filter = {
        before: idCursor('mon', cursor),
        limit: limit + 1,
        jobId: job === undefined ? undefined : parseId('job', job),
        isActive: active,
        hasHits: with_hits,
      };
      return envelope(c, pageById(await showMonitors(c, { service }, await listMonitors(service, callerOf(c), filter)), limit));
    },
  }),
  route({
    ...common,
    method: 'get',
    path: `${MONITORS}/:id`,
    id: 'readMonitor',
    scope: 'results:read',
    audit: { read: 'monitor.read' },
    reveals: true,
    summary: 'A monitor with the hits found since it began',
    answers: { 200: answer('The monitor', refTo('MonitorWithMatches')) },
    async handle(c, { service, params }) {
      const id = parseId('mon', params.id);
      const monitor = id === null ? null : await readMonitor(service, callerOf(c), id);
      if (!monitor) throw unknown('monitor');
      const [shown] = await showMonitors(c, { service }, [monitor]);
      return envelope<z.infer<typeof monitorWithMatches>>(c, shown!);
    },
  }),
  route({
    ...common,
    method: 'delete',
    path: `${MONITORS}/:id`,
    id: 'endMonitor',
    scope: 'reviews',
    audit: { change: 'monitor.end' },
    summary: 'End a monitor; the submitted details of the person are deleted',
    answers: { 200: answer('The monitor, ended', refTo('Monitor')) },
    async handle(c, { service, params }) {
      const id = parseId('mon', params.id);
      const monitor = id === null ? null : await endMonitor(service, callerOf(c), id, authorOf(c));
      if (!monitor) throw unknown('monitor');
      return envelope<z.infer<typeof monitorAnswer>>(c, monitor);
    },
  }),
];

const listRoutes = [
  route({
    ...common,
    method: 'get',
    path: '/api/v1/aml/lists',
    id: 'listCurrentLists',
    scope: 'results:read',
    audit: { none: 'shows nobody' },
    summary: 'The watch lists that live keys are screened against: version in force, size, when it was last confirmed',
    answers: { 200: answer('All lists', listOf(refTo('CurrentList'))) },
    async handle(c, { service, lists }) {
      const data = (await readStatus(service, lists)).map((status): z.infer<typeof currentListAnswer> => {
        const { list, title, publisher, category, state, checked_at, version } = showStatus(status);
        return {
          object: 'watch_list',
          list,
          title,
          publisher,
          category,
          state,
          checked_at,
          version: version && {
            id: version.id,
            label: version.label,
            published_on: version.published_on,
            loaded_at: version.loaded_at,
            entries: version.entries,
          },
        };
      });
      return envelope(c, { object: 'list', data });
    },
  }),
];

export const amlRoutes = [...clearanceRoutes, ...monitorRoutes, ...listRoutes];
