/** Compares two pictures, from bytes to verdict, in one thread. Each is decoded, its face found, turned upright, aligned, judged and embedded. */
import { coveredRegion, readCoveredWeights } from './covered.ts';
import { type Decoded, decode, decodeAt, decodePart, turnTo } from './decode.ts';
import { detect, detectInTiles, type Face, tiledSide } from './detect.ts';
import { alignViews, confidence, embed, likeness, type Views } from './embed.ts';
import type { FaceRequest, FaceVerdict, Inspection, InspectionRequest, Liveness, Quality, Side } from './face.ts';
import { findLandmarks, fivePoints, poseOf } from './landmarks.ts';
import { judgeLiveness } from './liveness.ts';
import { type ModelSet, ModelsError, ROLES, type Role } from './models.ts';
import { type Net, NetError, openNet } from './net.ts';
import { type Box, type Picture, type Point, squareAround } from './picture.ts';
import {
  countFaces,
  FACE_WIDTH_MIN,
  meantFace,
  measureLight,
  refuseHidden,
  refuseNoFace,
  refuseOthers,
  refuseUnusable,
} from './quality.ts';
import { CLEARLY_UPRIGHT, TURNS, UPRIGHT_MIN, uprightness } from './upright.ts';

export interface Comparer {
  /** Each throws `FaceRefusal`. */
  compare(request: FaceRequest): Promise<FaceVerdict>;
  inspect(request: InspectionRequest): Promise<Inspection>;
  /** The 68 points, in pixels of the file as long as it is no larger than 1,024 pixels. */
  landmarks(bytes: Uint8Array, side: Side): Promise<Point[]>;
  /** A picture's face as the vectors of its two views. Nobody keeps them longer than the comparison takes. */
  describe(bytes: Uint8Array, side: Side): Promise<[nearer: Float32Array, farther: Float32Array]>;
}

interface Placed {
  picture: Picture;
  box: Box;
}

/** What was found in a picture in one rotation. */
interface Seen extends Placed {
  whole: Decoded;
  found: Face[];
  /** In pixels of `whole.picture`; `box` is its square, in pixels of `picture`. */
  face: Face;
  /** Pixels of the file for each pixel of `picture`. */
  scale: number;
  points: Point[];
  upright: number;
}

/** A face that is good enough to compare. */
interface Usable extends Placed {
  /** The face in the pixels that were sent. */
  ownPixels(): Promise<Placed>;
  points: Point[];
  views: Views;
  quality: Quality;
  faces: number;
}

/** Outputs of each net: scores and boxes, any number of them; x and y of 68 points; a vector of any length; three classes. */
const OUTPUTS: Record<Role, readonly (number | null)[]> = { detector: [null, null], landmarks: [136], embedder: [null], liveness: [3] };

