/** Who asks: an app in one of its two modes, with the settings, prices and caps that hold for it. */
import type { AppSettings } from '../schema/apps.ts';

export interface Owner {
  appId: string;
  live: boolean;
  settings: AppSettings;
  /** The key that it calls with. */
  keyId?: string;
  keyDailyCapKobo?: number | null;
  /** Agreed with it; the price list holds for the rest. */
  prices?: AgreedPrices | null;
  /** It has portraits of its own in the sandbox. */
  hasPortraits?: boolean;
}

export interface Price {
  priceKobo: number;
  /** Of an answer from the cache; never more than the price. */
  cachedPriceKobo: number;
}

/** By check id. */
export type AgreedPrices = Readonly<Record<string, Price & { validUntil: string | null }>>;
