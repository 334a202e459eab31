/**
 * Compares a selfie with the portrait of a NIN or BVN record, or with the photograph of a document. A provider of kind `face` (`src/faces/`) compares
 * the pictures; `selfie.ts` interprets its verdict.
 */
import { z } from 'zod';
import { defineCheck, type Lookup, project } from './check.ts';
import { elevenDigits, IMAGE_BODY_BYTES_MAX, IMAGE_ROW_BYTES_MAX, image, oneOfChoices, requiredText } from './inputs.ts';
import {
  compare,
  comparedMembers,
  confidence,
  inspectSelfie,
  isLive,
  livenessVerified,
  matchStatus,
  noPortrait,
  selfie,
  spoofRisk,
  threshold,
} from './selfie.ts';

/** The lowest tier with a portrait: the slip of a NIN, the advance record of a BVN. */
const portraits = { nin: { tier: 2, member: 'photo' }, bvn: { tier: 2, member: 'image' } } as const;
type IdType = keyof typeof portraits;

/** The type of the number decides which registry is asked. */
const EITHER = { all: { face: 1 }, any: { nin: portraits.nin.tier, bvn: portraits.bvn.tier } } as const;

const portraitOwner = {
  id_type: oneOfChoices(
    ['BVN', 'NIN'],
    requiredText(10)
      .transform((text) => text.toUpperCase())
      .refine((type) => type === 'BVN' || type === 'NIN', 'must be BVN or NIN')
      .describe('BVN or NIN'),
  ),
  id_number: elevenDigits('The NIN or BVN'),
  image: selfie,
  threshold,
};

const text = z.string();
const selfieVerification = z.object({
  confidence_value: confidence,
  match: z.boolean().describe('`false` also if a person has to decide'),
});

const photoIdMembers = {
  match_status: matchStatus,
  confidence_score: confidence,
  liveness_verified: livenessVerified,
  ...comparedMembers,
};

const ninRecord = z.object({
  nin: text,
  firstname: text,
  surname: text,
  middlename: text,
  gender: text,
  birthdate: text.describe('YYYY-MM-DD'),
  telephoneno: text,
  image: text.describe('Portrait on record, base64'),
});

const bvnRecord = z.object({
  bvn: text,
  first_name: text,
  last_name: text,
  middle_name: text,
  gender: text,
  date_of_birth: text.describe('YYYY-MM-DD'),
  phone_number1: text,
  phone_number2: text,
  image: text.describe('Portrait on record, base64'),
});

const verified = { selfie_verification: selfieVerification, liveness_verified: livenessVerified, ...comparedMembers };

const DOUBTFUL = 'another face, a match that a person has to decide, or a selfie that was not found to be live';

/** The flag of the checks that return the record. */
const flag = {
  when: DOUBTFUL,
  isSet: ({ selfie_verification, liveness_verified }: { selfie_verification: { match: boolean }; liveness_verified: boolean | null }) =>
    !selfie_verification.match || liveness_verified !== true,
};

const photoIdFlag = {
  when: DOUBTFUL,
  isSet: ({ match_status, liveness_verified }: { match_status: string; liveness_verified: boolean | null }) =>
    match_status !== 'MATCH' || liveness_verified !== true,
};

const common = {
  family: 'face',
  method: 'POST',
  priceKobo: 150_00,
  cachedPriceKobo: 150_00,
  cacheable: false,
  bodyBytesMax: IMAGE_BODY_BYTES_MAX,
  entityIsRecord: false,
} as const;

