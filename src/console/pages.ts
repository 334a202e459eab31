/**
 * Every page of the console: its address, its name, what a role must allow for it to be offered, and its module, which is loaded when it is first opened.
 * docs/console.md says how to add one.
 */
import type { Page } from './page.ts';

export const pages: readonly Page[] = [
  { path: 'home', title: 'Home', nav: 'Work', scopes: ['results:read'], load: () => import('./pages/home.tsx') },
  { path: 'upload', title: 'Upload', nav: 'Work', scopes: ['batches:write', 'wallet:read'], load: () => import('./pages/upload.tsx') },
  { path: 'batches', title: 'Batches', nav: 'Work', scopes: ['results:read'], load: () => import('./pages/batches.tsx') },
  { path: 'batches/:id', title: 'Batch', scopes: ['results:read'], load: () => import('./pages/batch.tsx') },
  { path: 'jobs/:id', title: 'Row', scopes: ['results:read'], load: () => import('./pages/job.tsx') },
  { path: 'approvals', title: 'Approvals', nav: 'Work', scopes: ['results:read'], load: () => import('./pages/approvals.tsx') },
  { path: 'reviews', title: 'Review', nav: 'Work', scopes: ['reviews'], load: () => import('./pages/reviews.tsx') },
  { path: 'reviews/:id', title: 'Review case', scopes: ['reviews'], load: () => import('./pages/review.tsx') },
  { path: 'screening', title: 'Screening', nav: 'Work', scopes: ['results:read', 'reveal'], load: () => import('./pages/screening.tsx') },
  { path: 'keys', title: 'Keys', nav: 'Account', scopes: ['keys'], load: () => import('./pages/keys.tsx') },
  { path: 'people', title: 'People', nav: 'Account', scopes: ['people'], load: () => import('./pages/people.tsx') },
  { path: 'audit', title: 'Audit', nav: 'Account', scopes: ['audit:read'], load: () => import('./pages/audit.tsx') },
  { path: 'account', title: 'My account', isOwn: true, load: () => import('./pages/account.tsx') },
];

/** Shown at the console's own address. */
export const FIRST_PAGE = 'home';
