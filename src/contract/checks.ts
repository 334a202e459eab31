/** The checks as forms and programs read them: address, inputs, and values to try them with. */
import { z } from 'zod';
import { text } from './fields.ts';

/** How an input is best asked for. All are sent as text; an image is a picture as base64. */
const inputForms = ['text', 'long_text', 'digits', 'number', 'date', 'choice', 'image'] as const;

const inputAnswer = z.object({
  name: text,
  form: z.enum(inputForms),
  required: z.boolean(),
  description: text.nullable(),
  choices: z.array(text).nullable().describe('The values of a `choice`'),
  example: text.nullable(),
});

const sampleAnswer = z.object({
  label: text.describe('What comes of it'),
  input: z.record(z.string(), text).describe('Without images'),
});

export const checkAnswer = z.object({
  id: text,
  object: z.literal('check'),
  family: text,
  summary: text,
  service: text.describe('`meta.service` of its answers'),
  stage: text.nullable().describe('Label of an announced check'),
  method: z.enum(['GET', 'POST']),
  path: text,
  cacheable: z.boolean().describe('Whether `cache=refresh` is an option'),
  available: z.boolean().describe('Somebody answers it in this mode'),
  inputs: z.array(inputAnswer),
  samples: z.array(sampleAnswer).describe('Values for the sandbox; none in live mode'),
});
