/** Finds the rows worth comparing with a name: those that share its rarest words, in any spelling. */

import { fold } from './fold.ts';
import { findFold, hashOf, type ListIndex, PLAIN } from './index.ts';
import type { SimilarFolds } from './similar.ts';
import { tagOf } from './tables.ts';
import { PARTICLE, SOFT, type Token } from './tokens.ts';

/** Rows of common words that are read for one name. Beyond that, a common word only adds to rows that a rarer one has found. */
const POSTINGS_MAX = 40_000;
/** Most rows that are compared. */
const ROWS_MAX = 60;
/** Share of the best row's evidence that a row needs. */
const SHARE_MIN = 0.42;
/** No word counts for more than this, so that one rare word does not hide rows that share two words. */
const WEIGHT_MAX = 9;
const JOINED_LENGTH_MIN = 5;
const GLUED_LENGTH_MIN = 7;
const SOFT_SHARE = 0.3;
/** Parts of a word that may be a whole name, and most rows with one. */
const PART_LENGTH_MIN = 4;
const PART_ROWS_MAX = 2_000;

const found = ({ folds }: SimilarFolds): number => folds.length;

/** One for each thread: its arrays have as many elements as the index has rows. */
export class Candidates {
  private readonly index: ListIndex;
  private readonly postingsMax: number;
  /**
   * Two numbers for each row, side by side because rows are visited in no order: a mark of the last word (and name) that added to the row, and the
   * evidence for it.
   */
  private readonly mark: Uint32Array;
  private readonly evidence: Float32Array;
  /** The rows found; the first `found` of them are those of this name. */
  private readonly seen: Int32Array;
  private found = 0;
  /** Evidence of the rows being ranked. */
  private readonly values: Float32Array;
  private turn = 0;
  /** The first turn of this name: a row with an older mark has not been found yet. */
  private first = 0;

  constructor(index: ListIndex, postingsMax = POSTINGS_MAX) {
    this.index = index;
    this.postingsMax = postingsMax;
    this.mark = new Uint32Array(index.rowCount * 2);
    this.evidence = new Float32Array(this.mark.buffer);
    this.seen = new Int32Array(index.rowCount);
    this.values = new Float32Array(index.rowCount);
  }

  /** Unordered; valid until the next call. `similar` belongs to `tokens`, element by element. */
  find(tokens: Token[], similar: SimilarFolds[]): Int32Array {
    if (this.turn > 0xffff_0000) {
      this.mark.fill(0);
      this.turn = 0;
    }
    this.first = this.turn + 1;
    this.found = 0;
    const most = this.addWords(tokens, similar);
    this.turn++;
    this.addPairs(tokens);
    this.addJoined(tokens, similar);
    if (tokens.length === 1 && found(similar[0]!) === 0) this.addParts(tokens[0]!.text);
    return this.best(most);
  }

  /** Whether `row` is more likely than `other`. Both must have been found. */
  isLikelier(row: number, other: number): boolean {
    return this.evidenceOf(row) > this.evidenceOf(other) || (this.evidenceOf(row) === this.evidenceOf(other) && row < other);
  }

  /** Adds the rows that have a word, in any spelling, rarest words first. Returns the most evidence of a row. */
  private addWords(tokens: Token[], similar: SimilarFolds[]): number {
    const { mark, evidence, seen, first } = this;
    const { foldWeight, postingStart, postings } = this.index;
    let { turn, found } = this;
    let read = 0;
    let most = 0;
    const words = tokens
      .map((token, i) => ({ token, similar: similar[i]! }))
      .filter(({ token, similar: { folds } }) => !(token.flags & PARTICLE) && folds.length > 0)
      .sort((a, b) => a.similar.rows - b.similar.rows);
    for (const {
      token,
      similar: { folds, similarity, rows },
    } of words) {
      turn++;
      const isOver = read + rows > this.postingsMax && found > 0;
      if (!isOver) read += rows;
      const share = token.flags & SOFT ? SOFT_SHARE : 1;
      for (let f = 0; f < folds.length; f++) {
        const folded = folds[f]!;
        const worth = Math.min(foldWeight[folded]!, WEIGHT_MAX) * similarity[f]! * share;
        const end = postingStart[folded + 1]!;
        for (let i = postingStart[folded]!; i < end; i++) {
          const row = postings[i]!;
          const at = row << 1;
          const last = mark[at]!;
          if (last === turn) continue;
          let sum = worth;
          if (last >= first) sum += evidence[at + 1]!;
          else if (isOver) continue;
          else seen[found++] = row;
          mark[at] = turn;
          evidence[at + 1] = sum;
          if (sum > most) most = sum;
        }
      }
    }
    this.turn = turn;
    this.found = found;
    return Math.fround(most);
  }

  /** Adds the rows that have two neighbouring words as one. */
  private addPairs(tokens: Token[]): void {
    const { index } = this;
    for (let i = 0; i + 1 < tokens.length; i++) {
      if (tokens[i]!.text.length + tokens[i + 1]!.text.length < JOINED_LENGTH_MIN) continue;
      // Exact match only: searching similar words for pairs that nobody has joined before would cost a search for each name.
      const folded = findFold(index, fold(tokens[i]!.text + tokens[i + 1]!.text));
      this.addFold(folded);
    }
    if (tokens.length === 2) this.addFold(findFold(index, fold(tokens[1]!.text + tokens[0]!.text)));
  }

