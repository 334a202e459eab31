/**
 * Prepares text of any script for a page: runs of one direction, without invisible characters or characters that the typeface lacks. What cannot
 * be shown appears as a transliteration with code points, so that the reader knows exactly what was there.
 */
import anyAscii from 'any-ascii';
import { hasGlyph } from './fonts.ts';

export interface Run {
  text: string;
  /** `foreign`: transliterated, because the typeface lacks the characters. */
  kind: 'ltr' | 'rtl' | 'foreign';
  /** A space precedes it, so the line may break here. */
  spaced: boolean;
}

const RTL = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Nko}\p{Script=Syriac}\p{Script=Thaana}]/u;
const LETTER = /[\p{L}\p{N}]/u;
/** Most code points of one letter with its marks. Vietnamese and Yoruba use two marks, vocalised Hebrew four. */
const CLUSTER_MAX = 5;
/** Most code points spelled out in one pair of brackets. */
const POINTS_MAX = 100;
/** Marks transliterated text. */
const TRANSLITERATED = '≈';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Runs in logical order. Text longer than `max` visible characters is cut, and says so. */
export function runsOf(text: string, max: number): Run[] {
  // The common case: numbers, codes, dates, our own words.
  if (text.length <= max && /^[ -~]*$/.test(text)) return [{ text: text.trim().replace(/ +/g, ' '), kind: 'ltr', spaced: false }];
  const runs: Run[] = [];
  let shown = 0;
  let taken = 0;
  let spaced = false;
  const add = (part: string, kind: Run['kind']) => {
    const last = runs.at(-1);
    if (last && !spaced && last.kind === kind) last.text += part;
    else runs.push({ text: part, kind, spaced });
    shown += part.length;
    spaced = false;
  };
  for (const { segment } of graphemes.segment(text.toWellFormed().normalize('NFC'))) {
    if (shown >= max) {
      spaced = true;
      add(`[… cut after ${taken} characters]`, 'ltr');
      break;
    }
    taken += segment.length;
    if (/^\s+$/u.test(segment)) spaced = true;
    else if (isShown(segment)) add(segment, kindOf(segment, spaced ? undefined : runs.at(-1)));
    else if (LETTER.test(segment) && [...segment].length <= CLUSTER_MAX) {
      add(segment, 'foreign');
      // Its code point is appended at the end.
      shown += 12;
    } else add(codePoints(segment), 'ltr');
  }
  return runs.map((run) => (run.kind === 'foreign' ? { ...run, text: transliterated(run.text) } : run));
}

const isShown = (segment: string): boolean => {
  const points = [...segment];
  return points.length <= CLUSTER_MAX && points.every((point) => !isInvisible(point) && hasGlyph(point.codePointAt(0)!));
};

/** Control characters, direction marks and unassigned code points; but not the joiners, which Persian names need. */
const isInvisible = (point: string): boolean => /[\p{C}\p{Zl}\p{Zp}]/u.test(point) && point !== '\u200c' && point !== '\u200d';

/** Punctuation joins the run that follows it. */
function kindOf(segment: string, before: Run | undefined): 'ltr' | 'rtl' {
  if (RTL.test(segment)) return 'rtl';
  return before?.kind === 'rtl' && !LETTER.test(segment) ? 'rtl' : 'ltr';
}

function codePoints(text: string): string {
  const points = [...text].map((point) => `U+${point.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`);
  return `[${points.slice(0, POINTS_MAX).join(' ')}${points.length > POINTS_MAX ? ` and ${points.length - POINTS_MAX} more` : ''}]`;
}

function transliterated(text: string): string {
  const latin = anyAscii(text)
    .replace(/[^ -~]/g, '')
    .trim();
  return `${TRANSLITERATED}${latin} ${codePoints(text)}`;
}
