/** The single calls: one path a check, as the catalog declares them. */
import { Hono } from 'hono';
import { answerCall } from '../call.ts';
import { checks } from '../checks/catalog.ts';
import { naira } from '../contract.ts';
import type { Service } from '../service.ts';
import type { Authentication } from './authenticate.ts';
import { callerOf, type Variables } from './http.ts';

export function checkRoutes(service: Service, authentication: Authentication) {
  const routes = new Hono<{ Variables: Variables }>();
  for (const check of checks) {
    routes.get(check.route.path, authentication.app, async (c) => {
      const answer = await answerCall(service, callerOf(c), check, c.req.query());
      return c.json({
        status: 'success',
        entity: answer.entity,
        billed_amount: naira(answer.billedKobo),
        cached: answer.cached,
        meta: { request_id: c.get('requestId'), service: check.service, latency_ms: answer.latencyMs },
      });
    });
  }
  return routes;
}