  private addFold(folded: number): void {
    const { index } = this;
    if (folded === -1) return;
    const from = index.postingStart[folded]!;
    const to = Math.min(index.postingStart[folded + 1]!, from + ROWS_MAX);
    for (let p = from; p < to; p++) this.add(index.postings[p]!, WEIGHT_MAX);
  }

  /** Adds the rows that write apart what is one word here. */
  private addJoined(tokens: Token[], similar: SimilarFolds[]): void {
    const { index } = this;
    const names = tokens.filter(({ flags }) => !(flags & PARTICLE));
    const joined = new Set([names.map(({ folded }) => folded).join(''), ...names.map(({ folded }) => folded)]);
    // Letters on both sides of a gap fold into one (`Adam Musa`, `Adammusa`). A listed word is none that lost its gap.
    for (const [i, { text }] of tokens.entries())
      if (text.length >= GLUED_LENGTH_MIN && similar[i]!.similarity[0] !== 1)
        for (let at = 2; at + 2 <= text.length; at++) joined.add(fold(text.slice(0, at)) + fold(text.slice(at)));
    for (const text of joined) {
      if (text.length < JOINED_LENGTH_MIN) continue;
      const hash = hashOf(text, PLAIN);
      const bucket = hash & (index.joinedStart.length - 2);
      for (let i = index.joinedStart[bucket]!; i < index.joinedStart[bucket + 1]!; i++)
        if (index.joinedTag[i] === tagOf(hash)) this.add(index.joinedRow[i]!, 2 * WEIGHT_MAX);
    }
  }

  /** Adds the rows that have one part of a long word, which may be a whole name without its spaces. */
  private addParts(text: string): void {
    const { index } = this;
    for (let at = PART_LENGTH_MIN; at + PART_LENGTH_MIN <= text.length; at++) {
      for (const part of [text.slice(0, at), text.slice(at)]) {
        const folded = findFold(index, fold(part));
        if (folded === -1) continue;
        const from = index.postingStart[folded]!;
        const end = index.postingStart[folded + 1]!;
        if (end - from > PART_ROWS_MAX) continue;
        this.turn++;
        for (let p = from; p < end; p++) this.add(index.postings[p]!, Math.min(index.foldWeight[folded]!, WEIGHT_MAX));
      }
    }
  }

  private add(row: number, worth: number): void {
    const at = row << 1;
    if (this.mark[at]! < this.first) {
      this.evidence[at + 1] = worth;
      this.seen[this.found++] = row;
    } else if (this.mark[at] !== this.turn) this.evidence[at + 1]! += worth;
    this.mark[at] = this.turn;
  }

  private evidenceOf(row: number): number {
    return this.evidence[(row << 1) + 1]!;
  }

  /**
   * Ranks by the evidence and by how much of the row it covers: of two rows with the same matching words the shorter one is closer. `most`: the most
   * evidence from single words, so that a row found as a whole does not hide others.
   */
  private best(most: number): Int32Array {
    const { index, evidence, seen: rows, found } = this;
    const least = most * SHARE_MIN;
    let kept = 0;
    for (let i = 0; i < found; i++) {
      const row = rows[i]!;
      const at = (row << 1) + 1;
      const sum = evidence[at]!;
      if (sum < least) continue;
      evidence[at] = sum * (0.5 + 0.5 * Math.min(1, sum / (index.rowWeight[row]! + 0.01)));
      rows[kept++] = row;
    }
    const chosen = rows.subarray(0, kept);
    if (kept > ROWS_MAX) {
      const cut = this.nth(chosen, ROWS_MAX);
      let top = 0;
      for (let i = 0; i < kept && top < ROWS_MAX; i++) {
        const row = rows[i]!;
        if (this.evidenceOf(row) >= cut) rows[top++] = row;
      }
      kept = top;
    }
    return rows.subarray(0, kept);
  }

  /** The evidence that exactly `place` rows reach or exceed. */
  private nth(rows: Int32Array, place: number): number {
    for (let i = 0; i < rows.length; i++) this.values[i] = this.evidenceOf(rows[i]!);
    return ranked(this.values, rows.length, rows.length - place);
  }
}

/** The value that would be at `place` if the first `count` values were sorted. Leaves them partly sorted (Hoare's selection). */
function ranked(values: Float32Array, count: number, place: number): number {
  let from = 0;
  let to = count - 1;
  while (from < to) {
    const pivot = values[(from + to) >> 1]!;
    let i = from;
    let j = to;
    while (i <= j) {
      while (values[i]! < pivot) i++;
      while (values[j]! > pivot) j--;
      if (i > j) break;
      const value = values[i]!;
      values[i++] = values[j]!;
      values[j--] = value;
    }
    if (place <= j) to = j;
    else if (place >= i) from = i;
    else break;
  }
  return values[place]!;
}
