/** Portraits that test keys enrol in the sandbox. */
import { IMAGE_TYPES, portraitBody } from '../../contract/portraits.ts';
import { pageQuery } from '../../contract/queries.ts';
import { FACE_ERRORS } from './checks.ts';
import { answer, jsonBody, type Operation, type Parameter, queryOf } from './operation.ts';
import { listOf, objectOf, refTo } from './schema.ts';

const PORTRAITS = '/api/v1/sandbox/portraits';
const PORTRAIT = `${PORTRAITS}/:id_type/:id_number`;

const common = { tag: 'sandbox', who: 'app' } as const;
const named: readonly Parameter[] = [
  { name: 'id_type', in: 'path', required: true, schema: { enum: ['nin', 'bvn'] } },
  { name: 'id_number', in: 'path', required: true, schema: { type: 'string', pattern: '^\\d{11}$' }, example: '70123456789' },
];
const picture = { schema: { type: 'string', format: 'binary' } };
const of = { parameters: named, errors: ['portrait_not_enrolled'] } as const;

export const sandboxOperations: readonly Operation[] = [
  {
    ...common,
    method: 'put',
    path: PORTRAIT,
    id: 'enrolPortrait',
    summary: 'Enrol your own picture as the portrait of a number, to compare selfies with',
    parameters: named,
    body: {
      required: true,
      content: { ...Object.fromEntries(IMAGE_TYPES.map((type) => [type, picture])), ...jsonBody(portraitBody).content },
    },
    answers: {
      200: answer('The portrait, which replaced an earlier one', refTo('Portrait')),
      201: answer('The portrait', refTo('Portrait')),
    },
    errors: [...FACE_ERRORS, 'conflict'],
  },
  {
    ...common,
    ...of,
    method: 'get',
    path: PORTRAIT,
    id: 'readPortrait',
    summary: 'The portrait enrolled for a number; the picture itself is in the number’s record',
    answers: { 200: answer('The portrait', refTo('Portrait')) },
  },
  {
    ...common,
    ...of,
    method: 'delete',
    path: PORTRAIT,
    id: 'deletePortrait',
    summary: 'Delete a portrait; the sandbox’s drawn one takes its place again',
    answers: {
      200: answer(
        'Deleted',
        objectOf({ object: { const: 'sandbox_portrait' }, id_type: { enum: ['nin', 'bvn'] }, deleted: { const: true } }),
      ),
    },
  },
  {
    ...common,
    method: 'get',
    path: PORTRAITS,
    id: 'listPortraits',
    summary: 'Enrolled portraits, newest first',
    parameters: queryOf(pageQuery),
    answers: { 200: answer('A page', listOf(refTo('Portrait'), true)) },
  },
];
