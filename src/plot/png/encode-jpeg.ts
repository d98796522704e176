import type { OpaqueImage } from "./encode-png.js";

/** The order in which the frequencies of a block are written. */
const zigzag = [
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
  35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47,
  55, 62, 63,
];

/** Steps of brightness and of colour at quality 50, row by row (ITU-T T.81, K.1). */
const steps = [
  [
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
    87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
    72, 92, 95, 98, 112, 100, 103, 99,
  ],
  [17, 18, 24, 47, 18, 21, 26, 66, 24, 26, 56, 99, 47, 66, 99, 99],
] as const;

/** Codes of Huffman tables: how many there are of each length from 1 to 16, and what they stand for (K.3). */
const dcCounts = [
  [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0],
  [0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0],
] as const;
const dcValues = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
const acCounts = [
  [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125],
  [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119],
] as const;
const acValues = [
  "01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738393a434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa",
  "0001020311040521310612415107617113223281081442 91a1b1c109233352f0156272d10a162434e125f11718191a262728292a35363738393a434445464748494a535455565758595a636465666768696a737475767778797a82838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa",
].map((hex) => [...Buffer.from(hex.replaceAll(" ", ""), "hex")]);

interface Table {
  readonly counts: readonly number[];
  readonly values: readonly number[];
  /** By value. */
  readonly codes: ReadonlyMap<number, readonly [code: number, length: number]>;
}

function table(counts: readonly number[], values: readonly number[]): Table {
  const codes = new Map<number, readonly [number, number]>();
  let [code, place] = [0, 0];
  for (const [index, count] of counts.entries()) {
    for (let each = 0; each < count; each += 1) codes.set(values[place++] as number, [code++, index + 1]);
    code <<= 1;
  }
  return { counts, values, codes };
}

const dcTables = dcCounts.map((counts) => table(counts, dcValues));
const acTables = acCounts.map((counts, index) => table(counts, acValues[index] as number[]));

/** cos((2x + 1) u π / 16), with the factors of the transform in it. */
const cosines = Array.from({ length: 64 }, (_, index) => {
  const [u, x] = [index >> 3, index & 7];
  return 0.5 * (u === 0 ? Math.SQRT1_2 : 1) * Math.cos(((2 * x + 1) * u * Math.PI) / 16);
});

/**
 * An opaque image as a baseline JPEG, for photographs, of which a PNG is five times as large. Colours have half of the
 * resolution.
 *
 * @param quality from 1 to 100
 */
export function encodeJpeg({ width, height, pixels }: OpaqueImage, quality: number): Uint8Array {
  const scale = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  const quantised = [0, 1].map((kind) =>
    Array.from({ length: 64 }, (_, at) => {
      const [row, column] = [at >> 3, at & 7];
      // Of colours only the lowest frequencies have steps of their own.
      const step = kind === 0 ? steps[0][at] : row < 4 && column < 4 ? steps[1][4 * row + column] : 99;
      return Math.max(1, Math.min(255, Math.floor(((step as number) * scale + 50) / 100)));
    }),
  );
  const bits = bitWriter();
  const last = [0, 0, 0];
  const block = new Float64Array(64);
  const writeBlock = (component: number) => {
    const kind = component === 0 ? 0 : 1;
    last[component] = encodeBlock(bits, block, quantised[kind] as number[], last[component] as number, kind);
  };
  const planes = planesOf(width, height, pixels);
  for (let top = 0; top < height; top += 16) {
    for (let left = 0; left < width; left += 16) {
      for (const [dx, dy] of [
        [0, 0],
        [8, 0],
        [0, 8],
        [8, 8],
      ] as const) {
        fill(block, planes[0], left + dx, top + dy);
        writeBlock(0);
      }
      for (const component of [1, 2] as const) {
        fill(block, planes[component], left / 2, top / 2);
        writeBlock(component);
      }
    }
  }
  return Buffer.concat([headers(width, height, quantised), bits.end(), Buffer.from([0xff, 0xd9])]);
}

interface Plane {
  readonly width: number;
  readonly height: number;
  readonly values: Float32Array;
}

/** Brightness, and two of colour at half the resolution. */
function planesOf(width: number, height: number, pixels: Uint8Array): readonly [Plane, Plane, Plane] {
  const bright = { width, height, values: new Float32Array(width * height) };
  const [halfWidth, halfHeight] = [Math.ceil(width / 2), Math.ceil(height / 2)];
  const half = () => ({ width: halfWidth, height: halfHeight, values: new Float32Array(halfWidth * halfHeight) });
  const [blue, red] = [half(), half()];
  const counts = new Uint8Array(halfWidth * halfHeight);
  for (let y = 0, from = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, from += 4) {
      const [r, g, b] = [pixels[from] as number, pixels[from + 1] as number, pixels[from + 2] as number];
      bright.values[y * width + x] = 0.299 * r + 0.587 * g + 0.114 * b - 128;
      const at = (y >> 1) * halfWidth + (x >> 1);
      blue.values[at] = (blue.values[at] as number) - 0.168736 * r - 0.331264 * g + 0.5 * b;
      red.values[at] = (red.values[at] as number) + 0.5 * r - 0.418688 * g - 0.081312 * b;
      counts[at] = (counts[at] as number) + 1;
    }
  }
  for (const { values } of [blue, red]) {
    for (const [at, count] of counts.entries()) values[at] = (values[at] as number) / count;
  }
  return [bright, blue, red];
}

