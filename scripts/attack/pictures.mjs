// Small valid pictures, and archives of tiles.
import { deflateSync } from "node:zlib";

/** 16 × 16 pixels of different colors. */
export const pixels = Uint8Array.from({ length: 16 * 16 * 4 }, (_, index) =>
  index % 4 === 3 ? 255 : (index * 37) % 256,
);

/** A PNG whose header declares other sides than its data have. */
export function pngOf(width, height, data) {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  const parts = [chunk("IHDR", head), chunk("IDAT", deflateSync(data)), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...parts]);
}

const crcTable = Uint32Array.from({ length: 256 }, (_, number) => {
  let code = number;
  for (let bit = 0; bit < 8; bit += 1) code = code & 1 ? 0xedb88320 ^ (code >>> 1) : code >>> 1;
  return code >>> 0;
});

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(
    (body.reduce((crc, byte) => crcTable[(crc ^ byte) & 255] ^ (crc >>> 8), 0xffffffff) ^ 0xffffffff) >>> 0,
  );
  return Buffer.concat([length, body, check]);
}

/** A GeoTIFF of one gray channel in degrees. `next` is the place of the next directory. */
export function tiffOf({ side = 4, compression = 1, strip = Buffer.alloc(side * side, 200), next = 0 } = {}) {
  const geo = [
    [33_550, 12, [0.01, 0.01, 0]],
    [33_922, 12, [0, 0, 0, 10, 50.1, 0]],
    [34_735, 3, [1, 1, 0, 2, 1024, 0, 1, 2, 2048, 0, 1, 4326]],
  ];
  const plain = [
    ...[
      [256, 4, [side]],
      [257, 4, [side]],
      [258, 3, [8]],
      [259, 3, [compression]],
      [262, 3, [1]],
      [273, 4, [0]],
    ],
    ...[
      [277, 3, [1]],
      [278, 4, [side]],
      [279, 4, [strip.length]],
    ],
  ];
  const tags = [...plain, ...geo];
  const start = 10 + 12 * tags.length + 4;
  const sizes = { 3: 2, 4: 4, 12: 8 };
  const beside = geo.reduce((sum, [, type, values]) => sum + sizes[type] * values.length, 0);
  const bytes = Buffer.alloc(start + beside);
  bytes.write("II*\0", 0, "latin1");
  bytes.writeUInt32LE(8, 4);
  bytes.writeUInt16LE(tags.length, 8);
  let free = start;
  for (const [index, [tag, type, given]] of tags.entries()) {
    const values = tag === 273 ? [start + beside] : given;
    const at = 10 + 12 * index;
    bytes.writeUInt16LE(tag, at);
    bytes.writeUInt16LE(type, at + 2);
    bytes.writeUInt32LE(values.length, at + 4);
    const length = sizes[type] * values.length;
    let to = at + 8;
    if (length > 4) {
      bytes.writeUInt32LE(free, to);
      to = free;
      free += length;
    }
    for (const value of values) {
      if (type === 3) bytes.writeUInt16LE(value, to);
      else if (type === 4) bytes.writeUInt32LE(value, to);
      else bytes.writeDoubleLE(value, to);
      to += sizes[type];
    }
  }
  bytes.writeUInt32LE(next, start - 4);
  return Buffer.concat([bytes, strip]);
}

/** An archive in the format PMTiles 3 with one tile, without compression. */
export function pmtilesOf(tile, metadata = "{}") {
  const length = [];
  for (let rest = tile.length; ; rest = Math.floor(rest / 128)) {
    length.push((rest % 128) + (rest >= 128 ? 128 : 0));
    if (rest < 128) break;
  }
  const directory = Buffer.from([1, 0, 1, ...length, 1]);
  const header = Buffer.alloc(127);
  header.write("PMTiles", 0, "latin1");
  header[7] = 3;
  const told = Buffer.from(metadata);
  const data = 127 + directory.length + told.length;
  for (const [index, place] of [
    127,
    directory.length,
    127 + directory.length,
    told.length,
    0,
    0,
    data,
    tile.length,
  ].entries()) {
    header.writeBigUInt64LE(BigInt(place), 8 + 8 * index);
  }
  header.set([1, 1, 1, 2], 96);
  return Buffer.concat([header, directory, told, tile]);
}
