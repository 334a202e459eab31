/** How the values of settings are written, and what they stand for. */
import { isIP } from 'node:net';
import { deflateRawSync } from 'node:zlib';
import { z } from 'zod';
import { FAMILIES } from './families.ts';
import { type AddressRange, isNetwork, rangeOf } from './networks.ts';

export function wholeNumber(min: number, max?: number) {
  const number = z.coerce.number().int().min(min);
  return max === undefined ? number : number.max(max);
}

export const milliseconds = wholeNumber(1);
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
/** In `localhost:5432/confam` the host would count as the scheme. */
const addressOf = (protocol: RegExp, schemes: string) => z.url({ protocol, error: `must be a URL that begins with ${schemes}` });
export const httpAddress = addressOf(/^https?$/, 'https:// or http://');
export const postgresAddress = addressOf(/^postgres(?:ql)?$/, 'postgres:// or postgresql://');
export const redisAddress = addressOf(/^rediss?$/, 'redis:// or rediss://');

/** `nin=4,bvn=4` */
export const perFamily = z.string().transform((text, context) => {
  const entries = new Map<string, number>();
  for (const part of text.split(',').filter(Boolean)) {
    const [name, count] = part.split('=');
    const family = name!.trim();
    const value = Number(count);
    if (!family || !Number.isInteger(value) || value < 1 || value > 64) {
      context.addIssue({ code: 'custom', message: 'expected family=count pairs such as nin=4,bvn=4, count 1 to 64' });
      return z.NEVER;
    }
    if (!FAMILIES.some((known) => known === family)) {
      context.addIssue({ code: 'custom', message: `there is no family ${family}; the families are ${FAMILIES.join(', ')}` });
      return z.NEVER;
    }
    entries.set(family, value);
  }
  return entries;
});

/** `192.0.2.53`, `192.0.2.53:5353`, `2001:db8::53`, `[2001:db8::53]:5353` */
export const isNameServer = (text: string): boolean =>
  isIP(text.replace(/^\[([^\]]+)\](:\d{1,5})?$/, '$1')) > 0 || isIP(text.replace(/:\d{1,5}$/, '')) === 4;

/** Which addresses may be connected to besides public ones. */
export type AllowPrivate = boolean | 'loopback';

/** `10.0.0.0/8,192.0.2.7` */
export const addressRanges = z.string().transform((text, context): AddressRange[] => {
  const ranges = text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
  if (ranges.every(isNetwork)) return ranges.map(rangeOf);
  context.addIssue({ code: 'custom', message: 'expected IP addresses and ranges such as 10.0.0.0/8, separated by commas' });
  return z.NEVER;
});

const APPROVALS = ['top_up', 'prices', 'app_deletion'] as const;

/** `top_up,prices,app_deletion` */
export const approvals = z.string().transform((text, context) => {
  const asked = text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
  const known = APPROVALS.filter((name) => asked.includes(name));
  if (known.length === new Set(asked).size) return known;
  context.addIssue({ code: 'custom', message: `expected ${APPROVALS.join(', ')}, separated by commas` });
  return z.NEVER;
});

const SECRET_CHARACTERS_MIN = 32;
/** 32 random digits in base 16 or higher deflate to at least this; words and repetitions do not. */
const SECRET_DEFLATED_BYTES_MIN = 26;

/** A secret that people choose and strangers may try to guess: long, and neither a phrase nor a pattern. */
export const secret = z
  .string()
  .refine(
    (text) => text.length >= SECRET_CHARACTERS_MIN && deflateRawSync(text).length >= SECRET_DEFLATED_BYTES_MIN,
    `must be at least ${SECRET_CHARACTERS_MIN} random characters, such as the output of \`openssl rand -hex 32\``,
  );
