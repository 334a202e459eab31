/** Apps that are told what a rescreening finds, and what they were told. */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { bySystem } from '../../src/access/audit/append.ts';
import type { Owner } from '../../src/access/owner.ts';
import { openEventData } from '../../src/contract/about.ts';
import { endpointBody } from '../../src/contract/webhooks.ts';
import type { Service } from '../../src/pipeline/service.ts';
import { createEndpoint } from '../../src/webhooks/endpoints.ts';
import { asOwner, type TestDatabase, useDatabase } from './database.ts';
import { makeOwner, openBench } from './work.ts';

/** A service over a database of the file's own. Each test has its lists and people to itself. */
export function useRescreening(): { database: TestDatabase; service(): Service } {
  const database = useDatabase();
  let service: Service;
  beforeAll(async () => {
    service = (await openBench(database)).service;
  });
  beforeEach(() =>
    asOwner(
      service.databaseUrl,
      (sql) => sql`truncate aml_entries, aml_list_versions, aml_lists, aml_monitors, aml_monitor_hits, aml_rescreens, aml_clearances`,
    ),
  );
  afterAll(() => service.close());
  return { database, service: () => service };
}

/** A live app with a webhook endpoint. */
export async function makeListenerOf(service: Service): Promise<Owner> {
  const owner = { ...(await makeOwner(service, 0)), live: true };
  await createEndpoint(service, owner, endpointBody.parse({ url: 'http://127.0.0.1:9/hook' }), bySystem('test'));
  return owner;
}

export interface Told {
  monitor: string;
  job: string;
  list: string;
  list_version: string;
  hits: number;
  source_ids: string[];
}

export async function toldTo(service: Service, owner: Owner): Promise<Told[]> {
  const events = await service.sql<{ data: Told & Record<string, unknown>; about: Buffer | null }[]>`
    select data, about from events where app_id = ${owner.appId} and live = ${owner.live} and type = 'aml.monitor.hit' order by id`;
  const opener = await service.cipher.opener(events.map(({ about }) => about));
  return events.map((event) => openEventData(opener, event) as unknown as Told);
}

export const rescreensOf = (service: Service) => service.sql<{ versionId: string; screened: number; hits: number; finished: boolean }[]>`
  select version_id, screened, hits, finished_at is not null as finished from aml_rescreens order by created_at`;
