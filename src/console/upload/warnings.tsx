/** What may be wrong with how a file is read. */
import { Notice } from '../parts/common.tsx';
import { inWords } from './problem-words.ts';

interface WarningsProps<Code extends string> {
  of: readonly { code: Code; message: string }[];
  /** What follows, or what to do. */
  advice: Readonly<Record<Code, string>>;
}

export const Warnings = <Code extends string>({ of, advice }: WarningsProps<Code>) => (
  <>
    {of.map(({ code, message }) => (
      <Notice key={message} tone="warn" title={`${inWords(message)}.`}>
        <p>{advice[code]}</p>
      </Notice>
    ))}
  </>
);
