import { resolve } from "node:path";
import { ArgumentError } from "../core/errors.js";
import { isAddress } from "../core/is-address.js";
import { checkOptions, type OptionRules, text } from "../core/options.js";
import { showValue } from "../core/show-value.js";
import type { WrittenLake } from "./lake/write-lake.js";

/** Options of `makeLake()`. */
export interface MakeLakeOptions {
  /**
   * URL at which readers find the snapshot's folder, where the catalog lies elsewhere: `https://data.example.com/acme.snapshot`,
   * `s3://bucket/acme.snapshot`. Default: the location of the existing catalog, else the folder of the snapshot.
   */
  readonly location?: string | undefined;
  /** IANA time zone in which calendar dates that macros are given end. Default: the zone of the existing catalog, else `"UTC"`. */
  readonly timeZone?: string | undefined;
}

const rules: OptionRules<MakeLakeOptions> = { location: text, timeZone: text };

/**
 * Writes the catalog by which DuckDB attaches a snapshot as a DuckLake, `lake.ducklake` in its folder: the tables in each
 * state that the folder holds, the semantic types as views, and their past as macros. Every later pull, import and prune of the
 * folder writes it anew, with the same options.
 *
 * @param path of the snapshot's folder
 * @throws ArgumentError for a location that is no URL, or a time zone that is not known
 * @throws SnapshotError if the folder is not a snapshot, cannot be written, or is being written by another process
 */
export async function makeLake(path: string, options: MakeLakeOptions = {}): Promise<WrittenLake> {
  checkOptions("makeLake()", options, rules);
  const location = options.location?.replace(/\/+$/, "");
  if (location !== undefined && !isAddress(location)) {
    throw new ArgumentError(`makeLake(): location takes a URL, but got ${showValue(options.location)}.`, {
      hint: 'Give "https://data.example.com/acme.snapshot" or "s3://bucket/acme.snapshot".',
      facts: { location: options.location },
    });
  }
  const root = resolve(path);
  const { resolveTimeZone } = await import("../history/time/valid-time.js");
  if (options.timeZone !== undefined) resolveTimeZone(options.timeZone);
  const { lockFolder } = await import("./folder/folder-lock.js");
  const { readManifest } = await import("./folder/read-generation.js");
  const { storedSettings, writeLakeFile } = await import("./lake/write-lake.js");
  await readManifest(root);
  const lock = await lockFolder(root, () => new Date());
  try {
    const { timeZone = "UTC", ...stored } = (await storedSettings(root)) ?? {};
    return await writeLakeFile(root, {
      timeZone: options.timeZone ?? timeZone,
      ...stored,
      ...(location === undefined ? {} : { location }),
    });
  } finally {
    await lock.release();
  }
}
