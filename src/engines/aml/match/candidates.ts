/** Finds the rows worth comparing with a name: those that share its rarest words, in any spelling. */

import { fold } from './fold.ts';
import { findFold, hashOf, type ListIndex, PLAIN, ROW_WORD } from './index.ts';
import { ahead } from './read-ahead.ts';
import { ranked } from './selection.ts';
import { placeOf, type SimilarFolds, similarityAt } from './similar-folds.ts';
import { pinyinOf } from './syllables.ts';
import { tagOf } from './tables.ts';
import { DIALECT, PARTICLE, SOFT, type Token } from './tokens.ts';

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

/** Each row has this many numbers in `mark` and `evidence`: its mark, its evidence and its weight. */
const ROW = 3;
const EVIDENCE = 1;
const WEIGHT = 2;

/** Looking for a word in a row takes as long as reading this many rows of the word. */
const LOOKUP_COST = 8;
/** Keeps rounded evidence from deciding what is skipped. */
const ROUNDED = 0.999;
/** Share of its evidence that a row keeps however little of the row it covers. */
const COVERED_MIN = 0.5;
/** Keeps a row without weight from dividing by zero. */
const WEIGHT_SLACK = 0.01;
/** Marks are unsigned numbers of 32 bits; one name adds far fewer turns than are left. */
const TURN_MAX = 0xffff_0000;

/** A word of the name, and the share of its evidence that counts. */
interface Word {
  similar: SimilarFolds;
  share: number;
}

/** One for each thread: its arrays have as many elements as the index has rows. */
export class Candidates {
  private readonly index: ListIndex;
  private readonly postingsMax: number;
  /**
   * `ROW` numbers for each row, side by side because rows are visited in random order: a mark of the last word (and name) that added to the row, the
   * evidence for it, and the row's weight.
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
  /** The word of which rows were skipped. */
  private skipped: Word | null = null;
  /** Whether a row was found that, if none had been skipped, would have been found earlier and with other evidence. */
  private isDisordered = false;

  constructor(index: ListIndex, postingsMax = POSTINGS_MAX) {
    this.index = index;
    this.postingsMax = postingsMax;
    this.mark = new Uint32Array(index.rowCount * ROW);
    this.evidence = new Float32Array(this.mark.buffer);
    for (let row = 0; row < index.rowCount; row++) this.evidence[row * ROW + WEIGHT] = index.rowWeight[row]!;
    this.seen = new Int32Array(index.rowCount);
    this.values = new Float32Array(index.rowCount);
  }

  /** Unordered; valid until the next call. `similar` belongs to `tokens`, element by element. */
  find(tokens: Token[], similar: SimilarFolds[]): Int32Array {
    if (this.turn > TURN_MAX) {
      for (let at = 0; at < this.mark.length; at += ROW) this.mark[at] = 0;
      this.turn = 0;
    }
    const most = this.add(tokens, similar, { isWhole: false });
    return this.best(this.isDisordered ? this.add(tokens, similar, { isWhole: true }) : most);
  }

  /** Adds the rows that have something in common with the name; `isWhole`: skips none of them. Returns the most evidence from single words. */
  private add(tokens: Token[], similar: SimilarFolds[], { isWhole }: { isWhole: boolean }): number {
    this.first = this.turn + 1;
    this.found = 0;
    this.skipped = null;
    this.isDisordered = false;
    const most = this.addWords(tokens, similar, { isWhole });
    this.turn++;
    this.addPairs(tokens);
    this.addJoined(tokens, similar);
    if (tokens.length === 1 && similar[0]!.folds.length === 0) this.addParts(tokens[0]!.text);
    return most;
  }

  /** Whether `row` is more likely than `other`. Both must have been found. */
  isLikelier(row: number, other: number): boolean {
    return this.evidenceOf(row) > this.evidenceOf(other) || (this.evidenceOf(row) === this.evidenceOf(other) && row < other);
  }

