/** Portraits that test keys enrol in the sandbox. They are sent as the picture itself or as base64; answers describe them without the picture. */
import { Hono } from 'hono';
import { createMiddleware } from 'hono/factory';
import { IMAGE_BODY_BYTES_MAX, IMAGE_BYTES_MAX } from '../checks/inputs.ts';
import { IMAGE_TYPES, type PortraitOf, portraitBody, portraitPath, showPortrait } from '../contract/portraits.ts';
import { pageQuery } from '../contract/queries.ts';
import { ApiError } from '../foundation/errors.ts';
import type { Service } from '../pipeline/service.ts';
import { type CheckPortrait, enrolPortrait, findPortrait, listPortraits, removePortrait } from '../sandbox/portraits/enrol.ts';
import { tooLarge } from '../sandbox/portraits/picture.ts';
import { portraitNotEnrolled } from '../sandbox/portraits/read.ts';
import type { Authentication } from './authenticate.ts';
import { bodyChunks, callerOf, checked, envelope, type Http, jsonBody, mediaType, type Variables } from './http.ts';
import { refusedCursor } from './query.ts';

const PORTRAITS = '/api/v1/sandbox/portraits';
const PORTRAIT = `${PORTRAITS}/:id_type/:id_number`;

/** `checkPortrait`: what a picture must contain, such as a face. */
export function portraitRoutes(service: Service, authentication: Authentication, checkPortrait?: CheckPortrait) {
  const pathOf = (c: Http): PortraitOf => checked(portraitPath, c.req.param());

  return new Hono<{ Variables: Variables }>()
    .put(PORTRAIT, authentication.app, testKeyOnly, async (c) => {
      const { portrait, isNew } = await enrolPortrait(service, callerOf(c), pathOf(c), await imageBody(c), checkPortrait);
      authentication.forget();
      return envelope(c, showPortrait(portrait), isNew ? 201 : 200);
    })
    .get(PORTRAIT, authentication.app, testKeyOnly, async (c) => {
      const of = pathOf(c);
      const portrait = await findPortrait(service, callerOf(c), of);
      if (!portrait) throw portraitNotEnrolled(of.idType);
      return envelope(c, showPortrait(portrait));
    })
    .delete(PORTRAIT, authentication.app, testKeyOnly, async (c) => {
      const of = pathOf(c);
      if (!(await removePortrait(service, callerOf(c), of))) throw portraitNotEnrolled(of.idType);
      return envelope(c, { object: 'sandbox_portrait', id_type: of.idType, deleted: true });
    })
    .get(PORTRAITS, authentication.app, testKeyOnly, async (c) => {
      const { cursor = null, limit } = checked(pageQuery, c.req.query());
      const page = await listPortraits(service, callerOf(c), { cursor, limit });
      if (!page) throw refusedCursor();
      return envelope(c, {
        object: 'list',
        data: page.portraits.map(showPortrait),
        has_more: page.nextCursor !== null,
        next_cursor: page.nextCursor,
      });
    });
}

/** A live key never reaches the sandbox and so has no portraits there. */
const testKeyOnly = createMiddleware<{ Variables: Variables }>(async (c, next) => {
  if (callerOf(c).live) throw new ApiError('forbidden', 'Portraits belong to the sandbox; use a test key');
  await next();
});

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
  const chunks: Uint8Array[] = [];
  for await (const chunk of bodyChunks(c, IMAGE_BYTES_MAX, tooLarge)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
