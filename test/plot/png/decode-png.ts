import { inflateSync } from "node:zlib";

/** The pixels of a PNG with 8 bits of red, green, blue and alpha. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** `[red, green, blue, alpha]` */
  at(x: number, y: number): readonly number[];
}

/** Reads a PNG of figures: 8 bits of red, green, blue and optional alpha, not interlaced. */
export function decodePng(png: Uint8Array): Pixels {
  const bytes = Buffer.from(png);
  const channels = bytes[25] === 6 ? 4 : 3;
  if (bytes.subarray(1, 4).toString() !== "PNG" || bytes[24] !== 8 || bytes[25] !== (channels === 4 ? 6 : 2)) {
    throw new Error("not a PNG of figures");
  }
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const parts: Buffer[] = [];
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    if (bytes.toString("latin1", at + 4, at + 8) === "IDAT")
      parts.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
  }
  const raw = inflateSync(Buffer.concat(parts));
  const stride = channels * width;
  const pixels = new Uint8Array(stride * height);
  const read = (x: number, y: number) => (x < 0 || y < 0 ? 0 : (pixels[y * stride + x] ?? 0));
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x += 1) {
      const before = x - channels;
      const [left, up, corner] = [read(before, y), read(x, y - 1), before < 0 ? 0 : read(before, y - 1)];
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      pixels[y * stride + x] = (raw[y * (stride + 1) + 1 + x] ?? 0) + guess;
    }
  }
  const pixel = (x: number, y: number) => [
    ...pixels.subarray(y * stride + channels * x, y * stride + channels * (x + 1)),
  ];
  return { width, height, at: (x, y) => [...pixel(x, y), 255].slice(0, 4) };
}

/** The pixels at the edge of an image that are not white. */
export function inkAtEdge({ width, height, at }: Pixels): readonly (readonly number[])[] {
  const across = Array.from({ length: width }, (_, x) => [at(x, 0), at(x, height - 1)]).flat();
  const down = Array.from({ length: height }, (_, y) => [at(0, y), at(width - 1, y)]).flat();
  return [...across, ...down].filter((pixel) => pixel.join() !== "255,255,255,255");
}

function paeth(left: number, up: number, corner: number): number {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
