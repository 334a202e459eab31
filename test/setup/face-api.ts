/** The API of a service where some process serves face checks, so that batches with images are accepted; no worker runs them. */

import { createKey } from '../../src/access/keys.ts';
import { openApi } from '../../src/api/app.ts';
import { openHealth } from '../../src/api/health.ts';
import { listen } from '../../src/api/server.ts';
import type { Provider } from '../../src/checks/provider.ts';
import { showId } from '../../src/foundation/ids.ts';
import type { Service } from '../../src/pipeline/service.ts';
import { createSandbox } from '../../src/sandbox/provider.ts';
import { type Client, openClient } from './api.ts';
import { createDatabase } from './database.ts';
import { makeOwner, openBench } from './work.ts';

const faces: Provider = { ...createSandbox({ name: 'faces' }), serves: { face: 1 }, lookup: async () => ({ found: false }) };

export interface FaceApi {
  service: Service;
  port: number;
  createApp(): Promise<Client>;
  stop(): Promise<void>;
}

export async function startFaceApi(extra: Record<string, string> = {}): Promise<FaceApi> {
  const database = await createDatabase();
  const { service } = await openBench(database, {
    extra: { CONFAM_FACE_MODELS: '/nowhere', ...extra },
    providers: [createSandbox(), faces],
  });
  const api = await openApi(service, { phase: () => 'ready', health: openHealth(service, null), metrics: async () => [] });
  const http = await listen(api, { HOST: '127.0.0.1', PORT: 0 });
  return {
    service,
    port: http.port,
    async createApp() {
      const { appId } = await makeOwner(service);
      const { key } = (await createKey(service, 'test', appId))!;
      return openClient(`http://127.0.0.1:${http.port}`, showId('app', appId), key);
    },
    async stop() {
      await http.close(1_000);
      await api.close();
      await service.close();
      await database.drop();
    },
  };
}
