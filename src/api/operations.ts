/** For load balancers and monitoring: alive, ready, metrics. */
import { Hono } from 'hono';
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client';
import type { Service } from '../service.ts';
import type { Variables } from './http.ts';

export type MetricsJson = MetricObjectWithValues<MetricValue<string>>[];

export interface ProcessState {
  /** `starting` until everything that a client needs is there. */
  phase(): 'starting' | 'ready' | 'draining';
  /** Of this process and of one that works for it. */
  metrics(): Promise<MetricsJson[]>;
}

export function operationRoutes(service: Service, state: ProcessState) {
  return new Hono<{ Variables: Variables }>()
    .get('/healthz', (c) => c.json({ status: 'ok' }))
    .get('/readyz', async (c) => {
      const phase = state.phase();
      if (phase !== 'ready') return c.json({ status: phase }, 503);
      try {
        await service.sql`select 1`;
        return c.json({ status: 'ready', queue: service.queues.name });
      } catch {
        return c.json({ status: 'database unreachable' }, 503);
      }
    })
    .get('/metrics', async (c) => {
      const together = AggregatorRegistry.aggregate(await state.metrics());
      return c.text(await together.metrics(), 200, { 'Content-Type': service.metrics.registry.contentType });
    });
}
