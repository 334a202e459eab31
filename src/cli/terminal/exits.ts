/** How commands end. `docs/cli.md` lists the same codes; a test compares them. */

export const exits = {
  done: { code: 0, meaning: 'done; for a batch that was followed: it is completed' },
  failed: { code: 1, meaning: 'anything that has no code of its own' },
  usage: { code: 2, meaning: 'a wrong flag, argument, file, column or input; nothing was submitted' },
  notFound: { code: 3, meaning: 'the registry has no such subject, or there is no such job, batch or key' },
  denied: { code: 4, meaning: 'no key, a wrong key, or one that may not do this' },
  money: { code: 5, meaning: 'the wallet or a spending cap does not cover it; nothing was looked up' },
  away: { code: 6, meaning: 'no answer from the service, or it or a registry is busy or down: try again' },
  batch: { code: 7, meaning: 'the batch that was followed ended as canceled, failed or expired' },
  declined: { code: 8, meaning: 'the question was answered with no, or a second person must approve first' },
  output: { code: 9, meaning: 'the output could not be written: a full disk, or a pipe that nobody reads' },
  interrupted: { code: 130, meaning: 'Ctrl-C; a batch that was submitted goes on' },
} as const;

export type Exit = keyof typeof exits;

/** Ends the command with a sentence, without a stack. `hint`: what to do next. */
export class CommandError extends Error {
  readonly exit: Exit;
  readonly hint: string | null;
  constructor(exit: Exit, message: string, hint: string | null = null) {
    super(message);
    this.name = 'CommandError';
    this.exit = exit;
    this.hint = hint;
  }
}
