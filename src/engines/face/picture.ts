/** A decoded picture, and the one way to turn it into a net's input: a rectangle, rotated and scaled, read at the net's own size. */

export interface Picture {
  /** Red, green, blue, eight bits each, row by row. */
  data: Uint8Array;
  width: number;
  height: number;
}

/** Position of the target's (x, y) in the source: (a·x + b·y + c, d·x + e·y + f). */
export interface Affine {
  a: number;
  b: number;
  c: number;
  d: number;
  e: number;
  f: number;
}

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

/** Quarter turns, clockwise. */
export type QuarterTurns = 0 | 1 | 2 | 3;

/** Three planes: red, green, blue, 0 to 255. */
export interface Planes {
  data: Float32Array;
  width: number;
  height: number;
}

/** Most points read under one target pixel, in each direction. For a large face every second pixel is enough. */
const POINTS_MAX = 3;

/**
 * If target pixels are larger than source pixels, several points are averaged; otherwise fine detail would turn into noise. Beyond the edges the
 * picture's outermost pixels are repeated: the nets were not trained with black bars.
 */
export function sample(picture: Picture, affine: Affine, width: number, height: number): Planes {
  const across = pointsFor(Math.hypot(affine.a, affine.d));
  const down = pointsFor(Math.hypot(affine.b, affine.e));
  if (across === 1 && down === 1) return interpolate(picture, affine, width, height);
  if (affine.b === 0 && affine.d === 0) return averageUpright(picture, affine, width, height, across, down);
  return average(picture, affine, width, height, across, down);
}

const pointsFor = (step: number): number => Math.max(1, Math.min(POINTS_MAX, Math.round(step)));

function interpolate(picture: Picture, { a, b, c, d, e, f }: Affine, width: number, height: number): Planes {
  const plane = width * height;
  const data = new Float32Array(plane * 3);
  const source = picture.data;
  const right = picture.width - 1;
  const bottom = picture.height - 1;
  for (let t = 0; t < plane; t += 1) {
    const u = (t % width) + 0.5;
    const v = Math.floor(t / width) + 0.5;
    // The centre of a pixel is half a pixel inside it.
    const sx = clamp(a * u + b * v + c - 0.5, right);
    const sy = clamp(d * u + e * v + f - 0.5, bottom);
    const x0 = Math.floor(sx);
    const y0 = Math.floor(sy);
    const wx = sx - x0;
    const wy = sy - y0;
    const p = (y0 * picture.width + x0) * 3;
    const next = x0 < right ? 3 : 0;
    const below = y0 < bottom ? picture.width * 3 : 0;
    for (let channel = 0; channel < 3; channel += 1) {
      const q = p + channel;
      const above = source[q]! * (1 - wx) + source[q + next]! * wx;
      const under = source[q + below]! * (1 - wx) + source[q + below + next]! * wx;
      data[channel * plane + t] = above * (1 - wy) + under * wy;
    }
  }
  return { data, width, height };
}

function average(picture: Picture, { a, b, c, d, e, f }: Affine, width: number, height: number, across: number, down: number): Planes {
  const plane = width * height;
  const data = new Float32Array(plane * 3);
  const source = picture.data;
  const right = picture.width - 1;
  const bottom = picture.height - 1;
  const share = 1 / (across * down);
  // What each point's column adds to its position.
  const points = Float64Array.from({ length: width * across }, (_, i) => Math.floor(i / across) + ((i % across) + 0.5) / across);
  const columns = points.map((u) => a * u);
  const lines = points.map((u) => d * u);
  for (let y = 0; y < height; y += 1)
    for (let x = 0, t = y * width; x < width; x += 1, t += 1) {
      let red = 0;
      let green = 0;
      let blue = 0;
      for (let j = 0; j < down; j += 1) {
        const v = y + (j + 0.5) / down;
        const fromLeft = b * v;
        const fromTop = e * v;
        for (let i = x * across, last = i + across; i < last; i += 1) {
          // Truncated, not rounded: below zero both give the edge. Compared here, as integers: `clamp` takes either kind of number, and is slower.
          let sx = (columns[i]! + fromLeft + c) | 0;
          if (sx < 0) sx = 0;
          else if (sx > right) sx = right;
          let sy = (lines[i]! + fromTop + f) | 0;
          if (sy < 0) sy = 0;
          else if (sy > bottom) sy = bottom;
          const p = (sy * picture.width + sx) * 3;
          red += source[p]!;
          green += source[p + 1]!;
          blue += source[p + 2]!;
        }
      }
      data[t] = red * share;
      data[plane + t] = green * share;
      data[2 * plane + t] = blue * share;
    }
  return { data, width, height };
}

