import { setTimeout as pause } from "node:timers/promises";
import { redirectHint } from "../../client/http/request.js";
import { BodyBuffers, BodyTooLarge, decodeStream } from "../../client/http/response-body.js";
import { ArgumentError, GroundError } from "../../core/errors.js";
import { loadPackage } from "../../core/load-package.js";
import { showValue } from "../../core/show-value.js";
import { type Box, latitudeAt, longitudeAt, mercatorSize, mercatorX, mercatorY, overlap } from "./mercator.js";
import type { Raster } from "./raster.js";
import { composePictures, imageType, type PictureView, pictureUrl, unreadable } from "./read-image.js";

/** Tiles of a server, by their addresses. */
export interface TileSource {
  /** The address of a tile: `https://tiles.example.com/{z}/{x}/{y}.png`; `{-y}` counts from the south. */
  readonly tiles: string;
  /** Who is to be named below the map. */
  readonly attribution?: string;
  /** The deepest zoom that the server has. Default 19. */
  readonly maxZoom?: number;
  /** Pixels of a tile's side. Default 256. */
  readonly tileSize?: number;
  /** Headers of each request, for a key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds for a tile. Default 15,000. */
  readonly timeoutMs?: number;
}

/** Tiles of an archive in the format PMTiles. */
export interface ArchiveSource {
  /** Its path or address. */
  readonly pmtiles: string;
  /** Who is to be named below the map. Default: what the archive says. */
  readonly attribution?: string;
  /** Milliseconds for a request, where it has an address. Default 15,000. */
  readonly timeoutMs?: number;
}

/** What came of tiles. */
export interface ReadTiles {
  readonly raster: Raster;
  readonly box: Box;
  readonly attribution: string | undefined;
  /** `3 of 12 tiles are missing (404).` */
  readonly note: string | undefined;
}

/** One tile; undefined where there is none. */
type ReadTile = (z: number, x: number, y: number) => Promise<Uint8Array | undefined>;

interface TileSet {
  readonly name: string;
  readonly read: ReadTile;
  readonly minZoom: number;
  readonly maxZoom: number;
  readonly tileSize: number;
  readonly attribution: string | undefined;
}

/** More tiles than this are not asked for: a map is a picture of a screen's size. */
const MOST_TILES = 64;
const AT_ONCE = 6;
const TIMEOUT_MS = 15_000;
const RETRY_MS = 400;

/** Tiles of a server for a view. */
export function readTiles(source: TileSource, view: PictureView): Promise<ReadTiles> {
  const { tiles, headers = {}, attribution, maxZoom = 19, tileSize = 256, timeoutMs = TIMEOUT_MS } = source;
  for (const part of ["{z}", "{x}", /\{-?y\}/]) {
    if (tiles.search(part) >= 0 && /^https?:\/\/./.test(tiles)) continue;
    throw new ArgumentError(`${showValue(tiles)} is no address of tiles.`, {
      hint: "Give one such as https://tiles.example.com/{z}/{x}/{y}.png.",
    });
  }
  const name = hostOf(tiles);
  const read: ReadTile = async (z, x, y) => {
    const places: Readonly<Record<string, number>> = { z, x, y, "-y": 2 ** z - 1 - y };
    const url = tiles.replace(/\{(z|x|-?y)\}/g, (_, place: string) => String(places[place]));
    return fetchBytes(url, name, { headers, timeoutMs });
  };
  return readSet({ name, read, minZoom: 0, maxZoom, tileSize, attribution }, view);
}

/** Tiles of an archive for a view. */
export async function readArchive(source: ArchiveSource, view: PictureView): Promise<ReadTiles> {
  const { pmtiles: place, timeoutMs = TIMEOUT_MS } = source;
  const { PMTiles, TileType } = await loadPackage("A ground of PMTiles", "pmtiles", "4", () => import("pmtiles"));
  const isRemote = /^https?:\/\//.test(place);
  const name = isRemote ? hostOf(place) : place;
  const bytes = isRemote ? remoteBytes(place, name, timeoutMs) : await fileBytes(place);
  try {
    const archive = new PMTiles({ getKey: () => place, getBytes: bytes.read });
    const { tileType, minZoom, maxZoom } = await archive.getHeader();
    if (tileType === TileType.Mvt || tileType === TileType.Mlt) {
      throw new ArgumentError(`${name} holds vector tiles, which a map's ground cannot draw.`, {
        hint: "Give an archive of pictures (PNG, JPEG, WebP), or GeoJSON.",
      });
    }
    const metadata: unknown = await archive.getMetadata();
    const told: unknown = Reflect.get(Object(metadata), "attribution");
    const attribution = source.attribution ?? (typeof told === "string" ? told : undefined);
    const read: ReadTile = async (z, x, y) => {
      const tile = await archive.getZxy(z, x, y);
      return tile && new Uint8Array(tile.data);
    };
    const first = await firstTile(read, view.box, maxZoom);
    const tileSize = (first && pictureWidth(first)) ?? 256;
    return await readSet({ name, read, minZoom, maxZoom, tileSize, attribution }, view);
  } catch (cause) {
    if (cause instanceof ArgumentError || cause instanceof GroundError) throw cause;
    throw unreadable(name, cause);
  } finally {
    await bytes.close();
  }
}

