/** The frame of every page of the documentation: search, contents, the page itself, and what is on it. Works without scripts; one adds buttons that copy. */
import { escaped } from './markdown.ts';
import type { Hit } from './search.ts';
import { type Page, REFERENCE, type Site, toRoot } from './site.ts';

/** Long groups that are seldom read through, with the prefix of their pages' names. */
const FOLDED: ReadonlyMap<string, string> = new Map([
  [REFERENCE, 'reference'],
  ['Decisions', 'decisions/'],
]);

interface Frame {
  title: string;
  /** How to get to `/docs/` from here. */
  root: string;
  main: string;
  /** The page that is open, to be marked in the contents. */
  current?: string;
  aside?: string;
  question?: string;
}

/** `style` and `script`: names of the site's files. */
export interface Assets {
  style: string;
  script: string;
}

export function pageOf(site: Site, assets: Assets, page: Page): string {
  const root = toRoot(page.name);
  const headings = page.sections.filter(({ depth }) => depth === 2 || depth === 3);
  const aside =
    headings.length < 2
      ? ''
      : `<nav class="aside" aria-label="On this page"><h2>On this page</h2><ul>${headings
          .map(({ anchor, heading, depth }) => `<li class="depth-${depth}"><a href="#${escaped(anchor)}">${escaped(heading)}</a></li>`)
          .join('')}</ul></nav>`;
  const file = page.name.split('/').at(-1)!;
  const main = `<article>${page.html}</article>\n<p class="source"><a href="${escaped(file)}.md">This page as Markdown</a></p>`;
  return framed(site, assets, { title: page.title, root, main, current: page.name, aside });
}

/** `/docs` itself: every page with its first sentence. `root` is `docs/` there, and `./` below. */
export function homeOf(site: Site, assets: Assets, root: string): string {
  const groups = site.groups
    .filter(({ title }) => !FOLDED.has(title))
    .map(({ title, pages }) => {
      const items = pages
        .flatMap((name) => site.page(name) ?? [])
        .map((page) => `<li><a href="${root}${page.name}">${escaped(page.title)}</a><p>${escaped(page.summary)}</p></li>`);
      return `<section><h2>${escaped(title)}</h2><ul class="cards">${items.join('')}</ul></section>`;
    });
  const main = `<article class="home"><h1>Confam: documentation</h1>
<p>How to verify people, companies and risk signals with this service: one at a time, or a file of a million rows. The <a href="${root}reference">API reference</a> has every
route, and the <a href="${root}../console/try">console</a> tries checks out; <a href="${root}../openapi.json">openapi.json</a> is the same for Postman, Bruno and code generators; <a href="${root}../llms.txt">llms.txt</a> lists the pages for
language models, each also as Markdown.</p>
${groups.join('\n')}</article>`;
  return framed(site, assets, { title: 'Documentation', root, main });
}

export function foundOf(site: Site, assets: Assets, question: string, hits: readonly Hit[]): string {
  const items = hits.map(({ page, title, anchor, heading, excerpt }) => {
    const name = heading === '' || heading === title ? title : `${title}: ${heading}`;
    const text = excerpt.map(({ text, isHit }) => (isHit ? `<mark>${escaped(text)}</mark>` : escaped(text))).join('');
    return `<li><a href="./${page}${anchor === '' ? '' : `#${escaped(anchor)}`}">${escaped(name)}</a><p>${text}</p></li>`;
  });
  const outcome =
    question.trim() === ''
      ? '<p>Type one or more words above.</p>'
      : items.length === 0
        ? `<p>No section has all of these words. Try fewer words, or look through the <a href="../docs">contents</a>.</p>`
        : `<ol class="hits">${items.join('')}</ol>`;
  const title = question.trim() === '' ? 'Search' : `Search: ${question}`;
  return framed(site, assets, { title, root: './', main: `<article><h1>${escaped(title)}</h1>${outcome}</article>`, question });
}

function framed(site: Site, { style, script }: Assets, { title, root, main, current, aside = '', question = '' }: Frame): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} · Confam</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}${style}">
<script src="${root}${script}" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the page</a>
<header>
<a class="brand" href="${root}../docs">Confam <span>docs</span></a>
<form action="${root}search" role="search"><label for="q">Search the documentation</label><input id="q" name="q" type="search" placeholder="Search" value="${escaped(question)}" autocomplete="off"></form>
<a href="${root}reference">API reference</a>
<a href="${root}../console/">Console</a>
</header>
<div class="columns">
<details class="contents" open><summary>Contents</summary><nav aria-label="Contents">${site.groups.map((group) => listOf(site, group, root, current)).join('')}</nav></details>
<main id="main" tabindex="-1">${main}</main>
${aside}
</div>
</body>
</html>
`;
}

function listOf(site: Site, { title, pages }: Site['groups'][number], root: string, current: string | undefined): string {
  const items = pages
    .flatMap((name) => site.page(name) ?? [])
    .map(({ name, title: label }) => {
      const mark = name === current ? ' aria-current="page"' : '';
      return `<li><a href="${root}${name}"${mark}>${escaped(shortened(label))}</a></li>`;
    });
  const list = `<ul>${items.join('')}</ul>`;
  const folder = FOLDED.get(title);
  if (folder === undefined) return `<h2>${escaped(title)}</h2>${list}`;
  return `<details${current?.startsWith(folder) ? ' open' : ''}><summary>${escaped(title)}</summary>${list}</details>`;
}

/** Titles end at a colon or a bracket in the contents. */
const shortened = (title: string): string => /^[^:(]{4,}(?=[:(])/.exec(title)?.[0].trim() ?? title;
