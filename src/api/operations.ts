/** For load balancers and monitoring: liveness, readiness, metrics. */
import { Hono, type MiddlewareHandler } from 'hono';
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client';
import type { Service } from '../pipeline/service.ts';
import type { Health } from './health.ts';
import type { Variables } from './http.ts';

export type MetricsJson = MetricObjectWithValues<MetricValue<string>>[];

export interface ProcessState {
  /** `starting` until everything that clients need is up. */
  phase(): 'starting' | 'ready' | 'draining';
  health: Health;
  /** The metrics of this process and of its companion process. */
  metrics(): Promise<MetricsJson[]>;
}

/** `guard`: who may read the metrics. The separate operations port has none; the operator keeps it private. */
export function operationRoutes(service: Service, state: ProcessState, guard: MiddlewareHandler = everybody) {
  return new Hono<{ Variables: Variables }>()
    .get('/healthz', (c) => {
      const trouble = state.health.alive();
      return trouble ? c.json({ status: trouble }, 503) : c.json({ status: 'ok' });
    })
    .get('/readyz', async (c) => {
      const phase = state.phase();
      if (phase !== 'ready') return c.json({ status: phase }, 503);
      const trouble = await state.health.ready();
      return trouble ? c.json({ status: trouble }, 503) : c.json({ status: 'ready', queue: service.queues.name });
    })
    .get('/metrics', guard, async (c) => {
      const together = AggregatorRegistry.aggregate(await state.metrics());
      return c.text(await together.metrics(), 200, { 'Content-Type': service.metrics.registry.contentType });
    });
}

const everybody: MiddlewareHandler = (_, next) => next();
