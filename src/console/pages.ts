/**
 * Every page of the console: its address, its name, what a role must allow for it to be offered, and its module, which is loaded when it is first opened.
 * docs/console.md says how to add one.
 */
import type { Page } from './page.ts';

export const pages: readonly Page[] = [
  { path: 'batches', title: 'Batches', nav: 'Work', scopes: ['results:read'], load: () => import('./pages/batches.tsx') },
  { path: 'batches/:id', title: 'Batch', scopes: ['results:read'], load: () => import('./pages/batch.tsx') },
];

/** Shown at the console's own address. */
export const FIRST_PAGE = 'batches';
