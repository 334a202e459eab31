/** The distinct words of an index, numbered in order of arrival, and their folded forms. */
import type { ListIndex } from './index.ts';
import { ascii, bytes, ints, shorts } from './numbers.ts';
import type { Token } from './tokens.ts';

export class Vocabulary {
  readonly bytes = bytes();
  readonly start = ints();
  /** For each word its folded form. */
  readonly fold = ints();
  readonly flags = shorts();
  readonly foldBytes = bytes();
  readonly foldStart = ints();
  /** For each folded form its first word. */
  private readonly foldToken = ints();
  private readonly texts: string[] = [];
  private readonly foldTexts: string[] = [];
  /** For each text the last word with it, and for each word the previous one with the same text; -1 if none. */
  private readonly numbers = new Map<string, number>();
  private readonly alike = ints();
  private readonly foldNumbers = new Map<string, number>();

  /** The same letters from another script are a different word. */
  numberOf({ text, folded, flags }: Token): number {
    const last = this.numbers.get(text) ?? -1;
    for (let number = last; number !== -1; number = this.alike.view[number]!)
      if (this.flags.view[number] === flags && this.foldTexts[this.fold.view[number]!] === folded) return number;
    const number = this.texts.push(text) - 1;
    this.numbers.set(text, number);
    this.alike.push(last);
    this.start.push(this.bytes.length);
    ascii(this.bytes, text);
    this.fold.push(this.foldNumber(folded, number));
    this.flags.push(flags);
    return number;
  }

  /** `token`: the word whose form is wanted. */
  private foldNumber(folded: string, token: number): number {
    const known = this.foldNumbers.get(folded);
    if (known !== undefined) return known;
    const number = this.foldTexts.push(folded) - 1;
    this.foldNumbers.set(folded, number);
    this.foldToken.push(token);
    this.foldStart.push(this.foldBytes.length);
    ascii(this.foldBytes, folded);
    return number;
  }

  /** Called once, after the last word. Returns all words and folded forms, by number. */
  end(): { texts: readonly string[]; foldTexts: readonly string[] } {
    // The next steps need memory, and these are no longer used.
    this.numbers.clear();
    this.foldNumbers.clear();
    this.start.push(this.bytes.length);
    this.foldStart.push(this.foldBytes.length);
    return { texts: this.texts, foldTexts: this.foldTexts };
  }

  shared(): Pick<ListIndex, 'tokenBytes' | 'tokenStart' | 'foldBytes' | 'foldStart' | 'foldToken'> {
    return {
      tokenBytes: this.bytes.shared(),
      tokenStart: this.start.shared(),
      foldBytes: this.foldBytes.shared(),
      foldStart: this.foldStart.shared(),
      foldToken: this.foldToken.shared(),
    };
  }
}