async function firstTile(read: ReadTile, { west, south, east, north }: Box, zoom: number) {
  const side = 2 ** zoom;
  const [x, y] = [mercatorX((west + east) / 2) % 1, mercatorY((south + north) / 2)];
  return read(zoom, Math.floor(x * side), Math.floor(y * side));
}

/** Of a PNG; other tiles have the usual size. */
function pictureWidth(bytes: Uint8Array): number | undefined {
  return imageType(bytes) === "png" ? Buffer.from(bytes).readUInt32BE(16) : undefined;
}

interface Bytes {
  read(offset: number, length: number): Promise<{ readonly data: ArrayBuffer }>;
  close(): Promise<void>;
}

async function fileBytes(path: string): Promise<Bytes> {
  const { open } = await import("node:fs/promises");
  const file = await open(path).catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
  return {
    async read(offset, length) {
      const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, offset);
      return { data: buffer.buffer.slice(0, bytesRead) };
    },
    close: () => file.close(),
  };
}

function remoteBytes(url: string, name: string, timeoutMs: number): Bytes {
  return {
    read: async (offset, length) => {
      const headers = { range: `bytes=${offset}-${offset + length - 1}` };
      return { data: (await fetchBytes(url, name, { headers, timeoutMs, most: length })).buffer };
    },
    close: async () => {},
  };
}

/** The tiles that show a view, as one picture. */
async function readSet(set: TileSet, view: PictureView): Promise<ReadTiles> {
  const { name, read, minZoom, maxZoom, tileSize, attribution } = set;
  const size = mercatorSize(view.box);
  const [left, top] = [mercatorX(view.box.west), mercatorY(view.box.north)];
  const rangeAt = (zoom: number) => {
    const side = 2 ** zoom;
    const clamp = (row: number) => Math.max(0, Math.min(side - 1, row));
    return {
      side,
      fromX: Math.floor(left * side),
      toX: Math.ceil((left + size.width) * side) - 1,
      fromY: clamp(Math.floor(top * side)),
      toY: clamp(Math.ceil((top + size.height) * side) - 1),
    };
  };
  const countAt = (zoom: number) => {
    const { fromX, toX, fromY, toY } = rangeAt(zoom);
    return (toX - fromX + 1) * (toY - fromY + 1);
  };
  let zoom = Math.round(Math.log2(view.width / (tileSize * size.width)));
  zoom = Math.max(minZoom, Math.min(maxZoom, zoom));
  while (zoom > minZoom && countAt(zoom) > MOST_TILES) zoom -= 1;
  if (countAt(zoom) > MOST_TILES) {
    throw new ArgumentError(`${name} has only tiles of zoom ${minZoom} and deeper, too small for this map.`, {
      hint: "Give tiles of a smaller zoom.",
    });
  }
  const { side, fromX, toX, fromY, toY } = rangeAt(zoom);
  const places: (readonly [x: number, y: number])[] = [];
  for (let y = fromY; y <= toY; y += 1) for (let x = fromX; x <= toX; x += 1) places.push([x, y]);
  const found: { href: string; box: Box }[] = [];
  const missing: (string | number)[] = [];
  let failure: GroundError | undefined;
  let isOver = false;
  const queue = places.values();
  const work = async () => {
    for (const [x, y] of queue) {
      if (isOver) return;
      try {
        const bytes = await read(zoom, ((x % side) + side) % side, y);
        if (!bytes || bytes.length === 0) missing.push("not there");
        else found.push({ href: await tileUrl(bytes, name), box: tileBox(x, y, side) });
      } catch (error) {
        isOver = !(error instanceof GroundError) || isFinal(error, found.length);
        if (isOver || !(error instanceof GroundError)) throw error;
        failure ??= error;
        missing.push(error.status ?? "no answer");
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, places.length) }, work));
  if (found.length === 0 && failure) throw failure;
  if (found.length === 0) {
    throw new GroundError(`${name} has no tiles of this map at zoom ${zoom}.`, undefined, { facts: { zoom } });
  }
  const box = overlap(view.box, {
    west: longitudeAt(fromX / side),
    north: latitudeAt(fromY / side),
    east: longitudeAt((toX + 1) / side),
    south: latitudeAt((toY + 1) / side),
  });
  if (!box) throw new Error("The tiles of a view do not overlap it.");
  const raster = await composePictures(found, { ...view, box });
  const reasons = [...new Set(missing)].join(", ");
  const note =
    missing.length === 0
      ? undefined
      : `${missing.length} of ${places.length} tiles of ${name} ${missing.length === 1 ? "is" : "are"} missing (${reasons}).`;
  return { raster, box, attribution, note };
}

