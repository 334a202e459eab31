/** What a page is. `pages.ts` lists them. */
import type { ComponentType } from 'preact';

export interface PageProps {
  /** What the address names: `batches/:id` → `id`. */
  params: Record<string, string>;
}

export interface Page {
  /** Below the console; `:name` stands for one part. */
  path: string;
  title: string;
  /** Where it stands in the navigation; without it, it is reached from other pages. */
  nav?: 'Work' | 'Build' | 'Account' | 'Operator';
  /** The page of the navigation that it belongs to, where its address does not begin with that page's. */
  within?: string;
  /** The scopes that it needs; all are required. */
  scopes?: readonly string[];
  /** About the signed-in person alone; it needs no app. */
  isOwn?: true;
  /** Only for administrators of the deployment; it needs no app. */
  isAdmin?: true;
  load: () => Promise<{ default: ComponentType<PageProps> }>;
}
