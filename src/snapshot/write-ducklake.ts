import { resolve } from "node:path";
import { ArgumentError } from "../core/errors.js";
import { checkOptions, type OptionRules, text } from "../core/options.js";
import { showValue } from "../core/show-value.js";
import { resolveTimeZone } from "../core/time-zone.js";
import { isAddress } from "../core/url-checks.js";
import type { WrittenDuckLake } from "./lake/write-lake.js";

/** Options of `writeDuckLake()`. */
export interface WriteDuckLakeOptions {
  /**
   * URL of the snapshot folder for readers, for a catalog in another location:
   * `https://data.example.com/acme.snapshot`, `s3://bucket/acme.snapshot`. Default: the location of the existing
   * catalog, else the snapshot folder.
   */
  readonly location?: string | undefined;
  /** IANA time zone of calendar dates in macros. Default: the zone of the existing catalog, else `"UTC"`. */
  readonly timeZone?: string | undefined;
}

const rules: OptionRules<WriteDuckLakeOptions> = { location: text, timeZone: text };

/**
 * Writes the DuckLake catalog of a snapshot, `lake.ducklake` in its folder: the tables in each generation of the
 * folder, the semantic types as views, and their past as macros. Every later pull, import and prune of the folder
 * updates it, with the same options.
 *
 * @param path of the snapshot folder
 * @example
 * ```ts
 * const lake = await writeDuckLake("acme.snapshot", { timeZone: "Europe/Madrid" });
 * lake.timeZone
 * ```
 * @throws ArgumentError for an invalid location or an unknown time zone
 * @throws SnapshotError if the folder is not a snapshot, cannot be written, or is being written by another process
 */
export async function writeDuckLake(path: string, options: WriteDuckLakeOptions = {}): Promise<WrittenDuckLake> {
  checkOptions("writeDuckLake()", options, rules);
  const location = options.location?.replace(/\/+$/, "");
  if (location !== undefined && !isAddress(location)) {
    throw new ArgumentError(`writeDuckLake(): location is not a URL: ${showValue(options.location)}.`, {
      hint: 'Pass "https://data.example.com/acme.snapshot" or "s3://bucket/acme.snapshot".',
      facts: { location: options.location },
    });
  }
  const root = resolve(path);
  if (options.timeZone !== undefined) resolveTimeZone(options.timeZone);
  const { lockFolder } = await import("./folder/folder-lock.js");
  const { readManifest } = await import("./folder/manifest-file.js");
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
