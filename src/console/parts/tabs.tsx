/** The pages of one subject, as links above each of them. */
import { place } from '../router.ts';

export const Tabs = ({ name, tabs }: { name: string; tabs: readonly (readonly [path: string, title: string])[] }) => (
  <nav class="tabs" aria-label={name}>
    {tabs.map(([path, title]) => (
      <a key={path} href={path} aria-current={place.value.path === path ? 'page' : undefined}>
        {title}
      </a>
    ))}
  </nav>
);
