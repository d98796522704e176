import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { zxyToTileId } from "pmtiles";
import { encodePng } from "../../../src/plot/png/encode-image.js";

/** Red, green and blue of a pixel, and how opaque it is. */
export type Colour = readonly [red: number, green: number, blue: number, alpha?: number];

/** The pixels of a picture, with colours from a function. */
export function paint(width: number, height: number, colourOf: (x: number, y: number) => Colour): Uint8Array {
  const pixels = new Uint8Array(4 * width * height);
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 4) {
      const [red, green, blue, alpha = 255] = colourOf(x, y);
      pixels.set([red, green, blue, alpha], at);
    }
  }
  return pixels;
}

/** A PNG. */
export function png(width: number, height: number, colourOf: (x: number, y: number) => Colour): Promise<Uint8Array> {
  return encodePng({ width, height, pixels: paint(width, height, colourOf) }, false);
}

/** A GeoTIFF: a strip without compression, four bytes for each pixel. */
export interface TiffOptions {
  readonly width: number;
  readonly height: number;
  readonly colourOf: (x: number, y: number) => Colour;
  /** The EPSG code of the system. Undefined for a file without coordinates. */
  readonly epsg?: number;
  /** The north-west corner in the system's unit, and the size of a pixel. */
  readonly corner?: readonly [x: number, y: number];
  readonly pixel?: number;
  /** One byte a pixel, by a table of colors. GDAL also writes it in pictures that are declared as gray. */
  readonly palette?: { readonly colors: readonly Colour[]; readonly isDeclared: boolean };
}

/** Makes a GeoTIFF by its specification. */
export function geoTiff({
  width,
  height,
  colourOf,
  epsg,
  corner = [0, 0],
  pixel = 1,
  palette,
}: TiffOptions): Uint8Array {
  const painted = paint(width, height, colourOf);
  const indexAt = (pixel: number) =>
    palette?.colors.findIndex((color) => color.every((value, channel) => value === painted[4 * pixel + channel])) ?? 0;
  const pixels = palette ? Uint8Array.from({ length: width * height }, (_, pixel) => indexAt(pixel)) : painted;
  const isDegrees = epsg === 4326;
  const geo: readonly Tag[] =
    epsg === undefined
      ? []
      : [
          [33_550, 12, [pixel, pixel, 0]],
          [33_922, 12, [0, 0, 0, ...corner, 0]],
          [34_735, 3, [1, 1, 0, 2, 1024, 0, 1, isDegrees ? 2 : 1, isDegrees ? 2048 : 3072, 0, 1, epsg]],
        ];
  const tags: readonly Tag[] = [
    [256, 4, [width]],
    [257, 4, [height]],
    [258, 3, palette ? [8] : [8, 8, 8, 8]],
    [259, 3, [1]],
    [262, 3, [palette ? (palette.isDeclared ? 3 : 1) : 2]],
    [277, 3, [palette ? 1 : 4]],
    [278, 4, [height]],
    [279, 4, [pixels.length]],
    ...(palette ? [[320, 3, colorMap(palette.colors)] as const] : [[338, 3, [2]] as const]),
    ...geo,
  ];
  return tiffOf(tags, pixels);
}

/** A tag of a TIFF, with values of 2, 4 or 8 bytes. */
export type Tag = readonly [tag: number, type: 3 | 4 | 12, values: readonly number[]];

/** Writes a TIFF of one strip. The tag of the strip's place is added. `next` is the place of the next directory. */
export function tiffOf(given: readonly Tag[], strip: Uint8Array, next = 0): Uint8Array {
  const place = 273;
  const tags = [...given, [place, 4, [0]] as const].sort(([one], [other]) => one - other);
  const sizes = { 3: 2, 4: 4, 12: 8 } as const;
  const start = 8 + 2 + 12 * tags.length + 4;
  const lengths = tags.map(([, type, values]) => sizes[type] * values.length);
  const beside = lengths.reduce((sum, length) => sum + (length > 4 ? length : 0), 0);
  const bytes = Buffer.alloc(start + beside + strip.length);
  bytes.write("II*\0", 0, "latin1");
  bytes.writeUInt32LE(8, 4);
  bytes.writeUInt16LE(tags.length, 8);
  bytes.writeUInt32LE(next, start - 4);
  let free = start;
  for (const [index, [tag, type, own]] of tags.entries()) {
    const at = 10 + 12 * index;
    const values = tag === place ? [start + beside] : own;
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
  bytes.set(strip, start + beside);
  return bytes;
}

/** 16 bits of all 256 values for red, then for green, then for blue. */
function colorMap(colors: readonly Colour[]): readonly number[] {
  return [0, 1, 2].flatMap((channel) =>
    Array.from({ length: 256 }, (_, value) => 257 * (colors[value]?.[channel] ?? 0)),
  );
}

/** Makes an archive in the format PMTiles 3, without compression, of one directory. */
export function pmtiles(
  tiles: readonly { readonly z: number; readonly x: number; readonly y: number; readonly data: Uint8Array }[],
  metadata: object,
  tileType = 2,
): Uint8Array {
  const sorted = tiles.map(({ z, x, y, data }) => ({ id: zxyToTileId(z, x, y), data })).sort((a, b) => a.id - b.id);
  const directory = Buffer.from([
    ...varint(sorted.length),
    ...sorted.flatMap(({ id }, index) => varint(id - (sorted[index - 1]?.id ?? 0))),
    ...sorted.flatMap(() => varint(1)),
    ...sorted.flatMap(({ data }) => varint(data.length)),
    ...sorted.flatMap((_, index) => varint(index === 0 ? 1 : 0)),
  ]);
  const told = Buffer.from(JSON.stringify(metadata));
  const data = Buffer.concat(sorted.map((tile) => tile.data));
  const header = Buffer.alloc(127);
  header.write("PMTiles", 0, "latin1");
  header[7] = 3;
  const places = [127, directory.length, 127 + directory.length, told.length, 0, 0];
  const dataStart = 127 + directory.length + told.length;
  for (const [index, place] of [...places, dataStart, data.length].entries()) {
    header.writeBigUInt64LE(BigInt(place), 8 + 8 * index);
  }
  header.set([1, 1, 1, tileType], 96);
  const zooms = tiles.map(({ z }) => z);
  header.set([Math.min(...zooms), Math.max(...zooms)], 100);
  return Buffer.concat([header, directory, told, data]);
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

/** A server of tiles on this machine; the answer to each is a status or a picture. */
export async function tileServer(
  answer: (z: number, x: number, y: number) => Promise<number | Uint8Array | undefined>,
) {
  return answeringServer(async (request, response) => {
    const [z = 0, x = 0, y = 0] = (request.url ?? "").split(/[/.?]/).slice(1).map(Number);
    const given = await answer(z, x, y);
    // The server does not answer.
    if (given === undefined) return;
    if (typeof given === "number") response.writeHead(given).end();
    else response.writeHead(200, { "content-type": "image/png" }).end(given);
  });
}

/** A server that answers as a function does. */
export async function answeringServer(answer: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    void answer(request, response);
  });
  await new Promise<void>((go) => server.listen(0, "127.0.0.1", go));
  const { port } = server.address() as AddressInfo;
  return {
    tiles: `http://127.0.0.1:${port}/{z}/{x}/{y}.png`,
    asked,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
