/** What wraps data keys, so that the database holds none that can be used: the deployment's own keys (`CONFAM_KEYS`), or a key service (`transit.ts`). */
import { type DirectKeys, KeyFault, type openDeploymentKeys } from './crypto.ts';
import type { Indexer } from './index-keys.ts';

/** A data key as the table `data_keys` holds it. */
export interface WrappedKey {
  id: string;
  wrapped: Buffer;
}

export interface Wrapping {
  /** Binds each key to its id. `by` names the key that wraps, as `current` does. */
  wrap(keys: readonly { id: string; key: Buffer }[]): Promise<{ wrapped: Buffer; by: string }[]>;
  /** In the order given; a key that cannot be unwrapped gives its fault. Throws `KeyFault` if no key can be tried at all. */
  unwrap(keys: readonly WrappedKey[]): Promise<(Buffer | KeyFault)[]>;
  /** Wraps them with the current key. A key service does so without handing out the key. */
  rewrap(keys: readonly WrappedKey[]): Promise<({ wrapped: Buffer; by: string } | KeyFault)[]>;
  /** The key that wraps from now on. A data key that another one has wrapped is due for a rotation. */
  current(): Promise<string>;
}

/** A service that keeps a key and encrypts with it. All throw `KeyFault` if it does not answer. */
export interface KeyService {
  encrypt(plain: readonly Buffer[]): Promise<string[]>;
  decrypt(sealed: readonly string[]): Promise<(Buffer | Refused)[]>;
  /** Encrypts them by the latest version of the key. */
  rewrap(sealed: readonly string[]): Promise<(string | Refused)[]>;
  /** The version that encrypts now, and the one that has encrypted `sealed`. */
  current(): Promise<string>;
  nameOf(sealed: string): string;
}

interface Refused {
  /** The service's reason. */
  refused: string;
}

const KEY_BYTES = 32;

/** The keys that are kept outside the database. */
export interface DeploymentKeys {
  wrapping: Wrapping;
  /** Seals and opens without a data key, as earlier releases did. Null with a key service. */
  direct: DirectKeys | null;
  indexer: Indexer;
}

const PURPOSE = 'data_key';

type OwnKeys = ReturnType<typeof openDeploymentKeys>;

/** First byte of what a key service has wrapped; keys of `CONFAM_KEYS` have ids from 1. */
const BY_SERVICE = 0;

/**
 * Wraps by the key service if there is one, otherwise by `own`; opens what either has wrapped, so that a rotation moves a deployment from one to the other. At least one of
 * the two is given.
 */
export function openWrapping(own: OwnKeys | null, service: KeyService | null): Wrapping {
  const local = own && openLocalWrapping(own);
  const remote = service && openServiceWrapping(service);
  const first = (remote ?? local)!;
  const isRemote = ({ wrapped }: WrappedKey): boolean => wrapped[0] === BY_SERVICE;
  const unwrap: Wrapping['unwrap'] = (keys) =>
    each(keys, isRemote, async (some, byService) => {
      const by = byService ? remote : local;
      if (by) return by.unwrap(some);
      return some.map(({ id, wrapped }) =>
        byService
          ? new KeyFault(`The data key ${id} is wrapped by a key service, and CONFAM_TRANSIT_URL is not set`)
          : new KeyFault(`The data key ${id} is wrapped by key ${wrapped[0]}, and CONFAM_KEYS is not set`),
      );
    });
  return {
    wrap: (keys) => first.wrap(keys),
    current: () => first.current(),
    unwrap,
    rewrap: (keys) =>
      each(keys, isRemote, async (some, byService) => {
        if (byService && remote) return remote.rewrap(some);
        const opened = await unwrap(some);
        const fine = opened.flatMap((key, i) => (key instanceof KeyFault ? [] : [{ id: some[i]!.id, key }]));
        const wrapped = (await first.wrap(fine)).values();
        return opened.map((key) => (key instanceof KeyFault ? key : wrapped.next().value!));
      }),
  };
}

/** Processes the two kinds of `items` separately, and returns the results in the order of `items`. */
async function each<Item, Result>(
  items: readonly Item[],
  isFirst: (item: Item) => boolean,
  work: (some: Item[], first: boolean) => Promise<Result[]>,
): Promise<Result[]> {
  const of = async (first: boolean): Promise<IterableIterator<Result>> => {
    const some = items.filter((item) => isFirst(item) === first);
    return (some.length === 0 ? [] : await work(some, first)).values();
  };
  const [ones, others] = [await of(true), await of(false)];
  return items.map((item) => (isFirst(item) ? ones : others).next().value!);
}

function openServiceWrapping(service: KeyService): Wrapping {
  const stored = (text: string) => ({ wrapped: Buffer.concat([Buffer.of(BY_SERVICE), Buffer.from(text)]), by: service.nameOf(text) });
  const textOf = ({ wrapped }: WrappedKey): string => wrapped.subarray(1).toString();
  return {
    // A service binds nothing to what it encrypts, so the id is encrypted with the key.
    wrap: async (keys) => (await service.encrypt(keys.map(({ id, key }) => Buffer.concat([key, Buffer.from(id)])))).map(stored),
    async unwrap(keys) {
      const opened = await service.decrypt(keys.map(textOf));
      return keys.map(({ id }, i) => {
        const plain = opened[i]!;
        if ('refused' in plain)
          return new KeyFault(`The data key ${id} is not opened by the key service: ${plain.refused}`, {
            otherKey: `CONFAM_TRANSIT_KEY (${plain.refused}): its key`,
          });
        const [key, owner] = [plain.subarray(0, KEY_BYTES), plain.subarray(KEY_BYTES).toString()];
        return owner === id ? key : new KeyFault(`The data key ${id} was altered: it is wrapped for another id`);
      });
    },
    async rewrap(keys) {
      const again = await service.rewrap(keys.map(textOf));
      return keys.map(({ id }, i) => {
        const text = again[i]!;
        return typeof text === 'string'
          ? stored(text)
          : new KeyFault(`The data key ${id} is not opened by the key service: ${text.refused}`);
      });
    },
    current: () => service.current(),
  };
}

function openLocalWrapping(keys: OwnKeys): Wrapping {
  const by = `key:${keys.currentId}`;
  const wrap = ({ id, key }: { id: string; key: Buffer }) => ({ wrapped: keys.seal(key, PURPOSE, id), by });
  function unwrap({ id, wrapped }: WrappedKey): Buffer | KeyFault {
    try {
      return keys.openBytes(wrapped, PURPOSE, id);
    } catch (error) {
      return error instanceof KeyFault
        ? new KeyFault(`The data key ${id} is wrapped by key ${wrapped[0]}, which is not among CONFAM_KEYS`)
        : new KeyFault(`The data key ${id} does not open: it was altered, or CONFAM_KEYS has another key ${wrapped[0]}`, {
            otherKey: `CONFAM_KEYS: its key ${wrapped[0]}`,
          });
    }
  }
  return {
    wrap: async (some) => some.map(wrap),
    unwrap: async (some) => some.map(unwrap),
    rewrap: async (some) =>
      some.map((one) => {
        const key = unwrap(one);
        return key instanceof KeyFault ? key : wrap({ id: one.id, key });
      }),
    current: async () => by,
  };
}
