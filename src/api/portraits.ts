/** Portraits that test keys enrol in the sandbox. They are sent as the picture itself or as base64; answers describe them without the picture. */
import { IMAGE_BODY_BYTES_MAX, IMAGE_BYTES_MAX } from '../checks/inputs.ts';
import { IMAGE_TYPES, portraitBody, portraitPath, showPortrait } from '../contract/portraits.ts';
import { pageQuery } from '../contract/queries.ts';
import { ApiError } from '../foundation/errors.ts';
import { enrolPortrait, findPortrait, listPortraits, removePortrait } from '../sandbox/portraits/enrol.ts';
import { tooLarge } from '../sandbox/portraits/picture.ts';
import { portraitNotEnrolled, portraitSubject } from '../sandbox/portraits/read.ts';
import { aboutRead, authorOf } from './audited.ts';
import { callerOf, envelope, type Http, jsonBody, mediaType, wholeBody } from './http.ts';
import { FACE_ERRORS } from './openapi/checks.ts';
import { answer, bodyOf } from './openapi/operation.ts';
import { objectOf, pageOf, refTo } from './openapi/schema.ts';
import { page, refusedCursor } from './pages.ts';
import { route } from './route.ts';

const PORTRAITS = '/api/v1/sandbox/portraits';
const PORTRAIT = `${PORTRAITS}/:id_type/:id_number`;

const common = { tag: 'sandbox', who: 'test', scope: 'verify' } as const;
const one = {
  ...common,
  path: PORTRAIT,
  params: portraitPath,
  parameters: [
    { name: 'id_type', in: 'path', required: true, schema: { enum: ['nin', 'bvn'] } },
    { name: 'id_number', in: 'path', required: true, schema: { type: 'string', pattern: '^\\d{11}$' }, example: '70123456789' },
  ],
} as const;
const picture = { schema: { type: 'string', format: 'binary' } };

export const portraitRoutes = [
  route({
    ...one,
    method: 'put',
    id: 'enrolPortrait',
    audit: { change: 'portrait.enrol' },
    summary: 'Enrol your own picture as the portrait of a number, to compare selfies with',
    ownBody: {
      required: true,
      content: { ...Object.fromEntries(IMAGE_TYPES.map((type) => [type, picture])), ...bodyOf(portraitBody).content },
    },
    answers: {
      200: answer('The portrait, which replaced an earlier one', refTo('Portrait')),
      201: answer('The portrait', refTo('Portrait')),
    },
    errors: [...FACE_ERRORS, 'conflict', 'storage_quota_exceeded'],
    async handle(c, { service, checkPortrait, forgetKeys, params }) {
      const image = await imageBody(c);
      await service.storageQuota.refuseBeyond(service.sql, callerOf(c), (image.length * 4) / 3);
      const { portrait, isNew } = await enrolPortrait(service, callerOf(c), params, { image, check: checkPortrait }, authorOf(c));
      forgetKeys();
      return envelope(c, showPortrait(portrait), isNew ? 201 : 200);
    },
  }),
  route({
    ...one,
    method: 'get',
    id: 'readPortrait',
    audit: { read: 'portrait.read' },
    summary: 'The portrait enrolled for a number; the picture itself is in the number’s record',
    answers: { 200: answer('The portrait', refTo('Portrait')) },
    errors: ['portrait_not_enrolled'],
    async handle(c, { service, params }) {
      const portrait = await findPortrait(service, callerOf(c), params);
      if (!portrait) throw portraitNotEnrolled(params.idType);
      aboutRead(c, { subject: portraitSubject(service.cipher, params.idType, params.idNumber) });
      return envelope(c, showPortrait(portrait));
    },
  }),
  route({
    ...one,
    method: 'delete',
    id: 'deletePortrait',
    audit: { change: 'portrait.remove' },
    summary: 'Delete a portrait; the sandbox’s drawn one takes its place again',
    answers: {
      200: answer(
        'Deleted',
        objectOf({ object: { const: 'sandbox_portrait' }, id_type: { enum: ['nin', 'bvn'] }, deleted: { const: true } }),
      ),
    },
    errors: ['portrait_not_enrolled'],
    async handle(c, { service, params }) {
      if (!(await removePortrait(service, callerOf(c), params, authorOf(c)))) throw portraitNotEnrolled(params.idType);
      return envelope(c, { object: 'sandbox_portrait', id_type: params.idType, deleted: true });
    },
  }),
  route({
    ...common,
    method: 'get',
    path: PORTRAITS,
    id: 'listPortraits',
    audit: { read: 'portrait.read' },
    summary: 'Enrolled portraits, newest first',
    query: pageQuery,
    answers: { 200: answer('A page', pageOf(refTo('Portrait'))) },
    async handle(c, { service, query: { cursor = null, limit } }) {
      const found = await listPortraits(service, callerOf(c), { cursor, limit });
      if (!found) throw refusedCursor();
      return envelope(c, page(found.portraits.map(showPortrait), found.nextCursor));
    },
  }),
];

/** The picture itself, or JSON that holds it as base64. */
async function imageBody(c: Http): Promise<Buffer> {
  const type = mediaType(c);
  if (type === 'application/json') {
    const { image } = await jsonBody(c, portraitBody, IMAGE_BODY_BYTES_MAX, tooLarge);
    return Buffer.from(image, 'base64');
  }
  if (!IMAGE_TYPES.some((known) => known === type))
    throw new ApiError(
      'unsupported_media_type',
      `Content-Type must be ${IMAGE_TYPES.join(', ')}, or application/json with the image in base64`,
    );
  return wholeBody(c, IMAGE_BYTES_MAX, tooLarge);
}
