/** Renders a page of documentation: GitHub's Markdown, with links between pages as the site has them. */
import { Lexer, Parser, Renderer, type Token, type Tokens } from 'marked';

/** A heading of a page, or the page's own title, with the text below it. */
export interface Section {
  /** The id of the heading on the page; empty for the beginning of the page. */
  anchor: string;
  heading: string;
  depth: number;
  /** Without markup. */
  text: string;
}

export interface Rendered {
  title: string;
  html: string;
  sections: Section[];
}

/** Where a link of the Markdown file leads on the site; null: the site does not have it. */
type Resolve = (href: string) => string | null;

/** `resolve` gets every link and picture that is not an address on the web or an anchor of the page itself. */
export function renderMarkdown(text: string, resolve: Resolve): Rendered {
  const tokens = Lexer.lex(text, { gfm: true });
  const sections = sectionsOf(tokens);
  const renderer = new PageRenderer(
    sections.filter(({ anchor }) => anchor !== ''),
    resolve,
  );
  const html = inRuns(tokens).map((run, i) => (run.samples ? tabsOf(run.samples, i, renderer) : Parser.parse(run.tokens, { renderer })));
  return { title: sections.find(({ depth }) => depth === 1)?.heading ?? '', html: html.join(''), sections };
}

/** Languages that samples of the same thing come in. */
const LANGUAGES: Readonly<Record<string, string>> = { sh: 'curl', ts: 'TypeScript', python: 'Python' };

interface Run {
  tokens: Token[];
  /** Set if the run is the same sample in several languages. */
  samples?: Tokens.Code[];
}

/** Splits the page where blocks of code follow each other, each in another language of `LANGUAGES`. */
function inRuns(tokens: readonly Token[]): Run[] {
  const runs: Run[] = [];
  for (let at = 0; at < tokens.length; ) {
    const samples: Tokens.Code[] = [];
    let end = at;
    for (; end < tokens.length; end++) {
      const token = tokens[end]!;
      if (token.type === 'space') continue;
      const { lang = '' } = token as Tokens.Code;
      if (token.type !== 'code' || !LANGUAGES[lang] || samples.some((other) => other.lang === lang)) break;
      samples.push(token as Tokens.Code);
    }
    if (samples.length > 1) {
      runs.push({ tokens: [], samples });
      at = end;
      continue;
    }
    const last = runs.at(-1);
    if (last === undefined || last.samples) runs.push({ tokens: [tokens[at]!] });
    else last.tokens.push(tokens[at]!);
    at++;
  }
  return runs;
}

/** Tabs that need no script: radio buttons, with a style that shows the chosen one's block. */
function tabsOf(samples: readonly Tokens.Code[], number: number, renderer: Renderer): string {
  const tabs = samples.map(({ lang = '' }, i) => {
    const id = `sample-${number}-${escaped(lang)}`;
    const state = i === 0 ? ' checked' : '';
    return `<input type="radio" name="sample-${number}" id="${id}" value="${escaped(lang)}"${state}><label for="${id}">${LANGUAGES[lang]}</label>`;
  });
  return `<div class="samples" role="group" aria-label="Language of the sample">${tabs.join('')}${samples.map((sample) => renderer.code(sample)).join('')}</div>\n`;
}

/** The ids that GitHub gives headings, in their order. */
export function anchorsOf(headings: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return headings.map((heading) => {
    const plain = withoutMarkup(heading).toLowerCase();
    const slug = plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  });
}

function sectionsOf(tokens: readonly Token[]): Section[] {
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === 'heading');
  const anchors = anchorsOf(headings.map(({ text }) => text));
  const sections: Section[] = [{ anchor: '', heading: '', depth: 0, text: '' }];
  for (const token of tokens) {
    if (token.type === 'heading') {
      const { text, depth } = token as Tokens.Heading;
      sections.push({ anchor: anchors[sections.length - 1]!, heading: withoutMarkup(text), depth, text: '' });
    } else if (token.type !== 'html' && token.type !== 'space') {
      sections.at(-1)!.text += `${withoutMarkup(token.raw)} `;
    }
  }
  return sections.map((section) => ({ ...section, text: section.text.replace(/\s+/g, ' ').trim() }));
}

const withoutMarkup = (text: string): string =>
  text
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/^\|[ :|-]*$/gm, ' ')
    .replace(/^```.*$/gm, '')
    .replace(/[`*]/g, '')
    .replace(/\|/g, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();

export const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

class PageRenderer extends Renderer {
  readonly #sections: Section[];
  readonly #resolve: Resolve;
  #headings = 0;

  constructor(sections: Section[], resolve: Resolve) {
    super();
    this.#sections = sections;
    this.#resolve = resolve;
  }

  override heading({ tokens, depth }: Tokens.Heading): string {
    const { anchor } = this.#sections[this.#headings++]!;
    const text = this.parser.parseInline(tokens);
    return `<h${depth} id="${escaped(anchor)}">${text} <a class="anchor" href="#${escaped(anchor)}" aria-label="Link to this section">#</a></h${depth}>\n`;
  }

  override link({ href, tokens }: Tokens.Link): string {
    const text = this.parser.parseInline(tokens);
    const target = /^(https?:|mailto:|#)/.test(href) ? href : this.#resolve(href);
    return target === null ? text : `<a href="${escaped(target)}">${text}</a>`;
  }

  override image({ href, text }: Tokens.Image): string {
    const source = this.#resolve(href);
    return source === null ? escaped(text) : `<img src="${escaped(source)}" alt="${escaped(text)}" loading="lazy">`;
  }

  override code({ text, lang }: Tokens.Code): string {
    return `<div class="code"><pre tabindex="0"${lang ? ` data-language="${escaped(lang)}"` : ''}><code>${escaped(text)}</code></pre></div>\n`;
  }

  override table(token: Tokens.Table): string {
    return `<div class="scroll" tabindex="0" role="region" aria-label="Table">${super.table(token)}</div>\n`;
  }

  /** Comments for the editors of the file. */
  override html(): string {
    return '';
  }
}
