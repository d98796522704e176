import { setTimeout as pause } from "node:timers/promises";
import { redirectHint } from "../../client/http/request.js";
import { BodyBuffers, BodyTooLarge, decodeStream } from "../../client/http/response-body.js";
import { cellSignal } from "../../core/abort-signal.js";
import { ArgumentError, BasemapError, SiteframeError } from "../../core/errors.js";
import { loadPackage } from "../../core/load-package.js";
import { showValue } from "../../core/show-value.js";
import { type Box, latitudeAt, longitudeAt, mercatorSize, mercatorX, mercatorY, overlap } from "./mercator.js";
import type { PictureView, Raster } from "./raster.js";
import { composePictures, imageType, pictureUrl } from "./read-image.js";
import { unreadableBasemap } from "./unreadable-basemap.js";

/** Tiles of a server, by URL. */
export interface TileSource {
  /** URL of a tile: `https://tiles.example.com/{z}/{x}/{y}.png`; `{-y}` counts from the south. */
  readonly tiles: string;
  /** Attribution below the map. */
  readonly attribution?: string;
  /** Maximum zoom of the server. Default: 19. */
  readonly maxZoom?: number;
  /** Pixels per side of a tile. Default: 256. */
  readonly tileSize?: number;
  /** Headers of each request, for example for a key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds per tile. Default: 15,000. */
  readonly timeoutMs?: number;
}

/** Tiles of a PMTiles archive. */
export interface ArchiveSource {
  /** Path or URL of the archive. */
  readonly pmtiles: string;
  /** Attribution below the map. Default: the archive's attribution. */
  readonly attribution?: string;
  /** Milliseconds per request, for a URL. Default: 15,000. */
  readonly timeoutMs?: number;
}

/** Result of reading tiles. */
export interface ReadTiles {
  readonly raster: Raster;
  readonly box: Box;
  readonly attribution: string | undefined;
  /** `3 of 12 tiles are missing (404).` */
  readonly note: string | undefined;
}

/** Reads a tile; undefined if it does not exist. */
type ReadTile = (z: number, x: number, y: number) => Promise<Uint8Array | undefined>;

interface TileSet {
  readonly name: string;
  readonly read: ReadTile;
  readonly minZoom: number;
  readonly maxZoom: number;
  readonly tileSize: number;
  readonly attribution: string | undefined;
}

/** Maximum number of tiles: a map is about as large as a screen. */
const MOST_TILES = 64;
const AT_ONCE = 6;
const TIMEOUT_MS = 15_000;
const RETRY_MS = 400;

/** Tiles of a server for a view. */
export function readTiles(source: TileSource, view: PictureView): Promise<ReadTiles> {
  const { tiles, headers = {}, attribution, maxZoom = 19, tileSize = 256, timeoutMs = TIMEOUT_MS } = source;
  for (const part of ["{z}", "{x}", /\{-?y\}/]) {
    if (tiles.search(part) >= 0 && /^https?:\/\/./.test(tiles)) continue;
    throw new ArgumentError(`Invalid tile URL: ${showValue(tiles)}.`, {
      hint: "Use a URL such as https://tiles.example.com/{z}/{x}/{y}.png.",
    });
  }
  const name = hostOf(tiles);
  const read: ReadTile = async (z, x, y) => {
    const values: Readonly<Record<string, number>> = { z, x, y, "-y": 2 ** z - 1 - y };
    const url = tiles.replace(/\{(z|x|-?y)\}/g, (_, address: string) => String(values[address]));
    return fetchBytes(url, name, { headers, timeoutMs });
  };
  return readSet({ name, read, minZoom: 0, maxZoom, tileSize, attribution }, view);
}

/** Tiles of an archive for a view. */
export async function readArchive(source: ArchiveSource, view: PictureView): Promise<ReadTiles> {
  const { pmtiles: address, timeoutMs = TIMEOUT_MS } = source;
  const { PMTiles, TileType } = await loadPackage("A basemap of PMTiles", "pmtiles", "4", () => import("pmtiles"));
  const isRemote = /^https?:\/\//.test(address);
  const name = isRemote ? hostOf(address) : address;
  const bytes = isRemote ? remoteBytes(address, name, timeoutMs) : await fileBytes(address);
  try {
    const archive = new PMTiles({ getKey: () => address, getBytes: bytes.read });
    const { tileType, minZoom, maxZoom } = await archive.getHeader();
    if (tileType === TileType.Mvt || tileType === TileType.Mlt) {
      throw new ArgumentError(`loadBasemap(): ${name} contains vector tiles, which basemaps do not support.`, {
        hint: "Use an archive of pictures (PNG, JPEG, WebP), or GeoJSON.",
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
    if (cause instanceof SiteframeError || cause instanceof BasemapError) throw cause;
    throw unreadableBasemap(`loadBasemap(): ${name}`, name, cause);
  } finally {
    await bytes.close();
  }
}

async function firstTile(read: ReadTile, { west, south, east, north }: Box, zoom: number) {
  const side = 2 ** zoom;
  const [x, y] = [mercatorX((west + east) / 2) % 1, mercatorY((south + north) / 2)];
  return read(zoom, Math.floor(x * side), Math.floor(y * side));
}

/** The width of a PNG; other tiles have the usual size. */
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
    throw unreadableBasemap(`loadBasemap(): ${path}`, path, cause);
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

/** The tiles of a view, as one picture. */
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
    throw new ArgumentError(
      `loadBasemap(): ${name} only has tiles from zoom ${minZoom}, which are too detailed for this map.`,
      {
        hint: "Use tiles of a lower zoom.",
      },
    );
  }
  const { side, fromX, toX, fromY, toY } = rangeAt(zoom);
  const values: (readonly [x: number, y: number])[] = [];
  for (let y = fromY; y <= toY; y += 1) for (let x = fromX; x <= toX; x += 1) values.push([x, y]);
  const pictures: { href: string; box: Box }[] = [];
  const missing: (string | number)[] = [];
  let failure: BasemapError | undefined;
  let isOver = false;
  const queue = values.values();
  const work = async () => {
    for (const [x, y] of queue) {
      if (isOver) return;
      try {
        const bytes = await read(zoom, ((x % side) + side) % side, y);
        if (!bytes || bytes.length === 0) missing.push("not found");
        else pictures.push({ href: await tileUrl(bytes, name), box: tileBox(x, y, side) });
      } catch (error) {
        isOver = !(error instanceof BasemapError) || isFinal(error, pictures.length);
        if (isOver || !(error instanceof BasemapError)) throw error;
        failure ??= error;
        missing.push(error.status ?? "no answer");
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, values.length) }, work));
  if (pictures.length === 0 && failure) throw failure;
  if (pictures.length === 0) {
    throw new BasemapError(`loadBasemap(): ${name} has no tiles for this map at zoom ${zoom}.`, undefined, {
      facts: { zoom },
    });
  }
  const box = overlap(view.box, {
    west: longitudeAt(fromX / side),
    north: latitudeAt(fromY / side),
    east: longitudeAt((toX + 1) / side),
    south: latitudeAt((toY + 1) / side),
  });
  if (!box) throw new Error("The tiles of a view do not overlap it.");
  const raster = await composePictures(pictures, { ...view, box });
  const reasons = [...new Set(missing)].join(", ");
  const note =
    missing.length === 0
      ? undefined
      : `${missing.length} of ${values.length} tiles of ${name} ${missing.length === 1 ? "is" : "are"} missing (${reasons}).`;
  return { raster, box, attribution, note };
}