  /**
   * Adds the rows that have a word, in any spelling, rarest words first. Returns the most evidence of a row. Rows that only have the last word, which is
   * the most common one, may be skipped where they cannot be among the best; `isWhole`: no row is.
   */
  private addWords(tokens: Token[], similar: SimilarFolds[], { isWhole }: { isWhole: boolean }): number {
    let read = 0;
    let most = 0;
    const words = tokens
      .map(({ flags }, i) => ({ flags, similar: similar[i]!, share: flags & SOFT ? SOFT_SHARE : 1 }))
      .filter(({ flags, similar: { folds } }) => !(flags & PARTICLE) && folds.length > 0)
      .sort((a, b) => a.similar.rows - b.similar.rows);
    for (const [i, word] of words.entries()) {
      this.turn++;
      const { rows } = word.similar;
      if (read + rows > this.postingsMax && this.found > 0) {
        most = Math.max(most, this.isWorthSkipping(rows) ? this.addToFound(word) : this.addWord(word, { isFurther: true }));
        continue;
      }
      read += rows;
      const useless = isWhole || i === 0 || i < words.length - 1 || !this.isWorthSkipping(rows) ? 0 : this.uselessBelow(most);
      if (useless > 0 && this.isWorthSkipping(this.rowsBelow(word, useless))) {
        most = Math.max(most, this.addToFound(word));
        this.addUseful(word, useless);
      } else most = Math.max(most, this.addWord(word, { isFurther: false }));
    }
    return Math.fround(most);
  }

  /** Adds the word to all rows that have it; `isFurther`: only to those found before. Returns the most evidence of one of them. */
  private addWord({ similar: { folds, similarity }, share }: Word, { isFurther }: { isFurther: boolean }): number {
    const { mark, evidence, seen, first, turn } = this;
    const { foldWeight, postingStart, postings } = this.index;
    let { found } = this;
    let most = 0;
    this.readFoldsAhead(folds);
    for (let f = 0; f < folds.length; f++) {
      const folded = folds[f]!;
      const worth = Math.min(foldWeight[folded]!, WEIGHT_MAX) * similarity[f]! * share;
      const end = postingStart[folded + 1]!;
      for (let i = postingStart[folded]!; i < end; i++) {
        const row = postings[i]!;
        const at = row * ROW;
        const last = mark[at]!;
        if (last === turn) continue;
        let sum = worth;
        if (last >= first) sum += evidence[at + EVIDENCE]!;
        else if (isFurther) continue;
        else seen[found++] = row;
        mark[at] = turn;
        evidence[at + EVIDENCE] = sum;
        if (sum > most) most = sum;
      }
    }
    this.found = found;
    return most;
  }

  /** Reads ahead what `addWord` needs about the folds and their rows (`read-ahead.ts`). */
  private readFoldsAhead(folds: Int32Array): void {
    const { mark } = this;
    const { foldWeight, postingStart, postings } = this.index;
    let sum = 0;
    for (let f = 0; f < folds.length; f++) sum += foldWeight[folds[f]!]! + postingStart[folds[f]!]!;
    for (let f = 0; f < folds.length; f++) sum += postings[postingStart[folds[f]!]!]!;
    for (let f = 0; f < folds.length; f++) {
      const end = postingStart[folds[f]! + 1]!;
      for (let i = postingStart[folds[f]!]!; i < end; i++) sum += mark[postings[i]! * ROW]!;
    }
    ahead.sum = sum;
  }

  /** Reads ahead the marks and words of `rows[from]` to `rows[to - 1]`. */
  private readRowsAhead(rows: Int32Array, from: number, to: number): void {
    const { mark } = this;
    const { rowWordStart, rowWords } = this.index;
    let sum = 0;
    for (let i = from; i < to; i++) sum += mark[rows[i]! * ROW]! + rowWordStart[rows[i]!]!;
    for (let i = from; i < to; i++) sum += rowWords[rowWordStart[rows[i]!]! * ROW_WORD]!;
    ahead.sum = sum;
  }

