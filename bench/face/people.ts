/** Splits the photographs' people into halves by a hash with a fixed seed, so that nobody chooses. */
import { createHash } from 'node:crypto';
import { personOf } from '../photographs.ts';
import type { Half } from './recaptures.ts';

export const halfOfPerson = (name: string): Half =>
  createHash('sha256')
    .update(`confam-face-15|${personOf(name)}`)
    .digest()[0]! %
    2 ===
  0
    ? 'development'
    : 'held out';