/**
 * `average` for an upright rectangle, with columns and rows looked up: three times as fast, for most of what is read. Beyond the right and lower edge
 * (a third of the detector's input for a tall picture) the edge pixels are read once and repeated.
 */
function averageUpright(picture: Picture, { a, c, e, f }: Affine, width: number, height: number, across: number, down: number): Planes {
  const plane = width * height;
  const data = new Float32Array(plane * 3);
  const source = picture.data;
  const seenWidth = seen(width, a, c, picture.width);
  const seenHeight = seen(height, e, f, picture.height);
  const columns = Int32Array.from(
    { length: seenWidth * across },
    (_, i) => clamp(Math.floor((a * (i + 0.5)) / across + c), picture.width - 1) * 3,
  );
  const rows = Int32Array.from(
    { length: seenHeight * down },
    (_, j) => clamp(Math.floor((e * (j + 0.5)) / down + f), picture.height - 1) * picture.width * 3,
  );
  const share = 1 / (across * down);
  for (let y = 0; y < seenHeight; y += 1)
    for (let x = 0, i = 0, t = y * width; x < seenWidth; x += 1, i += across, t += 1) {
      let red = 0;
      let green = 0;
      let blue = 0;
      for (let j = y * down, end = j + down; j < end; j += 1) {
        const row = rows[j]!;
        const p = row + columns[i]!;
        // A loop over so few points would cost as much as reading them.
        const q = across > 1 ? row + columns[i + 1]! : -1;
        const r = across > 2 ? row + columns[i + 2]! : -1;
        red = Math.fround(red + share * (source[p]! + (q < 0 ? 0 : source[q]!) + (r < 0 ? 0 : source[r]!)));
        green = Math.fround(green + share * (source[p + 1]! + (q < 0 ? 0 : source[q + 1]!) + (r < 0 ? 0 : source[r + 1]!)));
        blue = Math.fround(blue + share * (source[p + 2]! + (q < 0 ? 0 : source[q + 2]!) + (r < 0 ? 0 : source[r + 2]!)));
      }
      data[t] = red;
      data[plane + t] = green;
      data[2 * plane + t] = blue;
    }
  for (let start = 0; start < 3 * plane; start += plane) {
    const end = start + seenHeight * width;
    for (let line = start; line < end; line += width) data.fill(data[line + seenWidth - 1]!, line + seenWidth, line + width);
    for (let line = end; line < start + plane; line += width) data.copyWithin(line, end - width, end);
  }
  return { data, width, height };
}

/** Number of target pixels that start within the source, plus one: the rest equal that one. */
const seen = (target: number, step: number, from: number, source: number): number =>
  step > 0 ? Math.min(target, Math.max(1, Math.ceil((source - from) / step) + 1)) : target;

/** Swaps left and right. */
export function mirrored({ data, width, height }: Planes): Planes {
  const turned = new Float32Array(data.length);
  for (let line = 0; line < data.length; line += width) turned.set(data.subarray(line, line + width).toReversed(), line);
  return { data: turned, width, height };
}