/** Who is refused once is refused for each tile, and a server that has not answered yet is not there. */
function isFinal({ status }: GroundError, found: number): boolean {
  return status === 401 || status === 403 || status === 429 || (status === undefined && found === 0);
}

function tileBox(x: number, y: number, side: number): Box {
  return {
    west: longitudeAt(x / side),
    north: latitudeAt(y / side),
    east: longitudeAt((x + 1) / side),
    south: latitudeAt((y + 1) / side),
  };
}

async function tileUrl(bytes: Uint8Array, name: string): Promise<string> {
  const type = imageType(bytes);
  if (type) return pictureUrl(bytes, type, `A tile of ${name}`);
  throw new ArgumentError(`${name} gives tiles that are no pictures.`, {
    hint: "A map's ground takes tiles of PNG, JPEG, GIF or WebP, no vector tiles.",
  });
}

/** Keys stand in addresses, so that errors name the host alone. */
function hostOf(address: string): string {
  try {
    return new URL(address.replaceAll(/[{}]/g, "")).host;
  } catch (cause) {
    throw new ArgumentError("The address of a ground is none.", {
      hint: "Give one such as https://tiles.example.com/{z}/{x}/{y}.png.",
      cause,
    });
  }
}

/** A tile is never larger than this. */
const MOST_BYTES = 20_000_000;

/** What a request is made with. */
interface Request {
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** The most bytes of the answer. */
  readonly most?: number;
}

/** One request, and once more after an answer that may be another the next time. */
async function fetchBytes(url: string, name: string, options: Request): Promise<Uint8Array<ArrayBuffer>> {
  const first = await attempt(url, name, options);
  if (!(first instanceof GroundError)) return first;
  if (first.status === undefined || first.status < 500) throw first;
  await pause(RETRY_MS);
  const second = await attempt(url, name, options);
  if (second instanceof GroundError) throw second;
  return second;
}

async function attempt(
  url: string,
  name: string,
  { headers, timeoutMs, most }: Request,
): Promise<Uint8Array<ArrayBuffer> | GroundError> {
  const { request } = await import("undici/index.js");
  const signal = AbortSignal.timeout(timeoutMs);
  const limit = most ?? MOST_BYTES;
  try {
    const answer = await request(url, {
      headers: { "user-agent": "siteframe", ...headers },
      signal,
      // As in `sendRequest()`: the global dispatcher lacks the guard of `safeConnector()`.
      highWaterMark: limit + 1,
    });
    const { statusCode: status, body } = answer;
    if (status >= 200 && status <= 299) {
      const decoded = decodeStream(body, answer.headers["content-encoding"]);
      return Uint8Array.from(await new BodyBuffers().read(decoded, undefined, signal, limit));
    }
    // What a refusal says is in its status.
    body.on("error", () => {}).destroy();
    const isMoved = status >= 300 && status <= 399;
    const hint = isMoved
      ? redirectHint(String(answer.headers["location"]), "the ground")
      : (hints[status] ?? "Try again later, or give another ground.");
    return new GroundError(`${name} answered a request for the ground with ${status}.`, status, {
      hint,
      facts: { host: name },
    });
  } catch (error) {
    if (error instanceof BodyTooLarge) {
      const what =
        most === undefined ? `sends more than ${MOST_BYTES / 1e6} MB for a tile` : "sends more than it was asked for";
      return new GroundError(`${name} ${what}.`, undefined, {
        hint:
          most === undefined ? "Give an address of tiles." : "Give an address that can be read in parts (HTTP ranges).",
        facts: { host: name, reason: "size" },
      });
    }
    const isSlow = signal.aborted;
    const what = isSlow ? `did not answer within ${timeoutMs} ms` : "cannot be reached";
    return new GroundError(`${name} ${what}.`, undefined, {
      hint: isSlow ? "Give more time, { timeoutMs }, or another ground." : "Give an address that can be reached.",
      facts: { host: name, reason: isSlow ? "timeout" : "unreachable" },
    });
  }
}

const hints: Readonly<Record<number, string>> = {
  401: "Give the key of the server, { headers } or in the address.",
  403: "The server refuses: give its key, { headers } or in the address, and see whether its terms allow this use.",
  404: "See whether the address has {z}, {x} and {y} where the server wants them, and whether it has tiles there.",
  429: "The server wants fewer requests: read the ground once, and give it to several maps.",
};
