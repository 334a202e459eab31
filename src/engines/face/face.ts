/** The vocabulary of face matching: what is asked about pictures, what is measured, and why a picture is refused. */

/** Which of two pictures: the one just taken, or the one it is compared with (a registry's portrait, a document's photograph). */
export type Side = 'selfie' | 'portrait';

/** Why a picture cannot be used. Nothing is charged for it. */
export type FaceProblem =
  | 'invalid_image'
  | 'image_too_large'
  | 'no_face_detected'
  | 'multiple_faces'
  | 'face_too_small'
  | 'face_too_close'
  | 'face_turned_away'
  | 'eyes_covered'
  | 'mouth_covered'
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
  /** Pixels between the sides of the face, in the picture as sent. */
  face_width: number;
  /** Variance of the Laplacian of the aligned face's luma. */
  sharpness: number;
  /** Mean luma of the face, 0 to 255. */
  brightness: number;
  /** Degrees; 0: upright and facing the camera. */
  roll: number;
  yaw: number;
}

/** Why liveness cannot be judged. Another picture can help. */
export type Unjudged = 'face_too_close' | 'no_colours';

export interface Liveness {
  /** 0 to 1; null: liveness could not be judged. */
  score: number | null;
  decision: 'live' | 'review' | 'spoof' | 'inconclusive';
  /** A stable code unless the decision is `live`; an `Unjudged` one if it is `inconclusive`. */
  reason: string | null;
}

export interface FaceVerdict {
  /** -1 to 1. */
  cosine: number;
  /** 0 to 100, calibrated: how many of a hundred such pairs show one person, if half of all pairs are genuine. */
  confidence: number;
  /** Liveness of the selfie; null: not requested. */
  liveness: Liveness | null;
  /** The two pictures are too similar to be separate: the portrait itself was sent as the selfie. */
  replay_suspected: boolean;
  quality: Record<Side, Quality>;
  /** Number of faces found. */
  faces: Record<Side, number>;
}

/** Confidence from which two pictures show one person, unless the request or the app sets another. */
export const MATCH_CONFIDENCE = 90;
/** From here up to the match a person has to decide. */
export const REVIEW_CONFIDENCE = 50;

export interface FaceRequest {
  /** Bytes of the files, decoded from base64. The thread takes them over: they are empty afterwards, unless they share their memory with others. */
  selfie: Uint8Array;
  portrait: Uint8Array;
  wantsLiveness: boolean;
}

/** One picture, before it is kept as a portrait, or if there is nothing to compare it with. */
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

/** Runs in its own threads. */
export interface FaceEngine {
  /** Throws `FaceRefusal`. */
  compare(request: FaceRequest): Promise<FaceVerdict>;
  /** Throws `FaceRefusal`. */
  inspect(request: InspectionRequest): Promise<Inspection>;
  close(): Promise<void>;
}
