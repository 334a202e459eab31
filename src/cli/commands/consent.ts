/** `--consent`: the subject's consent, for apps that must send one. */
import { readFileSync } from 'node:fs';
import { Option } from 'commander';
import type { CallOptions } from '../../client/checks.ts';
import { CommandError } from '../terminal/exits.ts';

type Consent = NonNullable<CallOptions['consent']>;

export const consentOption = (): Option =>
  new Option(
    '--consent <json>',
    'consent of the subject: {"reference", "purpose", "obtained_at"} and "basis" if it is not consent; or @file with the same JSON',
  );

export function consentOf(text: string): Consent {
  try {
    return JSON.parse(text.startsWith('@') ? readFileSync(text.slice(1), 'utf8') : text) as Consent;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CommandError(
      'usage',
      '--consent: expected JSON such as {"reference": "C-17", "purpose": "onboarding", "obtained_at": "2025-11-21T09:30:00Z"}.',
    );
  }
}
