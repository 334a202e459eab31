/**
 * Positions of invented meters: near the middle of the state, slightly apart for each LGA and person. They are not surveyed: a point lies inside its state,
 * but not where the LGA really is.
 */
import type { Person } from './people.ts';
import { OWN_SLOTS } from './people.ts';
import { STATES } from './places.ts';

/** A point well inside each state: latitude and longitude in degrees, read off a map to about 10 km. In the order of `STATES`. */
const MIDDLES =
  '5.53 7.49, 9.33 12.40, 5.01 7.87, 6.21 7.02, 10.50 9.90, 4.85 6.20, 7.35 8.75, 11.85 13.00, 5.85 8.55, 5.70 5.95, 6.25 8.05, 6.60 5.90, ' +
  '7.70 5.30, 6.50 7.45, 9.00 7.25, 10.35 11.20, 5.55 7.05, 12.20 9.55, 10.40 7.75, 11.75 8.50, 12.55 7.65, 11.60 4.15, 7.75 6.70, ' +
  '8.90 4.75, 6.55 3.38, 8.50 8.25, 9.90 5.80, 7.00 3.45, 7.05 5.05, 7.60 4.50, 8.10 3.55, 9.20 9.55, 4.85 6.95, 13.10 5.30, ' +
  '7.90 10.80, 12.20 11.60, 12.10 6.25';
const MIDDLE_OF = new Map(
  MIDDLES.split(', ').map((pair, index) => {
    const [latitude = 0, longitude = 0] = pair.split(' ').map(Number);
    return [STATES[index]!.name, { latitude, longitude }];
  }),
);

/** Distance in degrees between neighbouring LGAs on the invented map. 0.01° is about 1.1 km. */
const LGA_STEP = 0.01;
const LGA_COLUMNS = 7;

/** Degrees, five decimals (about a metre). */
export function homeCoordinates({ residence, draw }: Person): { latitude: string; longitude: string } {
  const middle = MIDDLE_OF.get(residence.state.name)!;
  const lga = residence.state.lgas.indexOf(residence.lga);
  const north = (Math.floor(lga / LGA_COLUMNS) - 3) * LGA_STEP + draw.below(OWN_SLOTS + 40, 1000) / 10 ** 5;
  const east = ((lga % LGA_COLUMNS) - 3) * LGA_STEP + draw.below(OWN_SLOTS + 41, 1000) / 10 ** 5;
  return { latitude: (middle.latitude + north).toFixed(5), longitude: (middle.longitude + east).toFixed(5) };
}
