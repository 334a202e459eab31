/** The registries of the sandbox by record kind. A new kind adds one line here. */
import type { RecordKind } from '../checks/provider.ts';
import { crcRegistry, creditRegistryRegistry, firstCentralRegistry } from './bureaus.ts';
import { cacRegistry } from './companies.ts';
import { addressRegistry, licenceRegistry, passportRegistry, phoneRegistry, voterRegistry } from './documents.ts';
import { bvnRegistry, ninRegistry } from './records.ts';
import type { Registry } from './registry.ts';
import { tinRegistry } from './taxpayers.ts';

export const registries: Partial<Record<RecordKind, Registry>> = {
  nin: ninRegistry,
  bvn: bvnRegistry,
  cac: cacRegistry,
  tin: tinRegistry,
  drivers_license: licenceRegistry,
  passport: passportRegistry,
  voter_card: voterRegistry,
  phone: phoneRegistry,
  address: addressRegistry,
  credit_crc: crcRegistry,
  credit_first_central: firstCentralRegistry,
  credit_registry: creditRegistryRegistry,
};
