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
  { path: 'jobs/:id', title: 'Job', within: 'batches', scopes: ['results:read'], load: () => import('./pages/job.tsx') },
  { path: 'approvals', title: 'Approvals', nav: 'Work', scopes: ['results:read'], load: () => import('./pages/approvals.tsx') },
  { path: 'reviews', title: 'Review', nav: 'Work', scopes: ['reviews'], load: () => import('./pages/reviews.tsx') },
  { path: 'reviews/:id', title: 'Review case', scopes: ['reviews'], load: () => import('./pages/review.tsx') },
  { path: 'screening', title: 'Screening', nav: 'Work', scopes: ['results:read', 'reveal'], load: () => import('./pages/screening.tsx') },
  { path: 'keys', title: 'Keys', nav: 'Account', scopes: ['keys'], load: () => import('./pages/keys.tsx') },
  { path: 'people', title: 'People', nav: 'Account', scopes: ['people'], load: () => import('./pages/people.tsx') },
  { path: 'audit', title: 'Audit', nav: 'Account', scopes: ['audit:read'], load: () => import('./pages/audit.tsx') },
  { path: 'privacy', title: 'Privacy', nav: 'Account', scopes: ['results:read'], load: () => import('./pages/privacy.tsx') },
  { path: 'account', title: 'My account', isOwn: true, load: () => import('./pages/account.tsx') },
  { path: 'try', title: 'Try', nav: 'Build', scopes: ['verify', 'wallet:read'], load: () => import('./pages/try.tsx') },
  { path: 'webhooks', title: 'Webhooks', nav: 'Build', scopes: ['webhooks'], load: () => import('./pages/webhooks.tsx') },
  { path: 'webhooks/:id', title: 'Webhook endpoint', scopes: ['webhooks'], load: () => import('./pages/webhook.tsx') },
  { path: 'requests', title: 'Requests', nav: 'Build', scopes: ['results:read'], load: () => import('./pages/requests.tsx') },
  { path: 'money', title: 'Money', nav: 'Account', scopes: ['wallet:read'], load: () => import('./pages/money.tsx') },
  { path: 'money/entries', title: 'Entries', scopes: ['wallet:read'], load: () => import('./pages/money-entries.tsx') },
  {
    path: 'money/batches',
    title: 'Charges by batch',
    scopes: ['wallet:read', 'results:read'],
    load: () => import('./pages/money-batches.tsx'),
  },
  { path: 'money/statements', title: 'Statements', scopes: ['wallet:read'], load: () => import('./pages/money-statements.tsx') },
  { path: 'money/prices', title: 'Prices', scopes: ['wallet:read'], load: () => import('./pages/money-prices.tsx') },
  { path: 'operator/apps', title: 'Apps', nav: 'Operator', isAdmin: true, load: () => import('./pages/operator-apps.tsx') },
  { path: 'operator/apps/:id', title: 'App', isAdmin: true, load: () => import('./pages/operator-app.tsx') },
  {
    path: 'operator/approvals',
    title: 'Changes to approve',
    nav: 'Operator',
    isAdmin: true,
    load: () => import('./pages/operator-approvals.tsx'),
  },
  { path: 'operator/vendors', title: 'Vendors', nav: 'Operator', isAdmin: true, load: () => import('./pages/operator-vendors.tsx') },
  { path: 'operator/doctor', title: 'Doctor', nav: 'Operator', isAdmin: true, load: () => import('./pages/operator-doctor.tsx') },
  { path: 'operator/lists', title: 'Watch lists', nav: 'Operator', isAdmin: true, load: () => import('./pages/operator-lists.tsx') },
  { path: 'operator/lists/:list', title: 'Watch list', isAdmin: true, load: () => import('./pages/operator-list.tsx') },
];

/** Pages beside the console; the browser loads each as a document of its own. */
export const beside: readonly { path: string; title: string; nav: NonNullable<Page['nav']> }[] = [
  { path: '../docs', title: 'Documentation', nav: 'Build' },
  { path: 'queues', title: 'Queues', nav: 'Operator' },
];

/** Shown at the console's own address. */
export const FIRST_PAGE = 'home';