/** Throws `ModelsError`. */
export async function openComparer({ manifest, files }: ModelSet): Promise<Comparer> {
  const coveredWeights = await readCoveredWeights();
  const nets = {} as Record<Role, Net>;
  for (const role of ROLES) {
    const { name, input } = manifest.files[role];
    // ONNX Runtime does not accept shared memory. The copy is garbage once the net is open.
    nets[role] = await openNet(new Uint8Array(files[role]), input, OUTPUTS[role]).catch((error: Error) => {
      throw error instanceof NetError ? new ModelsError(`face model ${name} (${role}) ${error.message}`) : error;
    });
  }

  /** Looks at the main one of the faces that were found in the picture as it is turned; null if there is none. */
  async function look(bytes: Uint8Array, side: Side, whole: Decoded, found: Face[]): Promise<Seen | null> {
    const face = meantFace(found, whole.picture);
    if (face === undefined) return null;
    const { picture, box: where, scale } = await inDetail(bytes, side, whole, face.box);
    const box = squared(where);
    const landmarks = await findLandmarks(nets.landmarks, picture, box);
    const upright = uprightness({ score: face.score, box }, landmarks);
    return { whole, found, face, picture, box, scale, points: landmarks.points, upright };
  }

  /** The picture in the rotation in which its face is most upright. If the face is clearly upright as sent, no other rotation is tried. */
  async function lookFromAllSides(bytes: Uint8Array, side: Side): Promise<Seen> {
    const asSent = await decode(bytes, side);
    let best: Seen | null = null;
    for (const turn of TURNS) {
      const whole = turnTo(asSent, turn);
      const seen = await look(bytes, side, whole, await detect(nets.detector, whole.picture));
      if (seen === null || (turn !== 0 && seen.upright < UPRIGHT_MIN)) continue;
      if (best === null || seen.upright > best.upright) best = seen;
      if (best.upright >= CLEARLY_UPRIGHT) return best;
    }
    return best ?? (await lookAtTiles(bytes, side, asSent)) ?? refuseNoFace(asSent.picture, side);
  }

  /** Finds a face that is too small in the whole picture; null if there is none. */
  async function lookAtTiles(bytes: Uint8Array, side: Side, asSent: Decoded): Promise<Seen | null> {
    const longest = tiledSide(nets.detector, asSent.file, FACE_WIDTH_MIN[side]);
    if (longest === null) return null;
    const finer = await decodeAt(bytes, side, asSent, longest);
    const found = await detectInTiles(nets.detector, finer);
    const by = asSent.picture.width / finer.width;
    const seen = await look(
      bytes,
      side,
      asSent,
      found.map(({ box, score }) => ({ box: scaled(box, by), score })),
    );
    return seen !== null && seen.upright >= UPRIGHT_MIN ? seen : null;
  }

  async function use(bytes: Uint8Array, side: Side): Promise<Usable> {
    const { whole, found, face, picture, box, scale, points } = await lookFromAllSides(bytes, side);
    refuseOthers(found, whole.picture, side);
    const ownPixels = async () => (scale < SMALLER_MIN ? { picture, box } : inOwnPixels(bytes, side, whole, squared(face.box)));
    const views = alignViews(picture, fivePoints(points), nets.embedder.input.width);
    const light = measureLight(views.nearer);
    refuseUnusable(face.box, face.box.width * whole.scale, light, whole.picture, side);
    const pose = poseOf(points);
    refuseHidden(pose.yaw, coveredRegion(views.nearer, coveredWeights), side);
    const quality = { face_width: Math.round(face.box.width * whole.scale), ...light, ...pose };
    return { picture, box, ownPixels, points, views, quality, faces: countFaces(found) };
  }

  const livenessOf = async ({ picture, box, ownPixels }: Usable): Promise<Liveness> =>
    judgeLiveness(nets.liveness, picture, box, await ownPixels(), manifest.liveness);

  return {
    async compare({ selfie, portrait, wantsLiveness }) {
      // Decoding runs outside this thread, so one picture is decoded while the nets process the other.
      const [mine, theirs] = await Promise.all([use(selfie, 'selfie'), use(portrait, 'portrait')]);
      const cosine = await likeness(nets.embedder, mine.views, theirs.views);
      return {
        cosine,
        confidence: confidence(cosine, manifest.confidence),
        liveness: wantsLiveness ? await livenessOf(mine) : null,
        replay_suspected: cosine >= manifest.replay_cosine,
        quality: { selfie: mine.quality, portrait: theirs.quality },
        faces: { selfie: mine.faces, portrait: theirs.faces },
      };
    },
    async inspect({ picture, side, wantsLiveness }) {
      const usable = await use(picture, side);
      return { quality: usable.quality, faces: usable.faces, liveness: wantsLiveness ? await livenessOf(usable) : null };
    },
    landmarks: async (bytes, side) => (await use(bytes, side)).points,
    describe: async (bytes, side) => embed(nets.embedder, (await use(bytes, side)).views),
  };
}

/** From this many pixels of the file for one of the picture, the picture lacks detail. */
const SMALLER_MIN = 1.25;
/** Side of the part that is read again, in heights of the face: more than liveness looks at. */
const PART = 3;
/** Height of a face in pixels; more pixels change nothing. */
const DETAIL_MIN = 130;

/** If the picture was made smaller and its face became small with it, reads the face's surroundings again in their own pixels. */
async function inDetail(bytes: Uint8Array, side: Side, whole: Decoded, face: Box): Promise<Placed & { scale: number }> {
  const { picture, scale } = whole;
  if (scale < SMALLER_MIN || face.height >= DETAIL_MIN) return { picture, box: face, scale };
  const square = squareAround(face, Math.min(PART * face.height, picture.width, picture.height), picture);
  const part = await decodePart(bytes, side, whole, square);
  const box = scaled({ ...face, left: face.left - square.left, top: face.top - square.top }, scale / part.scale);
  return { picture: part.picture, box, scale: part.scale };
}

/** Side in pixels. The patterns of a recapture are as fine as the camera records them, and a part of a large face contains enough of them. */
const OWN_PIXELS = 512;

async function inOwnPixels(bytes: Uint8Array, side: Side, whole: Decoded, face: Box): Promise<Placed> {
  const { picture, scale } = whole;
  const square = squareAround(face, Math.min(OWN_PIXELS / scale, face.width, picture.width, picture.height), picture);
  const { picture: part } = await decodePart(bytes, side, whole, square);
  return { picture: part, box: { left: 0, top: 0, width: part.width, height: part.height } };
}

const scaled = ({ left, top, width, height }: Box, by: number): Box => ({
  left: left * by,
  top: top * by,
  width: width * by,
  height: height * by,
});

/** A square of the box's height about its centre: the box that the nets after the detector were trained with. */
function squared({ left, top, width, height }: Box): Box {
  return { left: left + width / 2 - height / 2, top, width: height, height };
}
