import { type Params, resolveFilters } from "../../api/filters.js";
import type { ResourceName } from "../../api/resources.js";
import type { Pseudonym } from "../../client/page/pseudonym.js";
import type { Reader } from "../../client/read/reader.js";
import { ArgumentError } from "../../core/errors.js";
import { checkOptions } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { resolveTimeZone } from "../../core/time-zone.js";
import type { LazyHistory } from "../../history/lazy/lazy-history.js";
import { type LazyHistoryOptions, openQuestions, questionsRules } from "../../history/lazy/open-lazy-history.js";
import { DuckDB, duckdb } from "../../history/questions/engine/duckdb.js";
import type { Engine } from "../../history/questions/engine/engine.js";
import { addGoneFeatures } from "../../source/gone-features.js";
import { readLayerInput } from "../../source/read-layer.js";
import type { Manifest } from "../format/manifest.js";
import type { FileFetcher } from "../remote/remote-folder.js";
import { DuckDBEngine } from "./duckdb-engine.js";

/** Members of a snapshot's reader in addition to every reader's. */
export interface LazyReader extends Reader {
  /** Returns the pseudonym of a person. */
  readonly pseudonym: Pseudonym;
  /** Ids of datasets without features. */
  hiddenDatasetIds(): Promise<readonly number[]>;
  /** Time when the records of a resource were read, milliseconds since 1970. */
  readAtOf(resource: ResourceName): number;
}

/** The snapshot of a lazy history. */
export interface LazySnapshot {
  readonly reader: LazyReader;
  readonly manifest: Manifest;
  readonly root: string;
  /** Fetches files of a remote snapshot. */
  readonly fetcher?: FileFetcher | undefined;
}

/** Opens a lazy history of the selected features of a snapshot. */
export async function snapshotLazyHistory(
  { reader, manifest, root, fetcher }: LazySnapshot,
  params: Params<"layerFeatures">,
  options: LazyHistoryOptions,
): Promise<LazyHistory> {
  checkOptions("lazyHistory()", options, questionsRules);
  const filters = resolveFilters("layerFeatures", params);
  const choice = options.engine ?? duckdb();
  if (!(choice instanceof DuckDB) && !isEngine(choice)) throw noEngine(choice);
  resolveTimeZone(options.timeZone);
  const features = manifest.files.filter(({ resource }) => resource === "layerFeatures");
  const stored = features.reduce((sum, { rows }) => sum + rows, 0);
  const engine = choice instanceof DuckDB ? await DuckDBEngine.open(root, manifest, choice, fetcher) : choice;
  const close = async () => {
    if (engine !== choice) await engine.close();
  };
  try {
    return await openQuestions(
      {
        readInput: async () =>
          addGoneFeatures(reader, filters, await readLayerInput(reader, filters, options), options),
        filters,
        hiddenDatasets: await reader.hiddenDatasetIds(),
        hasGone: options.gone !== "exclude" && (manifest.gone_files ?? []).length > 0,
        storedFeatures: stored,
        readAt: reader.readAtOf("propertyChanges"),
        pseudonym: options.redact && manifest.pseudonyms === undefined ? reader.pseudonym : undefined,
        engine,
        close,
      },
      options,
    );
  } catch (error) {
    await close();
    throw error;
  }
}

function isEngine(choice: unknown): choice is Engine {
  return typeof choice === "object" && choice !== null && "query" in choice && "dialect" in choice;
}

function noEngine(choice: unknown): ArgumentError {
  return new ArgumentError(`lazyHistory(): invalid engine ${showValue(choice)}.`, {
    hint: 'Pass duckdb({ memory: "512MB" }) or trino({ … }).',
  });
}
