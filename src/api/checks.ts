/** The single calls: one path a check, as the catalog declares them. */
import { Hono } from 'hono';
import { z } from 'zod';
import { answerCall } from '../call.ts';
import { checks } from '../checks/catalog.ts';
import { naira } from '../contract.ts';
import type { Service } from '../service.ts';
import type { Authentication } from './authenticate.ts';
import { callerOf, jsonBody, type Variables } from './http.ts';

export function checkRoutes(service: Service, authentication: Authentication) {
  const routes = new Hono<{ Variables: Variables }>();
  for (const check of checks) {
    routes.on(check.route.method, check.route.path, authentication.app, async (c) => {
      const raw = check.route.method === 'GET' ? c.req.query() : await jsonBody(c, z.looseObject({}), check.bodyBytesMax ?? undefined);
      const answer = await answerCall(service, callerOf(c), check, raw);
      return c.json({
        status: 'success',
        entity: answer.entity,
        billed_amount: naira(answer.billedKobo),
        cached: answer.cached,
        meta: {
          request_id: c.get('requestId'),
          service: check.service,
          latency_ms: answer.latencyMs,
          ...(check.stage !== null && { stage: check.stage }),
        },
      });
    });
  }
  return routes;
}
