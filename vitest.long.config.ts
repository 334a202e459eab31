import { defineConfig } from 'vitest/config';
import { common, LONG } from './vitest.config.ts';

/** `npm run test:long`: what takes too long for every change. Run it before a release, and when you touch what these files are about. */
export default defineConfig({ test: { ...common, include: [...LONG], maxWorkers: 2 } });