  /** Whether it is quicker to look for a word in the rows found than to read this many rows. */
  private isWorthSkipping(rows: number): boolean {
    return rows > this.found * LOOKUP_COST;
  }

  /** Adds a word to those of the rows found that have it. Returns the most evidence of one of them. */
  private addToFound(word: Word): number {
    const { mark, evidence, seen, found, turn } = this;
    let most = 0;
    for (let i = 0; i < found; i++) {
      const worth = this.worthIn(seen[i]!, word);
      if (worth === 0) continue;
      const at = seen[i]! * ROW;
      const sum = worth + evidence[at + EVIDENCE]!;
      mark[at] = turn;
      evidence[at + EVIDENCE] = sum;
      if (sum > most) most = sum;
    }
    return most;
  }

  /** Adds the other rows with those spellings of the word that are worth at least `useless`. The word has been added to the rows found before. */
  private addUseful(word: Word, useless: number): void {
    const { mark, evidence, seen, first, turn } = this;
    const { postingStart, postings } = this.index;
    const { folds } = word.similar;
    this.skipped = word;
    for (let f = 0; f < folds.length; f++) {
      const worth = this.worthOf(word, f);
      if (worth < useless) continue;
      const end = postingStart[folds[f]! + 1]!;
      this.readRowsAhead(postings, postingStart[folds[f]!]!, end);
      for (let i = postingStart[folds[f]!]!; i < end; i++) {
        const row = postings[i]!;
        const at = row * ROW;
        if (mark[at]! >= first) continue;
        if (this.worthIn(row, word) !== worth) this.isDisordered = true;
        seen[this.found++] = row;
        mark[at] = turn;
        evidence[at + EVIDENCE] = worth;
      }
    }
  }

  /** Number of rows with spellings of the word that are worth less than `useless`. */
  private rowsBelow(word: Word, useless: number): number {
    const { postingStart } = this.index;
    const { folds } = word.similar;
    let rows = 0;
    for (let f = 0; f < folds.length; f++)
      if (this.worthOf(word, f) < useless) rows += postingStart[folds[f]! + 1]! - postingStart[folds[f]!]!;
    return rows;
  }

  /** Evidence that does not suffice for a further row to be among the best, given the rows found and the most evidence of one of them. */
  private uselessBelow(most: number): number {
    const { found, seen, values } = this;
    let least = most * SHARE_MIN;
    if (found >= ROWS_MAX) {
      for (let i = 0; i < found; i++) values[i] = this.covered(seen[i]!);
      least = Math.max(least, ranked(values, found, found - ROWS_MAX));
    }
    return least * ROUNDED;
  }

  /** Evidence of a row that has the word in the spelling `folds[f]` and nothing else. */
  private worthOf({ similar: { folds, similarity }, share }: Word, f: number): number {
    return Math.min(this.index.foldWeight[folds[f]!]!, WEIGHT_MAX) * similarity[f]! * share;
  }

  /** Evidence of the word in a row: of the first of its spellings that the row has; 0: it has none. */
  private worthIn(row: number, { similar, share }: Word): number {
    const { rowWordStart, rowWords, foldWeight } = this.index;
    const end = rowWordStart[row + 1]! * ROW_WORD;
    let best = 0;
    let folded = -1;
    for (let i = rowWordStart[row]! * ROW_WORD + 1; i < end; i += ROW_WORD) {
      const place = placeOf(similar, rowWords[i]!);
      if (place === -1) continue;
      const similarity = similarityAt(similar, place);
      if (similarity < best || (similarity === best && similar.folds.indexOf(rowWords[i]!) >= similar.folds.indexOf(folded))) continue;
      best = similarity;
      folded = rowWords[i]!;
    }
    return folded === -1 ? 0 : Math.min(foldWeight[folded]!, WEIGHT_MAX) * best * share;
  }

