/** The list of all adapters. A new vendor adds one file to `adapters/` and one line here. */
import type { Adapter } from './adapter.ts';
import { native } from './adapters/native.ts';
import { prembly } from './adapters/prembly.ts';
import { smileId } from './adapters/smile-id.ts';
import { youverify } from './adapters/youverify.ts';

export const adapters: readonly Adapter[] = [native, prembly, smileId, youverify];
