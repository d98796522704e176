import { createRequire } from "node:module";
import type { Origin } from "../../core/provenance.js";

/** Details of a notebook's run, in `metadata.siteframe`. */
export interface RunRecord {
  /** Version of Siteframe. */
  readonly version: string;
  readonly node: string;
  /** Start of the run, ISO 8601. */
  readonly executed_at: string;
  /** Sources that the cells read from, in the order of first use. */
  readonly sources: readonly SourceRead[];
  /** Names of the sites that cells requested one by one; absent without any. */
  readonly sites?: readonly string[];
}

/** A source that cells read from. */
export interface SourceRead {
  readonly origin: Pick<Origin, "kind" | "name">;
  /** Generation of a snapshot. */
  readonly generation?: number;
  /** Read time of the oldest record that was used, ISO 8601. */
  readonly read_at: string;
}

const { version } = createRequire(import.meta.url)("siteframe/package.json") as { readonly version: string };

/** The record of a run by this process. */
export function runRecord(executedAt: Date, sources: readonly SourceRead[], sites: readonly string[]): RunRecord {
  const named = sites.length === 0 ? {} : { sites };
  return { version, node: process.versions.node, executed_at: executedAt.toISOString(), sources, ...named };
}

/** The record in a notebook's metadata, which is untrusted; undefined if invalid. */
export function readRunRecord(metadata: Readonly<Record<string, unknown>>): RunRecord | undefined {
  const { version, node, executed_at, sources, sites } = Object(metadata["siteframe"]) as Record<string, unknown>;
  if (typeof version !== "string" || typeof node !== "string" || !isInstant(executed_at)) return undefined;
  const named = Array.isArray(sites) ? { sites: sites.filter((site) => typeof site === "string") } : {};
  return { version, node, executed_at, sources: Array.isArray(sources) ? sources.filter(isSourceRead) : [], ...named };
}

function isSourceRead(value: unknown): value is SourceRead {
  const { origin, generation, read_at } = Object(value) as Record<string, unknown>;
  const isNumbered = generation === undefined || typeof generation === "number";
  return typeof Reflect.get(Object(origin), "name") === "string" && isNumbered && isInstant(read_at);
}

function isInstant(value: unknown): value is string {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}