/** Beyond the image its edge goes on. */
function fill(block: Float64Array, { width, height, values }: Plane, left: number, top: number): void {
  for (let at = 0; at < 64; at += 1) {
    const [x, y] = [Math.min(width - 1, left + (at & 7)), Math.min(height - 1, top + (at >> 3))];
    block[at] = values[y * width + x] as number;
  }
}

const rows = new Float64Array(64);

function encodeBlock(bits: BitWriter, block: Float64Array, quantised: readonly number[], before: number, kind: 0 | 1) {
  for (let y = 0; y < 8; y += 1) {
    for (let u = 0; u < 8; u += 1) {
      let sum = 0;
      for (let x = 0; x < 8; x += 1) sum += (block[8 * y + x] as number) * (cosines[8 * u + x] as number);
      rows[8 * y + u] = sum;
    }
  }
  const coefficients = zigzag.map((at) => {
    const [v, u] = [at >> 3, at & 7];
    let sum = 0;
    for (let y = 0; y < 8; y += 1) sum += (rows[8 * y + u] as number) * (cosines[8 * v + y] as number);
    return Math.round(sum / (quantised[at] as number));
  });
  const [dc, ac] = [dcTables[kind] as Table, acTables[kind] as Table];
  const first = coefficients[0] as number;
  writeNumber(bits, dc, 0, first - before);
  const end = coefficients.findLastIndex((value) => value !== 0);
  for (let at = 1, zeros = 0; at <= end; at += 1) {
    const value = coefficients[at] as number;
    if (value === 0) {
      zeros += 1;
      continue;
    }
    for (; zeros > 15; zeros -= 16) bits.put(...codeOf(ac, 0xf0));
    writeNumber(bits, ac, zeros, value);
    zeros = 0;
  }
  if (end < 63) bits.put(...codeOf(ac, 0));
  return first;
}

function writeNumber(bits: BitWriter, { codes }: Table, zeros: number, value: number): void {
  const size = 32 - Math.clz32(Math.abs(value));
  bits.put(...codeOf({ codes }, (zeros << 4) | size));
  if (size > 0) bits.put(value < 0 ? value + (1 << size) - 1 : value, size);
}

function codeOf({ codes }: Pick<Table, "codes">, value: number): readonly [code: number, length: number] {
  const code = codes.get(value);
  if (!code) throw new Error(`A JPEG has no code for ${value}.`);
  return code;
}

interface BitWriter {
  put(code: number, length: number): void;
  end(): Uint8Array;
}

function bitWriter(): BitWriter {
  const bytes: number[] = [];
  let [held, count] = [0, 0];
  const put = (code: number, length: number) => {
    held = (held << length) | code;
    count += length;
    while (count >= 8) {
      const byte = (held >> (count - 8)) & 0xff;
      bytes.push(byte);
      // What would be a marker has a zero behind it.
      if (byte === 0xff) bytes.push(0);
      count -= 8;
    }
    held &= (1 << count) - 1;
  };
  return {
    put,
    end() {
      if (count > 0) put((1 << (8 - count)) - 1, 8 - count);
      return Uint8Array.from(bytes);
    },
  };
}

function headers(width: number, height: number, quantised: readonly (readonly number[])[]): Buffer {
  const segment = (marker: number, bytes: readonly number[]) => {
    const length = bytes.length + 2;
    return Buffer.from([0xff, marker, length >> 8, length & 0xff, ...bytes]);
  };
  const huffman = ({ counts, values }: Table, place: number) => segment(0xc4, [place, ...counts, ...values]);
  const size = [height >> 8, height & 0xff, width >> 8, width & 0xff];
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, [0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]),
    ...quantised.map((table, kind) => segment(0xdb, [kind, ...zigzag.map((at) => table[at] as number)])),
    segment(0xc0, [8, ...size, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]),
    ...[0, 1].flatMap((kind) => [
      huffman(dcTables[kind] as Table, kind),
      huffman(acTables[kind] as Table, 0x10 | kind),
    ]),
    segment(0xda, [3, 1, 0, 2, 0x11, 3, 0x11, 0, 63, 0]),
  ]);
}
