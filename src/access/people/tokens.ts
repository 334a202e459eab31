/** Tokens that only their holder knows: sessions, links, challenges. Each has 256 random bits, so its plain SHA-256 is safe to store. */
import { randomBytes } from 'node:crypto';
import { digest } from '../../foundation/crypto.ts';

export const newToken = (): string => randomBytes(32).toString('base64url');

export const hashToken = (token: string): Buffer => digest(token);
