/** Finds sections of the documentation by the words in them. */
import type { Site } from './site.ts';

export interface Hit {
  page: string;
  title: string;
  anchor: string;
  heading: string;
  /** A piece of the section around the first word, and where the words are in it. */
  excerpt: { text: string; isHit: boolean }[];
}

const HITS_MAX = 30;
const EXCERPT_LENGTH = 220;
/** How much a word counts, by where it is. */
const WEIGHT = { title: 12, heading: 6, text: 1 };

/** Best first. A section must contain every word of the question, or a word that begins with it. */
export function search(site: Site, question: string): Hit[] {
  const words = wordsOf(question);
  if (words.length === 0) return [];
  const hits = site.pages().flatMap((page) =>
    page.sections.flatMap((section) => {
      const where = { title: page.title.toLowerCase(), heading: section.heading.toLowerCase(), text: section.text.toLowerCase() };
      const scores = words.map((word) => scoreOf(word, where));
      if (scores.some((score) => score === 0) || section.text + section.heading === '') return [];
      // A decision says why something is as it is, the reference lists everything: most searches want the page that explains it.
      const score = scores.reduce((sum, one) => sum + one, 0) / (/^(decisions|reference)/.test(page.name) ? 3 : 1);
      return {
        score,
        hit: {
          page: page.name,
          title: page.title,
          anchor: section.anchor,
          heading: section.heading,
          excerpt: excerptOf(section.text, words),
        },
      };
    }),
  );
  return hits
    .sort((a, b) => b.score - a.score)
    .slice(0, HITS_MAX)
    .map(({ hit }) => hit);
}

const wordsOf = (text: string): string[] => [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])].slice(0, 8);

function scoreOf(word: string, { title, heading, text }: Record<keyof typeof WEIGHT, string>): number {
  const times = count(text, word);
  if (times === 0 && count(heading, word) === 0) return 0;
  return (
    WEIGHT.title * Number(count(title, word) > 0) + WEIGHT.heading * Number(count(heading, word) > 0) + WEIGHT.text * Math.min(5, times)
  );
}

/** How often a word of the text begins with `word`. */
function count(text: string, word: string): number {
  let times = 0;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length))
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]!)) times++;
  return times;
}

function excerptOf(text: string, words: readonly string[]): Hit['excerpt'] {
  const first = Math.max(0, Math.min(...words.map((word) => text.toLowerCase().indexOf(word)).filter((at) => at >= 0), text.length));
  const from = first < 60 ? 0 : text.indexOf(' ', first - 60) + 1;
  const piece = `${from > 0 ? '… ' : ''}${text.slice(from, from + EXCERPT_LENGTH)}${from + EXCERPT_LENGTH < text.length ? ' …' : ''}`;
  return marked(piece, words);
}

/** The text in pieces, with every word that was looked for as one of its own. */
function marked(text: string, words: readonly string[]): Hit['excerpt'] {
  const lower = text.toLowerCase();
  const pieces: Hit['excerpt'] = [];
  let from = 0;
  for (let at = 0; at < lower.length; ) {
    const word = words.find((one) => lower.startsWith(one, at));
    if (word === undefined) {
      at++;
      continue;
    }
    pieces.push({ text: text.slice(from, at), isHit: false }, { text: text.slice(at, at + word.length), isHit: true });
    at += word.length;
    from = at;
  }
  return [...pieces, { text: text.slice(from), isHit: false }];
}
