// Encodes pictures as an endless GIF. All pictures share one palette, and each stores only its differences from the one before.

import gifenc from 'gifenc';
import type { PNG } from 'pngjs';

export interface Frame {
  picture: PNG;
  /** How long it is shown. */
  ms: number;
}

/** One entry of the palette is left for pixels that do not change. */
const colors = 255;
/** The palette counts one pixel of this many. It is a prime, so that no column is always skipped. */
const sampled = 7;

export function encodeGif(frames: readonly Frame[]): Uint8Array {
  const palette = paletteOf(frames);
  const unchanged = palette.length;
  const encoder = gifenc.GIFEncoder();
  let before: Uint8Array | null = null;
  for (const { picture, ms } of merged(frames)) {
    const { width, height, data } = picture;
    const now = gifenc.applyPalette(new Uint8Array(data), palette);
    const last = before;
    encoder.writeFrame(
      last === null ? now : now.map((color, at) => (color === last[at] ? unchanged : color)),
      width,
      height,
      {
        delay: ms,
        ...(last === null
          ? { palette: [...palette, [0, 0, 0]] }
          : { transparent: true, transparentIndex: unchanged, dispose: 1 }),
      },
    );
    before = now;
  }
  encoder.finish();
  return encoder.bytes();
}

/** Joins equal pictures that follow each other. */
function merged(frames: readonly Frame[]): Frame[] {
  const result: Frame[] = [];
  for (const frame of frames) {
    const last = result.at(-1);
    if (last?.picture.data.equals(frame.picture.data) === true) last.ms += frame.ms;
    else result.push({ ...frame });
  }
  return result;
}

/** The most frequent colors in a sample of the pictures, which includes the last one. */
function paletteOf(frames: readonly Frame[]): number[][] {
  const step = Math.max(1, Math.floor(frames.length / 24));
  const some = frames.filter((_, at) => at % step === 0 || at === frames.length - 1);
  const pixels = some.flatMap(({ picture: { data } }) => {
    const picked = [];
    for (let at = 0; at < data.length; at += 4 * sampled) picked.push(data.readUInt32LE(at));
    return picked;
  });
  return gifenc.quantize(new Uint8Array(Uint32Array.from(pixels).buffer), colors);
}
