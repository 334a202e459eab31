/** Keys for tests without a database. */
import type { Context } from '../../src/foundation/context.ts';
import { openDeploymentKeys } from '../../src/foundation/crypto.ts';
import { openIndexer } from '../../src/foundation/index-keys.ts';
import { type DeploymentKeys, openWrapping } from '../../src/foundation/wrapping.ts';

/** Seals and opens by the deployment's key alone. */
export const openDirectly = (keys: string, indexKey: string) => ({ ...openDeploymentKeys(keys), ...openIndexer(indexKey) });

export function openTestKeys(keys: string, indexKey: string): DeploymentKeys {
  const own = openDeploymentKeys(keys);
  return { wrapping: openWrapping(own, null), direct: own, indexer: openIndexer(indexKey) };
}

/** Seals what is stored as earlier releases did, without a data key. */
export const sealedEarlier = ({ config }: Pick<Context, 'config'>) => openDirectly(config.CONFAM_KEYS!, config.CONFAM_INDEX_KEY!);