/** Whether to stop: a refusal applies to all tiles, and a server without any answer so far is unreachable. */
function isFinal({ status }: BasemapError, pictures: number): boolean {
  return status === 401 || status === 403 || status === 429 || (status === undefined && pictures === 0);
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
  if (type) return pictureUrl(bytes, type, `a tile of ${name}`);
  throw new ArgumentError(`loadBasemap(): the tiles of ${name} are not pictures.`, {
    hint: "Use PNG, JPEG, GIF or WebP tiles; vector tiles are not supported.",
  });
}

/** URLs may contain keys, so errors show the host only. */
function hostOf(address: string): string {
  try {
    return new URL(address.replaceAll(/[{}]/g, "")).host;
  } catch (cause) {
    throw new ArgumentError("Invalid URL of a basemap.", {
      hint: "Use a URL such as https://tiles.example.com/{z}/{x}/{y}.png.",
      cause,
    });
  }
}

/** A tile is never larger than this. */
const MOST_BYTES = 20_000_000;

/** Options of a request. */
interface Request {
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Maximum bytes of the response. */
  readonly most?: number;
}

/** One request, repeated once after a response that may be temporary. */
async function fetchBytes(url: string, name: string, options: Request): Promise<Uint8Array<ArrayBuffer>> {
  const first = await attempt(url, name, options);
  if (!(first instanceof BasemapError)) return first;
  if (first.status === undefined || first.status < 500) throw first;
  await pause(RETRY_MS);
  const second = await attempt(url, name, options);
  if (second instanceof BasemapError) throw second;
  return second;
}

async function attempt(
  url: string,
  name: string,
  { headers, timeoutMs, most }: Request,
): Promise<Uint8Array<ArrayBuffer> | BasemapError> {
  const { request } = await import("undici/index.js");
  const slow = AbortSignal.timeout(timeoutMs);
  const stopped = cellSignal();
  const signal = stopped ? AbortSignal.any([slow, stopped]) : slow;
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
    // The status is enough; the body is not needed.
    body.on("error", () => {}).destroy();
    const isMoved = status >= 300 && status <= 399;
    const hint = isMoved
      ? redirectHint(String(answer.headers["location"]), "the basemap")
      : (hints[status] ?? "Retry later, or use another basemap.");
    return new BasemapError(`loadBasemap(): ${name} refused a request for the basemap with status ${status}.`, status, {
      hint,
      facts: { host: name },
    });
  } catch (error) {
    if (error instanceof BodyTooLarge) {
      const what =
        most === undefined ? `sent more than ${MOST_BYTES / 1e6} MB for a tile` : "sent more than was requested";
      return new BasemapError(`loadBasemap(): ${name} ${what}.`, undefined, {
        hint: most === undefined ? "Use a URL of tiles." : "Use a URL that supports HTTP range requests.",
        facts: { host: name, reason: "size" },
      });
    }
    stopped?.throwIfAborted();
    const isSlow = slow.aborted;
    const what = isSlow ? `did not respond within ${timeoutMs} ms` : "cannot be reached";
    return new BasemapError(`loadBasemap(): ${name} ${what}.`, undefined, {
      hint: isSlow ? "Increase timeoutMs, or use another basemap." : "Check the URL and the network.",
      facts: { host: name, reason: isSlow ? "timeout" : "unreachable" },
    });
  }
}

const hints: Readonly<Record<number, string>> = {
  401: "Add the key of the server to { headers } or to the URL.",
  403: "Add the key of the server to { headers } or to the URL, and check whether its terms allow this use.",
  404: "Check the {z}, {x} and {y} in the URL, and whether the server has tiles for this location.",
  429: "Read the basemap once and pass it to several maps.",
};
