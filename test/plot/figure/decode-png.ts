import { inflateSync } from "node:zlib";

/** The pixels of a PNG with 8 bits of red, green, blue and alpha. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** `[red, green, blue, alpha]` */
  at(x: number, y: number): readonly number[];
}

/** Reads a PNG as the renderer writes it: RGBA, 8 bits, not interlaced. */
export function decodePng(png: Uint8Array): Pixels {
  const bytes = Buffer.from(png);
  if (bytes.subarray(1, 4).toString() !== "PNG" || bytes[24] !== 8 || bytes[25] !== 6) throw new Error("no RGBA PNG");
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const parts: Buffer[] = [];
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    if (bytes.toString("latin1", at + 4, at + 8) === "IDAT")
      parts.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
  }
  const raw = inflateSync(Buffer.concat(parts));
  const stride = 4 * width;
  const pixels = new Uint8Array(stride * height);
  const read = (x: number, y: number) => (x < 0 || y < 0 ? 0 : (pixels[y * stride + x] ?? 0));
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x += 1) {
      const [left, up, corner] = [read(x - 4, y), read(x, y - 1), x < 4 ? 0 : read(x - 4, y - 1)];
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      pixels[y * stride + x] = (raw[y * (stride + 1) + 1 + x] ?? 0) + guess;
    }
  }
  return { width, height, at: (x, y) => [...pixels.subarray(y * stride + 4 * x, y * stride + 4 * x + 4)] };
}

function paeth(left: number, up: number, corner: number): number {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