  /** Adds the rows that have two neighbouring words as one. */
  private addPairs(tokens: Token[]): void {
    const { index } = this;
    for (let i = 0; i + 1 < tokens.length; i++) {
      if (tokens[i]!.text.length + tokens[i + 1]!.text.length < JOINED_LENGTH_MIN) continue;
      // Exact match only: searching similar words for pairs that nobody has joined before would cost a search for each name.
      const pair = tokens[i]!.text + tokens[i + 1]!.text;
      this.addFold(findFold(index, fold(pair)));
      if (tokens[i]!.flags & DIALECT)
        for (const reading of pinyinOf(pair, { isDialect: true })) this.addFold(findFold(index, fold(reading)));
    }
    if (tokens.length === 2) this.addFold(findFold(index, fold(tokens[1]!.text + tokens[0]!.text)));
  }

  private addFold(folded: number): void {
    const { index } = this;
    if (folded === -1) return;
    const from = index.postingStart[folded]!;
    const to = Math.min(index.postingStart[folded + 1]!, from + ROWS_MAX);
    for (let p = from; p < to; p++) this.addRow(index.postings[p]!, WEIGHT_MAX);
  }

  /** Adds the rows that write apart what is one word here. */
  private addJoined(tokens: Token[], similar: SimilarFolds[]): void {
    const { index } = this;
    const names = tokens.filter(({ flags }) => !(flags & PARTICLE));
    const joined = new Set([names.map(({ folded }) => folded).join(''), ...names.map(({ folded }) => folded)]);
    // Letters on both sides of a gap fold into one (`Adam Musa`, `Adammusa`). A listed word has not lost a gap.
    for (const [i, { text }] of tokens.entries())
      if (text.length >= GLUED_LENGTH_MIN && similar[i]!.similarity[0] !== 1)
        for (let at = 2; at + 2 <= text.length; at++) joined.add(fold(text.slice(0, at)) + fold(text.slice(at)));
    for (const text of joined) {
      if (text.length < JOINED_LENGTH_MIN) continue;
      const hash = hashOf(text, PLAIN);
      const bucket = hash & (index.joinedStart.length - 2);
      for (let i = index.joinedStart[bucket]!; i < index.joinedStart[bucket + 1]!; i++)
        if (index.joinedTag[i] === tagOf(hash)) this.addRow(index.joinedRow[i]!, 2 * WEIGHT_MAX);
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
        for (let p = from; p < end; p++) this.addRow(index.postings[p]!, Math.min(index.foldWeight[folded]!, WEIGHT_MAX));
      }
    }
  }

  private addRow(row: number, worth: number): void {
    const at = row * ROW;
    if (this.mark[at]! < this.first) {
      if (this.skipped && this.worthIn(row, this.skipped) > 0) this.isDisordered = true;
      this.evidence[at + EVIDENCE] = worth;
      this.seen[this.found++] = row;
    } else if (this.mark[at] !== this.turn) this.evidence[at + EVIDENCE]! += worth;
    this.mark[at] = this.turn;
  }

  private evidenceOf(row: number): number {
    return this.evidence[row * ROW + EVIDENCE]!;
  }

  /** The evidence, reduced by how much of the row it does not cover. */
  private covered(row: number): number {
    const sum = this.evidenceOf(row);
    return sum * (COVERED_MIN + (1 - COVERED_MIN) * Math.min(1, sum / (this.evidence[row * ROW + WEIGHT]! + WEIGHT_SLACK)));
  }

  /**
   * Ranks by the evidence and by how much of the row it covers: of two rows with the same matching words the shorter one is closer. `most`: the most
   * evidence from single words, so that a row found as a whole does not hide others.
   */
  private best(most: number): Int32Array {
    const { evidence, seen: rows, found } = this;
    const least = most * SHARE_MIN;
    let kept = 0;
    for (let i = 0; i < found; i++) {
      const row = rows[i]!;
      if (this.evidenceOf(row) < least) continue;
      evidence[row * ROW + EVIDENCE] = this.covered(row);
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
