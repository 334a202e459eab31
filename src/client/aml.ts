/** Screening: monitors, clearances of hits, and watch lists. */
import type { z } from 'zod';
import type { clearanceAnswer, clearanceBody, clearancePage } from '../contract/clearances.ts';
import type { currentListAnswer } from '../contract/lists.ts';
import type { monitorAnswer, monitorPage, monitorWithMatches } from '../contract/monitors.ts';
import { at } from './paths.ts';
import type { ListQuery, Page, Transport } from './transport.ts';

export type Clearance = z.infer<typeof clearanceAnswer>;
export type CurrentList = z.infer<typeof currentListAnswer>;
export type Monitor = z.infer<typeof monitorAnswer>;
export type MonitorDetail = z.infer<typeof monitorWithMatches>;

type MonitorsQuery = ListQuery<z.input<typeof monitorPage>>;
type ClearancesQuery = ListQuery<z.input<typeof clearancePage>>;

const MONITORS = 'api/v1/aml/monitors';
const CLEARANCES = 'api/v1/aml/clearances';

export const amlCalls = ({ send, items }: Transport) => ({
  monitors: (query: MonitorsQuery = {}, signal?: AbortSignal) => send<Page<Monitor>>('GET', MONITORS, { query, signal }),
  allMonitors: (query: MonitorsQuery = {}, signal?: AbortSignal) => items<Monitor>(MONITORS, query, signal),
  monitor: (id: string, signal?: AbortSignal) => send<MonitorDetail>('GET', at(MONITORS, id), { signal }),
  endMonitor: (id: string) => send<Monitor>('DELETE', at(MONITORS, id)),
  lists: (signal?: AbortSignal) => send<{ data: CurrentList[] }>('GET', 'api/v1/aml/lists', { signal }),
  clearances: (query: ClearancesQuery = {}, signal?: AbortSignal) => send<Page<Clearance>>('GET', CLEARANCES, { query, signal }),
  allClearances: (query: ClearancesQuery = {}, signal?: AbortSignal) => items<Clearance>(CLEARANCES, query, signal),
  /** A hit of a job: the listed person is somebody else. */
  clear: (body: z.input<typeof clearanceBody>) => send<Clearance>('POST', CLEARANCES, { body }),
  revokeClearance: (id: string) => send<unknown>('DELETE', at(CLEARANCES, id)),
});
