/** How alike two words of names of organizations are. Words that many have are that word or another one, never a slip; numbers are the same or not. */

import { flagsIn, isToken, lengthIn } from './index.ts';
import { NUMBER, WEAK } from './organization-tokens.ts';
import { EDIT, EXACT, FOLDED, FOLDED_SIMILARITY, Pairing, SCRIPT, VARIANT } from './pairing.ts';
import { placeOf } from './similar-folds.ts';
import { ABJAD, COMMON, FREQUENT, HAN, HANGUL } from './tokens.ts';

/** Words that others share: a company that writes one of them means it. */
const SHARED = COMMON | FREQUENT | WEAK;
/** Shorter words are other words if a letter differs. */
const EDIT_LENGTH_MIN = 5;
const EDIT_MIN = 0.82;

export class OrganizationPairing extends Pairing {
  protected override relate(q: number, l: number, at: number): number {
    const { index, pairHow } = this;
    const mine = this.tokens[q]!;
    const facts = this.listedFacts[l]!;
    const flags = flagsIn(facts);
    const place = placeOf(this.similar[q]!, this.listedFold[l]!);
    if (place === -1) return 0;
    const found = this.foundAt(q, place, mine.flags, flags);
    if (found === 0) return 0;
    const isExact = lengthIn(facts) === mine.text.length && isToken(index, this.listedToken[l]!, mine.text);
    if (isExact) {
      pairHow[at] = (mine.flags ^ flags) & (ABJAD | HAN | HANGUL) ? SCRIPT : EXACT;
      return 1;
    }
    if ((mine.flags | flags) & NUMBER) return 0;
    if (mine.flags & flags & (HAN | HANGUL) && found < 1) return 0;
    if ((mine.flags ^ flags) & ABJAD) {
      pairHow[at] = SCRIPT;
      return found < 1 ? found : FOLDED_SIMILARITY;
    }
    if (Math.min(mine.text.length, lengthIn(facts)) < EDIT_LENGTH_MIN) return 0;
    if (found === 1) {
      pairHow[at] = FOLDED;
      return FOLDED_SIMILARITY;
    }
    if (this.similar[q]!.forms[place] === 1) {
      pairHow[at] = VARIANT;
      return found;
    }
    if (mine.flags & SHARED && flags & SHARED) return 0;
    if (found < EDIT_MIN) return 0;
    pairHow[at] = EDIT;
    return found;
  }
}
