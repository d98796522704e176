// Fills many small shapes directly into pixels, with antialiased edges. A canvas takes several times as long, because
// it prepares each path as if it were large.
//
// For each pixel that an edge passes, the change of coverage from the previous pixel is accumulated; the running sum
// along a line is the coverage of each pixel. Only plain loops over numbers are used, because this runs for each edge
// of each shape of each frame.

/** Paint for filling shapes. */
export interface PixelPaint {
  /** A square that is repeated, with red in the lowest byte, as in `ImageData`. */
  readonly pixels: Uint32Array;
  /** Its side; 1 for a single color. */
  readonly side: number;
  readonly alpha: number;
}

/** Larger shapes are drawn on the canvas. */
export const MOST_PIXELS = 62;
const SIDE = MOST_PIXELS + 3;

/** A pixel after another one with some opacity has been drawn over it. */
function mixed(below: number, colour: number, opacity: number): number {
  if (opacity === 255 || below === 0) return (colour & 0xffffff) | (opacity << 24);
  const sum = opacity + ((below >>> 24) * (255 - opacity)) / 255;
  const share = opacity / sum;
  const red = (below & 255) + ((colour & 255) - (below & 255)) * share;
  const green = ((below >>> 8) & 255) + (((colour >>> 8) & 255) - ((below >>> 8) & 255)) * share;
  const blue = ((below >>> 16) & 255) + (((colour >>> 16) & 255) - ((below >>> 16) & 255)) * share;
  return (red & 255) | ((green & 255) << 8) | ((blue & 255) << 16) | (Math.min(255, sum + 0.5) << 24);
}

/** The part of `ImageData` that is used, so that this also runs without a DOM. */
interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: { readonly buffer: ArrayBufferLike };
}

/** Changes of coverage by the edges of a window of pixels. */
function coverage() {
  const changes = new Float32Array(SIDE * SIDE);
  /** Adds an edge that passes several pixels of a line, each with the covered area after it. */
  const spread = (at: number, low: number, up: number, covered: number) => {
    let before = 0;
    for (let pixel = 0; pixel < up + 1; pixel += 1) {
      const from = low > pixel ? low : pixel;
      const to = up < pixel + 1 ? up : pixel + 1;
      const within = to > from ? (to - from) * (pixel + 1 - (from + to) / 2) : 0;
      const past = pixel > low ? (pixel < up ? pixel : up) - low : 0;
      const now = (past + within) / (up - low);
      changes[at + pixel] = (changes[at + pixel] as number) + covered * (now - before);
      before = now;
    }
  };
  /** Adds an edge, with coordinates relative to a window of pixels of the given width. */
  const edge = (fromX: number, fromY: number, toX: number, toY: number, wide: number) => {
    const way = fromY < toY ? 1 : -1;
    const end = fromY < toY ? toY : fromY;
    const slope = (toX - fromX) / (toY - fromY);
    let x = fromY < toY ? fromX : toX;
    let y = fromY < toY ? fromY : toY;
    for (let line = y | 0; y < end; line += 1) {
      const nextY = line + 1 < end ? line + 1 : end;
      const covered = way * (nextY - y);
      const nextX = x + slope * (nextY - y);
      const low = x < nextX ? x : nextX;
      const up = x < nextX ? nextX : x;
      const first = low | 0;
      const at = line * wide + first;
      if (up <= first + 1) {
        const share = covered * ((low + up) / 2 - first);
        changes[at] = (changes[at] as number) + covered - share;
        changes[at + 1] = (changes[at + 1] as number) + share;
      } else spread(at, low - first, up - first, covered);
      x = nextX;
      y = nextY;
    }
  };
  return { changes, edge };
}

/** @param make creates an empty image */
export function pixelSheet<Image extends Pixels>(make: (width: number, height: number) => Image) {
  let sheet = make(1, 1);
  let words = new Uint32Array(sheet.data.buffer);
  const { changes, edge } = coverage();

  /** An empty sheet. */
  const clear = (width: number, height: number) => {
    if (sheet.width === width && sheet.height === height) return void words.fill(0);
    sheet = make(width, height);
    words = new Uint32Array(sheet.data.buffer);
  };
  /** Fills the edges that were added to a window, and clears it. */
  const flush = (left: number, top: number, wide: number, high: number, { pixels, side, alpha }: PixelPaint) => {
    const { width, height } = sheet;
    let colour = pixels[0] as number;
    for (let line = 0, at = 0; line < high; line += 1) {
      const y = top + line;
      let sum = 0;
      for (let column = 0; column < wide; column += 1, at += 1) {
        sum += changes[at] as number;
        changes[at] = 0;
        const x = left + column;
        if (x < 0 || y < 0 || x >= width || y >= height) continue;
        if (side > 1) colour = pixels[(y % side) * side + (x % side)] as number;
        const cover = sum < 0 ? -sum : sum;
        const opacity = ((cover > 1 ? 1 : cover) * alpha * (colour >>> 24) + 0.5) | 0;
        if (opacity === 0) continue;
        const pixel = y * width + x;
        words[pixel] = mixed(words[pixel] as number, colour, opacity);
      }
    }
  };
  /**
   * Fills rings.
   *
   * @param coordinates x, y, x, y and so on
   * @param ends index after the last number of each ring
   */
  const fill = (coordinates: readonly number[], ends: readonly number[], paint: PixelPaint) => {
    let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity];
    const length = ends[ends.length - 1] as number;
    for (let at = 0; at < length; at += 2) {
      const x = coordinates[at] as number;
      const y = coordinates[at + 1] as number;
      if (x < west) west = x;
      if (x > east) east = x;
      if (y < north) north = y;
      if (y > south) south = y;
    }
    const left = Math.floor(west);
    const top = Math.floor(north);
    const wide = Math.floor(east) - left + 2;
    const high = Math.floor(south) - top + 1;
    for (let ring = 0, start = 0; ring < ends.length; ring += 1) {
      const end = ends[ring] as number;
      let fromX = (coordinates[end - 2] as number) - left;
      let fromY = (coordinates[end - 1] as number) - top;
      for (let at = start; at < end; at += 2) {
        const toX = (coordinates[at] as number) - left;
        const toY = (coordinates[at + 1] as number) - top;
        if (fromY !== toY) edge(fromX, fromY, toX, toY, wide);
        fromX = toX;
        fromY = toY;
      }
      start = end;
    }
    flush(left, top, wide, high, paint);
  };
  /** Fills a square around a point. */
  const square = (x: number, y: number, size: number, paint: PixelPaint) => {
    const left = Math.floor(x - size);
    const top = Math.floor(y - size);
    const wide = Math.floor(x + size) - left + 2;
    edge(x - size - left, y - size - top, x - size - left, y + size - top, wide);
    edge(x + size - left, y + size - top, x + size - left, y - size - top, wide);
    flush(left, top, wide, Math.floor(y + size) - top + 1, paint);
  };
  return { clear, fill, square, image: () => sheet };
}