/** A copy of a part. `box` is of whole pixels, within the picture. */
export function cropped({ data: source, width }: Picture, box: Box): Picture {
  const line = 3 * box.width;
  const data = new Uint8Array(line * box.height);
  for (let y = 0; y < box.height; y += 1) {
    const from = 3 * ((box.top + y) * width + box.left);
    data.set(source.subarray(from, from + line), y * line);
  }
  return { data, width: box.width, height: box.height };
}

/** The part of a picture within the box, at half of its resolution: the mean of each four pixels. */
export function halved({ data: source, width, height }: Picture, box: Box): Picture {
  const left = Math.max(0, Math.floor(box.left / 2));
  const top = Math.max(0, Math.floor(box.top / 2));
  const columns = Math.max(0, Math.min(width >> 1, Math.floor((box.left + box.width) / 2)) - left);
  const rows = Math.max(0, Math.min(height >> 1, Math.floor((box.top + box.height) / 2)) - top);
  const data = new Uint8Array(columns * rows * 3);
  const below = 3 * width;
  for (let y = 0, t = 0; y < rows; y += 1)
    for (let x = 0, p = 2 * (top + y) * below + 6 * left; x < columns; x += 1, p += 6)
      for (let q = p, end = p + 3; q < end; q += 1, t += 1)
        data[t] = (source[q]! + source[q + 3]! + source[q + below]! + source[q + below + 3]!) >> 2;
  return { data, width: columns, height: rows };
}

/** The whole of `box`, stretched to the target. */
export function fromBox({ left, top, width, height }: Box, targetWidth: number, targetHeight: number): Affine {
  return { a: width / targetWidth, b: 0, c: left, d: 0, e: height / targetHeight, f: top };
}

/** ITU-R BT.601. */
export function luma({ data, width, height }: Planes): Float32Array {
  const plane = width * height;
  const gray = new Float32Array(plane);
  for (let i = 0; i < plane; i += 1) gray[i] = 0.299 * data[i]! + 0.587 * data[plane + i]! + 0.114 * data[2 * plane + i]!;
  return gray;
}

const clamp = (value: number, max: number): number => (value < 0 ? 0 : Math.min(value, max));

/** A square of `side` about the centre of `box`, shifted into the picture if it would reach beyond. `side` must fit into the picture. */
export function squareAround(box: Box, side: number, picture: { width: number; height: number }): Box {
  const left = box.left + box.width / 2 - side / 2;
  const top = box.top + box.height / 2 - side / 2;
  return {
    left: Math.max(0, Math.min(left, picture.width - side)),
    top: Math.max(0, Math.min(top, picture.height - side)),
    width: side,
    height: side,
  };
}

/** Without a turn, it is the picture itself. */
export function turned(picture: Picture, turn: QuarterTurns): Picture {
  if (turn === 0) return picture;
  const { data: source, width, height } = picture;
  const isSideways = turn !== 2;
  const lines = isSideways ? width : height;
  const columns = isSideways ? height : width;
  // Position in the source of the turned picture's first pixel, and the steps to its neighbours to the right and below.
  const [first, right, below] = {
    1: [(height - 1) * width, -width, 1],
    2: [width * height - 1, -1, -width],
    3: [width - 1, width, -1],
  }[turn] as [number, number, number];
  const data = new Uint8Array(source.length);
  for (let y = 0, t = 0; y < lines; y += 1)
    for (let x = 0; x < columns; x += 1, t += 3) {
      const p = (first + x * right + y * below) * 3;
      data[t] = source[p]!;
      data[t + 1] = source[p + 1]!;
      data[t + 2] = source[p + 2]!;
    }
  return { data, width: columns, height: lines };
}

/** Where a box of `picture` is after the turn. */
export function turnedBox({ left, top, width, height }: Box, turn: QuarterTurns, picture: { width: number; height: number }): Box {
  const right = picture.width - left - width;
  const bottom = picture.height - top - height;
  if (turn === 1) return { left: bottom, top: left, width: height, height: width };
  if (turn === 2) return { left: right, top: bottom, width, height };
  if (turn === 3) return { left: top, top: right, width: height, height: width };
  return { left, top, width, height };
}
