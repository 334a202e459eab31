/** The owner of a request: an app in one of its two modes, with its settings, prices and caps. */

import type { Submitter } from '../contract/created-by.ts';
import type { KeyTerms } from '../contract/keys.ts';
import type { AppSettings } from '../schema/apps.ts';
import type { Role } from './roles.ts';

export interface Owner {
  appId: string;
  live: boolean;
  settings: AppSettings;
  /** The key that the request came with. */
  keyId?: string;
  keyDailyCapKobo?: number | null;
  /** The person that the request came from. */
  personId?: string;
  /** What that person is in the app. */
  role?: Role;
  /** What that key may do. Undefined if no key is involved: then nothing is restricted. */
  terms?: KeyTerms;
  /** Agreed prices; the price list covers the rest. */
  prices?: AgreedPrices | null;
  /** Whether it has portraits of its own in the sandbox. */
  hasPortraits?: boolean;
}

/** An app in one of its modes. */
export type AppMode = Pick<Owner, 'appId' | 'live'>;

/** Whoever asks for something about a person: an app in one of its modes, and the key or the person. */
export type Asking = AppMode & Partial<Submitter>;

export interface Price {
  priceKobo: number;
  /** Price of a cached answer; never more than the price. */
  cachedPriceKobo: number;
}

/** By check id. */
export type AgreedPrices = Readonly<Record<string, Price & { validUntil: string | null }>>;
