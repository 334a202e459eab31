/** The wallet that the key draws on: play money for a test key, live money for a live one. */
import { Hono } from 'hono';
import { naira } from '../contract.ts';
import { readWallet } from '../ledger.ts';
import type { Service } from '../service.ts';
import type { Authentication } from './authenticate.ts';
import { callerOf, envelope, type Variables } from './http.ts';

export function walletRoutes(service: Service, authentication: Authentication) {
  return new Hono<{ Variables: Variables }>().get('/api/v1/wallet', authentication.app, async (c) => {
    const wallet = await readWallet(service.sql, callerOf(c));
    return envelope(c, { currency: 'NGX', available: naira(wallet.availableKobo), held: naira(wallet.heldKobo) });
  });
}
