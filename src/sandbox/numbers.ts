/**
 * Links a person's NIN, BVN and phone number by arithmetic, without a table: NIN → BVN is a bijection over all 11-digit numbers, NIN → phone maps onto all
 * numbers of the Nigerian mobile prefixes. A few pairs that integrators know by heart are pinned.
 */
import { mix, PEOPLE_VERSION } from './draw.ts';

export const DOMAIN = 10 ** 11;
const LOW = 10 ** 6;
const HIGH = 10 ** 5;
/** Even, so that both halves are mixed equally often. */
const ROUNDS = 8;

export interface Bijection {
  forward(value: number): number;
  backward(value: number): number;
}

/**
 * MTN, Airtel, Glo, 9mobile (phoneng.vercel.app/docs/network-coverage). Only append, and raise `PEOPLE_VERSION` when you do: a prefix's index determines the
 * owners of its numbers.
 */
const PREFIXES = (
  '0703 0704 0706 0803 0806 0810 0813 0814 0816 0903 0906 0913 0916 ' +
  '0701 0708 0802 0808 0812 0901 0902 0904 0907 0912 ' +
  '0705 0805 0807 0811 0815 0905 0915 ' +
  '0809 0817 0818 0908 0909'
).split(' ');
const SUBSCRIBERS = 10 ** 7;
const PHONES = PREFIXES.length * SUBSCRIBERS;
const PREFIX_INDEX = new Map(PREFIXES.map((prefix, index) => [prefix, index]));

/** The documented persona: one person behind all the test values that other vendors publish (FIELD.md §1). */
export const PERSONA = { nin: '70123456789', bvn: '22222222222', phone: '09011111111' } as const;

/** Scripted numbers are their own counterparts, so a test needs only one digit. */
export const SCRIPTED: [number, number][] = Array.from({ length: 10 }, (_, digit) => [digit, digit]);

const ninToBvn = pinned(feistel(0x42564e31 ^ PEOPLE_VERSION), [[Number(PERSONA.nin), Number(PERSONA.bvn)], ...SCRIPTED]);
const ninToLine = pinned(feistel(0x50484f4e ^ PEOPLE_VERSION), [[Number(PERSONA.nin), phoneIndex(PERSONA.phone)!]]);

export function bvnOfNin(nin: string): string {
  return elevenDigits(ninToBvn.forward(Number(nin)));
}

export function ninOfBvn(bvn: string): string {
  return elevenDigits(ninToBvn.backward(Number(bvn)));
}

/** About 280 NINs share a phone number, as members of a household do. */
export function phoneOfNin(nin: string): string {
  return phoneAt(ninToLine.forward(Number(nin)) % PHONES);
}

/** The one NIN to which a phone number was issued, or `undefined` if no operator has the prefix. */
export function ninOfPhone(phone: string): string | undefined {
  const index = phoneIndex(phone);
  return index === undefined ? undefined : elevenDigits(ninToLine.backward(index));
}

/** The `index`-th of all phone numbers; the index wraps around. */
export function phoneAt(index: number): string {
  const at = index % PHONES;
  return PREFIXES[Math.floor(at / SUBSCRIBERS)]! + String(at % SUBSCRIBERS).padStart(7, '0');
}

function phoneIndex(phone: string): number | undefined {
  const prefix = PREFIX_INDEX.get(phone.slice(0, 4));
  return prefix === undefined || !/^\d{11}$/.test(phone) ? undefined : prefix * SUBSCRIBERS + Number(phone.slice(4));
}

export function elevenDigits(value: number): string {
  return String(value).padStart(11, '0');
}

/** An alternating Feistel network over `highs` × `lows` numbers: each round adds a keyed function of one half to the other, which can be undone. */
export function feistel(key: number, highs = HIGH, lows = LOW): Bijection {
  const keys = Array.from({ length: ROUNDS }, (_, round) => mix(key + Math.imul(round + 1, 0x9e3779b9)));
  return {
    forward(value) {
      let high = Math.floor(value / lows);
      let low = value % lows;
      for (let round = 0; round < ROUNDS; round += 2) {
        high = (high + (mix(low ^ keys[round]!) % highs)) % highs;
        low = (low + (mix(high ^ keys[round + 1]!) % lows)) % lows;
      }
      return high * lows + low;
    },
    backward(value) {
      let high = Math.floor(value / lows);
      let low = value % lows;
      for (let round = ROUNDS - 2; round >= 0; round -= 2) {
        low = (low + lows - (mix(high ^ keys[round + 1]!) % lows)) % lows;
        high = (high + highs - (mix(low ^ keys[round]!) % highs)) % highs;
      }
      return high * lows + low;
    },
  };
}

/** `inner`, then one swap of images for each pair: every pair holds and the whole remains a bijection. */
export function pinned(inner: Bijection, pairs: [from: number, to: number][]): Bijection {
  const after = new Map<number, number>();
  const before = new Map<number, number>();
  const link = (image: number, final: number) => {
    after.set(image, final);
    before.set(final, image);
  };
  for (const [from, to] of pairs) {
    if (from >= DOMAIN || to >= DOMAIN) throw new RangeError('a pinned number has more than 11 digits');
    const image = inner.forward(from);
    const current = after.get(image) ?? image;
    const rival = before.get(to) ?? to;
    link(image, to);
    link(rival, current);
  }
  return {
    forward(value) {
      const image = inner.forward(value);
      return after.get(image) ?? image;
    },
    backward(value) {
      return inner.backward(before.get(value) ?? value);
    },
  };
}
