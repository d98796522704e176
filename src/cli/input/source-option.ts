import { Option } from "commander";
import { ArgumentError } from "../../core/errors.js";
import { openSnapshot } from "../../snapshot/open-snapshot.js";
import { connect } from "../../source/connect.js";
import { findSite } from "../../source/find-site.js";
import type { Source } from "../../source/source.js";

/** Returns the option `--base-url`. */
export function baseUrlOption(): Option {
  return new Option(
    "--base-url <url>",
    "address of the service (default: SITEFRAME_BASE_URL; the key is SITEFRAME_API_KEY)",
  );
}

/** Source of a command, as given on the command line. */
export interface GivenSource {
  /** Folder or address of a snapshot. Default: the live service. */
  readonly snapshot?: string | undefined;
  /** Default: the current one. */
  readonly generation?: number | undefined;
  /** Default: the environment variable. */
  readonly baseUrl?: string | undefined;
}

/** Opens the snapshot of a command, or else connects to the live service. */
export async function openSource({ snapshot, generation, baseUrl }: GivenSource): Promise<Source> {
  if (snapshot !== undefined) return openSnapshot(snapshot, generation === undefined ? {} : { generation });
  return connect(baseUrl === undefined ? {} : { baseUrl });
}

/** A site on the command line: an id, a name, or null for features without a site. */
export type GivenSite = number | string | null;

/** The `--site` option of a command. */
export function siteOption(description: string): Option {
  return new Option("--site <id or name...>", description).argParser<readonly GivenSite[]>((text, before = []) => [
    ...before,
    readSite(text),
  ]);
}

function readSite(text: string): GivenSite {
  if (text === "null") return null;
  const id = Number(text);
  return /^\d+$/.test(text) && Number.isSafeInteger(id) ? id : text;
}

/**
 * Returns the ids of sites; looks up names.
 *
 * @throws ArgumentError for an unknown name, with similar names
 */
export async function siteIds(source: Source, given: readonly GivenSite[]): Promise<readonly (number | null)[]> {
  if (given.every((site) => typeof site !== "string")) return given;
  const sites = await source.sites({}, { showProgress: false });
  return given.map((site) => (typeof site === "string" ? Number(findSite(sites, site).id) : site));
}

/**
 * Returns the ids of sites, for commands that read whole sites.
 *
 * @throws ArgumentError also for null
 */
export async function idsOf(source: Source, given: readonly GivenSite[]): Promise<readonly number[]> {
  return (await siteIds(source, requireSites(given))) as readonly number[];
}

/**
 * Returns the sites of a command that reads whole sites.
 *
 * @throws ArgumentError for null
 */
export function requireSites(given: readonly GivenSite[]): readonly (number | string)[] {
  return given.map((site) => {
    if (site !== null) return site;
    throw new ArgumentError("--site null is not supported by this command.", { hint: "Use an id or a name." });
  });
}
