/** Checks that a picture to be enrolled has a face that selfies can be compared with. */
import { FaceRefusal } from '../engines/face/face.ts';
import { ApiError } from '../foundation/errors.ts';
import type { CheckPortrait } from '../sandbox/portraits/enrol.ts';
import type { Faces } from './faces.ts';

export const portraitChecker =
  (faces: Faces): CheckPortrait =>
  async (picture) => {
    const engine = await faces.engine();
    try {
      await engine.inspect({ picture, side: 'portrait', wantsLiveness: false });
    } catch (error) {
      throw error instanceof FaceRefusal ? new ApiError(error.code, error.message) : error;
    }
  };
