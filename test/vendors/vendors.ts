/** All fixtures: a vendor adds its file and a line here. */
import { nativeCalls, nativeJobs } from './native.ts';
import { prembly } from './prembly.ts';
import { smileIdAsync, smileIdSync } from './smile-id.ts';
import type { VendorFixture } from './vendor.ts';
import { youverify } from './youverify.ts';

export const vendors: readonly VendorFixture[] = [nativeCalls, nativeJobs, prembly, smileIdSync, smileIdAsync, youverify];
