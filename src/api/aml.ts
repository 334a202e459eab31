/** Clearances of hits, and monitors. Screenings themselves are a check (`checks.ts`). */
import { Hono } from 'hono';
import type { z } from 'zod';
import { createClearance, isLapsed, listClearances, openNote, revokeClearance } from '../aml/clearing.ts';
import { endMonitor, listMonitors, readMonitor } from '../aml/monitors.ts';
import { type ClearanceRow, clearanceBody, clearancePage, showClearance } from '../contract/clearances.ts';
import type { monitorAnswer, monitorWithMatches } from '../contract/monitors.ts';
import { monitorPage } from '../contract/monitors.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId } from '../foundation/ids.ts';
import type { Service } from '../pipeline/service.ts';
import type { Authentication } from './authenticate.ts';
import { callerOf, checked, envelope, jsonBody, type Variables } from './http.ts';
import { idCursor, pageOf } from './query.ts';

const CLEARANCES = '/api/v1/aml/clearances';
const MONITORS = '/api/v1/aml/monitors';

const unknown = (what: string) => new ApiError('resource_not_found', `There is no such ${what}`);

export function amlRoutes(service: Service, authentication: Authentication) {
  const show = async (row: ClearanceRow) =>
    showClearance(row, openNote(service.cipher, row), await isLapsed(service, service.digestOf, row));

  return new Hono<{ Variables: Variables }>()
    .post(CLEARANCES, authentication.app, async (c) => {
      const made = await createClearance(service, service.digestOf, callerOf(c), await jsonBody(c, clearanceBody));
      return envelope(c, await show(made), 201);
    })
    .get(CLEARANCES, authentication.app, async (c) => {
      const { limit, cursor, list, source_id } = checked(clearancePage, c.req.query());
      const filter = { before: idCursor('clr', cursor), limit: limit + 1, list: list ?? null, sourceId: source_id ?? null };
      const clearances = await listClearances(service, callerOf(c), filter);
      return envelope(c, pageOf(await Promise.all(clearances.map(show)), limit));
    })
    .delete(`${CLEARANCES}/:id`, authentication.app, async (c) => {
      const id = parseId('clr', c.req.param('id'));
      if (id === null || !(await revokeClearance(service, callerOf(c), id))) throw unknown('clearance');
      return envelope(c, { id: c.req.param('id'), object: 'aml_clearance', revoked: true });
    })
    .get(MONITORS, authentication.app, async (c) => {
      const { limit, cursor, job } = checked(monitorPage, c.req.query());
      const filter = { before: idCursor('mon', cursor), limit: limit + 1, jobId: job === undefined ? undefined : parseId('job', job) };
      return envelope(c, pageOf(await listMonitors(service, callerOf(c), filter), limit));
    })
    .get(`${MONITORS}/:id`, authentication.app, async (c) => {
      const id = parseId('mon', c.req.param('id'));
      const monitor = id === null ? null : await readMonitor(service, callerOf(c), id);
      if (!monitor) throw unknown('monitor');
      return envelope<z.infer<typeof monitorWithMatches>>(c, monitor);
    })
    .delete(`${MONITORS}/:id`, authentication.app, async (c) => {
      const id = parseId('mon', c.req.param('id'));
      const monitor = id === null ? null : await endMonitor(service, callerOf(c), id);
      if (!monitor) throw unknown('monitor');
      return envelope<z.infer<typeof monitorAnswer>>(c, monitor);
    });
}
