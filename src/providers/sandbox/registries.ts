/** The registries of the sandbox by the kind of record that they hold. A new kind adds one line here. */
import type { RecordKind } from '../provider.ts';
import { crcRegistry, creditRegistryRegistry, firstCentralRegistry } from './bureaus.ts';
import { bvnRegistry, ninRegistry } from './records.ts';
import type { Registry } from './registry.ts';

export const registries: Partial<Record<RecordKind, Registry>> = {
  nin: ninRegistry,
  bvn: bvnRegistry,
  credit_crc: crcRegistry,
  credit_first_central: firstCentralRegistry,
  credit_registry: creditRegistryRegistry,
};
