/** The words of face matching: what two pictures are asked for, what is measured of them, and why a picture is refused. */

/** Which of two pictures: the one that was just taken, and the one it is compared with (a registry's portrait, a document's photograph). */
export type Side = 'selfie' | 'portrait';

/** Why a picture cannot be used; nothing is charged for it. */
export type FaceProblem =
  | 'invalid_image'
  | 'image_too_large'
  | 'no_face_detected'
  | 'multiple_faces'
  | 'face_too_small'
  | 'face_too_close'
  | 'image_blurry'
  | 'image_too_dark';

/** The message names the picture and the rule, and says nothing about the person. */
export class FaceRefusal extends Error {
  readonly code: FaceProblem;
  readonly side: Side;
  constructor(code: FaceProblem, side: Side, message: string) {
    super(message);
    this.name = 'FaceRefusal';
    this.code = code;
    this.side = side;
  }
}

export interface Quality {
  /** Pixels between the sides of the face, in the picture as it was sent. */
  face_width: number;
  /** Variance of the Laplacian of the aligned face's luma. */
  sharpness: number;
  /** Mean luma of the face, 0 to 255. */
  brightness: number;
  /** Degrees; 0: upright, from the front. */
  roll: number;
  yaw: number;
}

export interface Liveness {
  /** 0 to 1; null: it could not be judged. */
  score: number | null;
  decision: 'live' | 'review' | 'spoof' | 'inconclusive';
  /** A stable word where it is not `live`. */
  reason: string | null;
}

export interface FaceVerdict {
  /** -1 to 1. */
  cosine: number;
  /** 0 to 100, calibrated: how many of a hundred such pairs, half of them genuine, are of one person. */
  confidence: number;
  /** Of the selfie; null: it was not asked for. */
  liveness: Liveness | null;
  /** The two pictures are too much alike to be two pictures: the portrait itself was sent as selfie. */
  replay_suspected: boolean;
  quality: Record<Side, Quality>;
  /** Faces that were found. */
  faces: Record<Side, number>;
}

/** Confidence from which two pictures are of one person, where nobody asks for another one. */
export const MATCH_CONFIDENCE = 90;
/** Below the match and from here on a person has to look. */
export const REVIEW_CONFIDENCE = 50;

export interface FaceRequest {
  /** Bytes of the files, base64 undone. */
  selfie: Uint8Array;
  portrait: Uint8Array;
  wantsLiveness: boolean;
}

/** One picture, before it is kept as a portrait or where there is nothing to compare it with. */
export interface InspectionRequest {
  picture: Uint8Array;
  side: Side;
  wantsLiveness: boolean;
}

export interface Inspection {
  quality: Quality;
  faces: number;
  liveness: Liveness | null;
}

/** Runs in threads of its own. */
export interface FaceEngine {
  /** Throws `FaceRefusal`. */
  compare(request: FaceRequest): Promise<FaceVerdict>;
  /** Throws `FaceRefusal`. */
  inspect(request: InspectionRequest): Promise<Inspection>;
  close(): Promise<void>;
}
