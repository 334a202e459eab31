/** The distinct words of an index, numbered in order of arrival, and their folded forms. */
import { bytesToText, type ListIndex } from './index.ts';
import { ascii, bytes, ints, shorts } from './numbers.ts';
import type { Token } from './tokens.ts';

export class Vocabulary {
  readonly bytes = bytes();
  readonly start = ints();
  /** Of each word its folded form. */
  readonly fold = ints();
  readonly flags = shorts();
  readonly foldBytes = bytes();
  readonly foldStart = ints();
  /** Of each folded form its first word. */
  private readonly foldToken = ints();
  private readonly numbers = new Map<string, number>();
  private readonly foldNumbers = new Map<string, number>();

  /** The same letters from another script are a different word. */
  numberOf({ text, folded, flags }: Token): number {
    const key = `${flags} ${text} ${folded}`;
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    const number = this.numbers.size;
    this.numbers.set(key, number);
    this.start.push(this.bytes.length);
    ascii(this.bytes, text);
    const folds = this.foldNumbers.size;
    this.fold.push(this.foldNumber(folded));
    if (this.foldNumbers.size > folds) this.foldToken.push(number);
    this.flags.push(flags);
    return number;
  }

  private foldNumber(folded: string): number {
    const known = this.foldNumbers.get(folded);
    if (known !== undefined) return known;
    const number = this.foldNumbers.size;
    this.foldNumbers.set(folded, number);
    this.foldStart.push(this.foldBytes.length);
    ascii(this.foldBytes, folded);
    return number;
  }

  /** Called once, after the last word. Returns how many folded forms there are. */
  end(): number {
    const foldCount = this.foldNumbers.size;
    // The next steps need memory, and these are no longer used.
    this.numbers.clear();
    this.foldNumbers.clear();
    this.start.push(this.bytes.length);
    this.foldStart.push(this.foldBytes.length);
    return foldCount;
  }

  text(token: number): string {
    return bytesToText(this.bytes.view, this.start.view[token]!, this.start.view[token + 1]!);
  }

  foldText(fold: number): string {
    return bytesToText(this.foldBytes.view, this.foldStart.view[fold]!, this.foldStart.view[fold + 1]!);
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
