/** The inputs of a check as flags of the command line, from its declaration. */
import type { z } from 'zod';
import { exampleInput } from '../../api/openapi/example-inputs.ts';
import type { Check } from '../../checks/check.ts';
import { cellForms, imageInputs, inputChoices } from '../../checks/inputs.ts';

export interface FlagOfInput {
  /** As the API calls it: `first_name`. */
  name: string;
  /** `first-name` */
  flag: string;
  /** `firstName`, under which commander keeps its value. */
  attribute: string;
  placeholder: string;
  description: string;
  isRequired: boolean;
  isImage: boolean;
  choices: readonly string[] | null;
}

export function inputFlags(check: Check): FlagOfInput[] {
  const images = imageInputs(check);
  return Object.entries(check.input.shape as Record<string, z.ZodType>).map(([name, schema]) => {
    const isImage = images.includes(name);
    const isRequired = !schema.safeParse(undefined).success;
    const text = isImage ? 'a picture: JPEG, PNG or WebP' : (schema.description ?? name.replaceAll('_', ' '));
    return {
      name,
      flag: name.replaceAll('_', '-'),
      attribute: name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
      placeholder: isImage ? 'file' : placeholderOf(schema),
      description: isRequired ? `${text} (required)` : text,
      isRequired,
      isImage,
      choices: inputChoices.get(schema)?.choices ?? null,
    };
  });
}

function placeholderOf(schema: z.ZodType): string {
  const form = cellForms.get(schema)?.form;
  if (form === 'date') return 'YYYY-MM-DD';
  return form === undefined ? 'text' : 'number';
}

/** A call that the sandbox answers. */
export function exampleCommand(check: Check, flags: readonly FlagOfInput[]): string {
  const values = exampleInput(check) ?? {};
  const needed = flags.filter(({ isRequired }) => isRequired);
  const shown = needed.length > 0 ? needed : flags.filter(({ name }) => values[name] !== undefined).slice(0, 2);
  const words = shown.map(
    ({ name, flag, isImage }) => `--${flag} ${isImage ? `${name.replace('_image', '')}.jpg` : quoted(values[name] ?? '…')}`,
  );
  return ['confam check', check.id, ...words].join(' ');
}

const quoted = (value: string): string => (/^[\w@.+-]+$/.test(value) ? value : `"${value}"`);
