import { Option } from "commander";
import { ArgumentError } from "../../core/errors.js";
import { findSite } from "../../source/find-site.js";
import type { Source } from "../../source/source.js";

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
  const ids = await siteIds(source, given);
  return ids.map((id) => {
    if (id !== null) return id;
    throw new ArgumentError("--site null is not supported by this command.", { hint: "Use an id or a name." });
  });
}