export const faceChecks = [
  defineCheck({
    ...common,
    id: 'photoid_verify',
    service: 'face_match',
    summary: 'Does the selfie show the person of this NIN or BVN? With passive liveness',
    path: '/api/v1/kyc/photoid/verify',
    // Clients of this API family send two pictures to this path (`api/aliases.ts`).
    bodyBytesMax: IMAGE_ROW_BYTES_MAX,
    input: z.object(portraitOwner),
    entity: z.object(photoIdMembers),
    flag: photoIdFlag,
    needs: EITHER,
    subject: (input) => input.id_number,
    async run(input, lookup) {
      const found = await compareWithRecord(lookup, eitherNumber(input));
      return found ? { found: true, entity: photoId(found.compared) } : { found: false };
    },
  }),
  defineCheck({
    ...common,
    id: 'photoid_compare',
    service: 'face_match',
    summary: 'Does the selfie show the person in the photograph of a document? With passive liveness',
    path: '/api/v1/kyc/photoid/compare',
    input: z.object({ selfie_image: selfie, photoid_image: image.describe('The document, or the photograph on it'), threshold }),
    entity: z.object({ ...photoIdMembers, selfie: selfieVerification }),
    flag: photoIdFlag,
    bodyBytesMax: IMAGE_ROW_BYTES_MAX,
    needs: { all: { face: 1 } },
    // No registry record is looked up.
    subject: () => '',
    async run(input, lookup) {
      const pictures = { selfie: input.selfie_image, portrait: input.photoid_image };
      const compared = await compare(lookup, '', pictures, { selfie: 'selfie_image', portrait: 'photoid_image' }, input.threshold);
      return { found: true, entity: { ...photoId(compared), selfie: verificationOf(compared) } };
    },
  }),
  defineCheck({
    ...common,
    id: 'nin_verify',
    summary: 'Selfie against the portrait of a NIN, with liveness and the basic data',
    path: '/api/v1/kyc/nin/verify',
    input: z.object({ nin: elevenDigits('National identity number'), selfie_image: selfie, threshold }),
    entity: ninRecord.extend(verified),
    flag,
    images: ['image'],
    needs: { all: { face: 1, nin: portraits.nin.tier } },
    subject: (input) => input.nin,
    async run({ nin, selfie_image, threshold }, lookup) {
      const found = await compareWithRecord(lookup, { kind: 'nin', number: nin, selfie: selfie_image, field: 'selfie_image', threshold });
      if (!found) return { found: false };
      return {
        found: true,
        entity: { ...project(ninRecord, { ...found.record, image: found.record.photo }), ...verification(found.compared) },
      };
    },
  }),
  defineCheck({
    ...common,
    id: 'bvn_verify',
    // Its price is the top of the band that the specification lists (125 to 150), and the NIN's.
    summary: 'Selfie against the portrait of a BVN, with liveness and the basic data',
    path: '/api/v1/kyc/bvn/verify',
    input: z.object({ bvn: elevenDigits('Bank verification number'), selfie_image: selfie, threshold }),
    entity: bvnRecord.extend(verified),
    flag,
    images: ['image'],
    needs: { all: { face: 1, bvn: portraits.bvn.tier } },
    subject: (input) => input.bvn,
    async run({ bvn, selfie_image, threshold }, lookup) {
      const found = await compareWithRecord(lookup, { kind: 'bvn', number: bvn, selfie: selfie_image, field: 'selfie_image', threshold });
      return found ? { found: true, entity: { ...project(bvnRecord, found.record), ...verification(found.compared) } } : { found: false };
    },
  }),
  defineCheck({
    ...common,
    id: 'face_match',
    service: 'biometrics_face_match',
    stage: 'development',
    summary: 'Does the selfie show the person of this NIN or BVN, and was it taken of a live person?',
    path: '/v1/verify/biometrics/face-match',
    input: z.object(portraitOwner),
    entity: z.object({
      confidence_score: confidence,
      match_result: matchStatus,
      liveness_detected: livenessVerified,
      spoof_risk: z
        .enum(['LOW', 'MEDIUM', 'HIGH'])
        .nullable()
        .describe('HIGH: a spoof or a suspected replay; MEDIUM: liveness is doubtful; null: it could not be judged, take another picture'),
      ...comparedMembers,
    }),
    flag: {
      when: DOUBTFUL,
      isSet: ({ match_result, liveness_detected }) => match_result !== 'MATCH' || liveness_detected !== true,
    },
    needs: EITHER,
    subject: (input) => input.id_number,
    async run(input, lookup) {
      const found = await compareWithRecord(lookup, eitherNumber(input));
      if (!found) return { found: false };
      const { compared } = found;
      return {
        found: true,
        entity: {
          confidence_score: compared.confidence,
          match_result: compared.status,
          liveness_detected: isLive(compared.liveness),
          spoof_risk: spoofRisk(compared),
          threshold: compared.threshold,
          ...compared.details,
        },
      };
    },
  }),
];

type Compared = Awaited<ReturnType<typeof compare>>;

/** A selfie, and the number whose portrait it is compared with. */
interface AgainstRecord {
  kind: IdType;
  number: string;
  selfie: string;
  /** The input that holds the selfie. */
  field: string;
  threshold: string | undefined;
}

/** What the checks of either number compare. */
const eitherNumber = (input: { id_type: string; id_number: string; image: string; threshold?: string | undefined }): AgainstRecord => ({
  kind: input.id_type.toLowerCase() as IdType,
  number: input.id_number,
  selfie: input.image,
  field: 'image',
  threshold: input.threshold,
});

/** Null if the number is not on record. Throws `CheckRefusal`. */
async function compareWithRecord(
  lookup: Lookup,
  { kind, number, selfie, field, threshold }: AgainstRecord,
): Promise<{ record: Record<string, unknown>; compared: Compared } | null> {
  const { tier, member } = portraits[kind];
  const owner = `${kind}:${number}`;
  const named = { selfie: field, portrait: null };
  await inspectSelfie(lookup, owner, selfie, named);
  const answer = await lookup(kind, tier, number);
  if (!answer.found) return null;
  const portrait = answer.record[member];
  if (typeof portrait !== 'string' || portrait === '') throw noPortrait();
  return { record: answer.record, compared: await compare(lookup, owner, { selfie, portrait }, named, threshold) };
}

const photoId = (compared: Compared) => ({
  match_status: compared.status,
  confidence_score: compared.confidence,
  liveness_verified: isLive(compared.liveness),
  threshold: compared.threshold,
  ...compared.details,
});

const verificationOf = ({ confidence, status }: Compared) => ({ confidence_value: confidence, match: status === 'MATCH' });

const verification = (compared: Compared) => ({
  selfie_verification: verificationOf(compared),
  liveness_verified: isLive(compared.liveness),
  threshold: compared.threshold,
  ...compared.details,
});
