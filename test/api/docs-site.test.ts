/** The documentation as a site: every page, every link on it, the search, and the Markdown for other readers. */
import { beforeAll, describe, expect, it } from 'vitest';
import { search } from '../../src/api/docs/search.ts';
import { openSite, type Site } from '../../src/api/docs/site.ts';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { referencePages } from '../../src/api/openapi/reference.ts';
import { documentedOperations } from '../../src/api/routes.ts';
import { checks } from '../../src/checks/catalog.ts';
import { useApi } from '../setup/api.ts';

const api = useApi({ CONFAM_FACE_MODELS: '/nowhere' });
let site: Site;
beforeAll(async () => {
  site = openSite(undefined, referencePages(await openApiDocument(documentedOperations())));
});
const read = async (path: string) => {
  const answer = await fetch(`${api.url}${path}`);
  return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
};
const linksOf = (html: string) =>
  [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map((match) => match[1]!.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code)));

describe('the documentation', () => {
  it('lists every page in a group of its own', () => {
    expect(site.groups.map(({ title }) => title)).not.toContain('More');
    expect(site.pages().length).toBeGreaterThan(50);
    for (const { name, title, summary } of site.pages()) expect([name, title !== '', summary !== '']).toEqual([name, true, true]);
  });

  it('serves every page, and every link on it leads somewhere', async () => {
    const ids = new Map<string, Set<string>>();
    const wanted: [from: string, path: string, anchor: string][] = [];
    const paths = ['/docs', '/docs/search?q=webhook', ...site.pages().map(({ name }) => `/docs/${name}`)];
    for (const path of paths) {
      const { status, type, text } = await read(path);
      expect([path, status, type]).toEqual([path, 200, 'text/html; charset=utf-8']);
      expect(text, path).not.toMatch(/<script>| on\w+="|style="/);
      ids.set(path, new Set([...text.matchAll(/ id="([^"]*)"/g)].map((match) => match[1]!)));
      for (const link of linksOf(text)) {
        if (/^(https?:|mailto:|data:)/.test(link)) continue;
        const target = new URL(link, `${api.url}${path}`);
        wanted.push([path, target.pathname, decodeURIComponent(target.hash.slice(1))]);
      }
    }
    const others = new Map<string, number>();
    const dead: string[] = [];
    for (const [from, path, anchor] of wanted) {
      const there = ids.get(path);
      if (there === undefined && !others.has(path)) others.set(path, (await read(path)).status);
      const isThere = there ? anchor === '' || there.has(anchor) : others.get(path) === 200;
      if (!isThere) dead.push(`${from}: ${path}#${anchor}`);
    }
    expect([...new Set(dead)]).toEqual([]);
  });

  it('shows the samples of each check as tabs of three languages', async () => {
    const { text } = await read('/docs/checks');
    const tabs =
      /<div class="samples"[^>]*>(?:<input type="radio"[^>]*><label for="[^"]+">(?:curl|TypeScript|Python)<\/label>){3}(?:<div class="code">.*?<\/div>\n){3}<\/div>/gs;
    expect(text.match(tabs)).toHaveLength(checks.length);
    expect(text.match(/<input type="radio"[^>]* checked>/g)).toHaveLength(checks.length + 1);
    expect(site.page('uploads')!.html).not.toContain('class="samples"');
  });

  it('answers the Markdown of each page, and names all of them in /llms.txt', async () => {
    const { text, type } = await read('/llms.txt');
    expect(type).toBe('text/plain; charset=utf-8');
    expect(text).toMatch(/^# Confam\n\n> /);
    const named = [...text.matchAll(/^- \[[^\]]+\]\(docs\/([^)]+)\.md\): \S/gm)].map((match) => match[1]!);
    expect(named.sort()).toEqual(
      site
        .pages()
        .map(({ name }) => name)
        .sort(),
    );
    const uploads = await read('/docs/uploads.md');
    expect([uploads.type, uploads.text]).toEqual(['text/markdown; charset=utf-8', site.page('uploads')!.source]);
  });

  it('finds the section that says it', async () => {
    const first = (question: string) =>
      search(site, question)
        .slice(0, 3)
        .map(({ page, anchor }) => `${page}#${anchor}`);
    expect(first('rotate endpoint secret')).toContain('webhooks#endpoints');
    expect(first('idempotency key')).toContain('api#idempotency');
    expect(first('saved mappings')).toContain('uploads#preview');
    expect(search(site, 'zzzz nothing')).toEqual([]);
    expect((await read('/docs/search?q=zzzz')).text).toContain('No section has all of these words');
  });

  it('shows what was searched for as text', async () => {
    const { text } = await read(`/docs/search?q=${encodeURIComponent('"><img src=x onerror=alert(1)>')}`);
    expect(text).not.toContain('<img src=x');
    const { status } = await read(`/docs/search?q=${'a'.repeat(300)}`);
    expect(status).toBe(400);
  });

  it('is asked for again only when it has changed', async () => {
    const answer = await fetch(`${api.url}/docs/uploads`);
    await answer.text();
    const again = await fetch(`${api.url}/docs/uploads`, { headers: { 'If-None-Match': answer.headers.get('etag')! } });
    expect(again.status).toBe(304);
  });
});
