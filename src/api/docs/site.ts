/**
 * The documentation as a site: the Markdown files of this repository, and pages made from the API itself, rendered when they are first read. Pages are looked up by
 * name, so that a request never becomes a path. Addresses are relative, for services behind a path prefix.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { packageRoot } from '../../foundation/package-root.ts';
import type { MadePage } from '../openapi/reference.ts';
import { contents, type Group } from './contents.ts';
import { type Rendered, renderMarkdown } from './markdown.ts';

export interface Page extends Rendered {
  /** Below `/docs/`: `uploads`, `decisions/0001-…`. */
  name: string;
  /** The Markdown, as it is in the repository. */
  source: string;
  /** The first sentence. */
  summary: string;
}

export interface Site {
  groups: readonly Group[];
  page(name: string): Page | null;
  /** In the order of the groups. */
  pages(): Page[];
  picture(name: string): Uint8Array<ArrayBuffer> | null;
}

/** Files outside `docs/` that are pages too. */
const BESIDE: Readonly<Record<string, string>> = {
  readme: 'README.md',
  contributing: 'CONTRIBUTING.md',
  changelog: 'CHANGELOG.md',
  benchmarks: 'bench/README.md',
};
const FOLDERS = ['', 'guides/', 'vendors/', 'decisions/'];
const PICTURES = 'console/';
export const REFERENCE = 'API reference';

/** `made`: pages that no file holds. Their links are those of a file `docs/<name>.md`. */
export function openSite(root = packageRoot(), made: readonly MadePage[] = []): Site {
  const files = new Map(Object.entries(BESIDE).filter(([, file]) => existsSync(join(root, file))));
  for (const folder of FOLDERS)
    for (const file of listed(join(root, 'docs', folder))) {
      if (file.endsWith('.md')) files.set(`${folder}${file.slice(0, -3)}`.toLowerCase(), `docs/${folder}${file}`);
    }
  const texts = new Map(made.map(({ name, markdown }) => [`docs/${name}.md`, markdown]));
  for (const { name } of made) files.set(name, `docs/${name}.md`);
  const pictures = new Map(
    listed(join(root, 'docs', PICTURES))
      .filter((file) => file.endsWith('.png'))
      .map((file) => [`${PICTURES}${file}`, join(root, 'docs', PICTURES, file)]),
  );
  const rendered = new Map<string, Page>();
  const page = (name: string): Page | null => {
    const file = files.get(name);
    if (file === undefined) return null;
    const known = rendered.get(name) ?? open(texts.get(file) ?? readFileSync(join(root, file), 'utf8'), file, name, files, pictures);
    rendered.set(name, known);
    return known;
  };
  const groups = grouped([...files.keys()]);
  return {
    groups,
    page,
    pages: () => groups.flatMap(({ pages }) => pages).flatMap((name) => page(name) ?? []),
    picture: (name) => {
      const path = pictures.get(name);
      return path === undefined ? null : new Uint8Array(readFileSync(path));
    },
  };
}

/** How to get from a page to `/docs/`. */
export const toRoot = (name: string): string => '../'.repeat(name.split('/').length - 1) || './';

function open(source: string, file: string, name: string, files: ReadonlyMap<string, string>, pictures: ReadonlyMap<string, string>): Page {
  const names = new Map([...files].map(([other, path]) => [path, other]));
  const resolve = (href: string): string | null => {
    const [path = '', anchor] = href.split('#');
    const target = posix.join(dirname(file), path);
    const other = names.get(target);
    if (other !== undefined) return `${toRoot(name)}${other}${anchor === undefined ? '' : `#${anchor}`}`;
    const picture = target.replace(/^docs\//, '');
    return pictures.has(picture) ? `${toRoot(name)}${picture}` : null;
  };
  const content = renderMarkdown(source, resolve);
  return { name, source, summary: firstSentence(content), ...content };
}

const firstSentence = ({ sections }: Rendered): string => {
  const text = sections.find(({ text }) => text !== '')?.text ?? '';
  return /^.{20,}?\.(?= |$)/.exec(text)?.[0] ?? text.slice(0, 160);
};

function grouped(names: readonly string[]): Group[] {
  const isThere = (name: string) => names.includes(name);
  const groups = contents.map(({ title, pages }) => ({ title, pages: pages.filter(isThere) }));
  const placed = new Set(groups.flatMap(({ pages }) => pages));
  const rest = names.filter((name) => !placed.has(name));
  const reference = rest.filter((name) => /^reference(\/|$)/.test(name));
  const more = rest.filter((name) => !name.startsWith('decisions/') && !reference.includes(name));
  const decisions = rest.filter((name) => name.startsWith('decisions/')).sort();
  return [
    ...groups,
    { title: REFERENCE, pages: reference },
    { title: 'More', pages: more },
    { title: 'Decisions', pages: decisions },
  ].filter(({ pages }) => pages.length > 0);
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
