/** A selfie against the portrait of a NIN or BVN record. The comparing engine comes with its own kind of provider, `face`. */
import { z } from 'zod';
import { ProviderFailure } from '../providers/provider.ts';
import { defineCheck } from './check.ts';
import { elevenDigits, IMAGE_BODY_BYTES_MAX, image, percentage, requiredText } from './inputs.ts';

const selfie = image.describe('Selfie: JPEG, PNG or WebP as base64, bare or as a data: URI; at most 10 MB');
const threshold = percentage.describe('Least confidence of a match, 0 to 100; 90 if it is left away');

const portraitOwner = {
  id_type: requiredText(10)
    .transform((text) => text.toUpperCase())
    .refine((type) => type === 'BVN' || type === 'NIN', 'must be BVN or NIN')
    .describe('BVN or NIN'),
  id_number: elevenDigits('Number of that type'),
  image: selfie,
};

const text = z.string();
const percent = z.number().describe('0 to 100');
const selfieVerification = z.object({ confidence_value: percent, match: z.boolean() });
const verified = { selfie_verification: selfieVerification, liveness_verified: z.boolean(), threshold: percent };

const common = {
  family: 'face',
  method: 'POST',
  priceKobo: 150_00,
  cachedPriceKobo: 60_00,
  bodyBytesMax: IMAGE_BODY_BYTES_MAX,
  entityIsRecord: false,
  // Calls are refused while nobody serves `face`, so that nothing arrives here.
  async run(): Promise<never> {
    throw new ProviderFailure('not_configured');
  },
} as const;

export const faceChecks = [
  defineCheck({
    ...common,
    id: 'photoid_verify',
    service: 'face_match',
    summary: 'Is the selfie the person of this NIN or BVN? With passive liveness',
    path: '/api/v1/kyc/photoid/verify',
    input: z.object(portraitOwner),
    entity: z.object({
      match_status: text.describe('MATCH or NO_MATCH'),
      confidence_score: percent,
      liveness_verified: z.boolean(),
      threshold: percent,
    }),
    needs: { all: { face: 1, nin: 1, bvn: 1 } },
    subject: (input) => input.id_number,
  }),
  defineCheck({
    ...common,
    id: 'nin_verify',
    summary: 'Selfie against the portrait of a NIN, with the basic data',
    path: '/api/v1/kyc/nin/verify',
    input: z.object({ nin: elevenDigits('National identity number'), selfie_image: selfie, threshold }),
    entity: z.object({
      nin: text,
      firstname: text,
      surname: text,
      middlename: text,
      gender: text,
      birthdate: text.describe('YYYY-MM-DD'),
      telephoneno: text,
      image: text.describe('Portrait on record, base64'),
      ...verified,
    }),
    images: ['image'],
    needs: { all: { face: 1, nin: 1 } },
    subject: (input) => input.nin,
  }),
  defineCheck({
    ...common,
    id: 'bvn_verify',
    // The specification lists a band of 125 to 150; this is its top, what the NIN costs too.
    summary: 'Selfie against the portrait of a BVN, with liveness and the basic data',
    path: '/api/v1/kyc/bvn/verify',
    input: z.object({ bvn: elevenDigits('Bank verification number'), selfie_image: selfie, threshold }),
    entity: z.object({
      bvn: text,
      first_name: text,
      last_name: text,
      middle_name: text,
      gender: text,
      date_of_birth: text.describe('YYYY-MM-DD'),
      phone_number1: text,
      phone_number2: text,
      image: text.describe('Portrait on record, base64'),
      ...verified,
    }),
    images: ['image'],
    needs: { all: { face: 1, bvn: 1 } },
    subject: (input) => input.bvn,
  }),
  defineCheck({
    ...common,
    id: 'face_match',
    service: 'biometrics_face_match',
    stage: 'development',
    summary: 'Is the selfie the person of this NIN or BVN, and was it made of a living one?',
    path: '/v1/verify/biometrics/face-match',
    input: z.object(portraitOwner),
    entity: z.object({
      confidence_score: percent,
      match_result: text.describe('MATCH or NO_MATCH'),
      liveness_detected: z.boolean(),
      spoof_risk: text.describe('LOW, MEDIUM or HIGH'),
    }),
    needs: { all: { face: 1, nin: 1, bvn: 1 } },
    subject: (input) => input.id_number,
  }),
];
