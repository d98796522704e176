import { join } from "node:path";
import type { SnapshotFile } from "../format/manifest.js";
import { schemaOf } from "../format/table-schema.js";
import { LOG_FEATURES } from "./log-limits.js";
import { type PullContext, pathOf } from "./pull-context.js";
import { parquet } from "./work-tables.js";

/** Features whose log is asked for together, and what is known of it. */
export interface LogChunk {
  readonly ids: readonly number[];
  readonly sites: readonly (number | null)[];
  /** Rows of their log that the snapshot has. */
  readonly known: number;
  /** The id of the last of them; undefined if there is none. */
  readonly last: string | undefined;
}

/** Requests for the log of features, in order. They are made up as they are needed: there may be thousands. */
export interface LogPlan {
  readonly count: number;
  /** The requests `first … first + count - 1`, as far as there are so many. */
  chunks(first: number, count: number): Promise<readonly LogChunk[]>;
}

/**
 * Plans the requests for the log of features. The next plan ends this one.
 *
 * @param files the layer features of the new state
 * @param ids the features to ask for; undefined for all
 */
export async function planLog(
  context: PullContext,
  files: readonly SnapshotFile[],
  ids: readonly number[] | undefined,
): Promise<LogPlan> {
  const { tables } = context;
  await createAsked(context, files, ids);
  const known = new Map<number, { readonly rows: number; readonly last: string }>();
  const counted = await tables.rows(
    `SELECT a.chunk, count(*)::DOUBLE, max(c.id) FROM ${knownLog(context)} c JOIN asked a ON a.id = c.layer_feature_id
     GROUP BY a.chunk`,
  );
  for (const [chunk, rows, last] of counted) known.set(Number(chunk), { rows: Number(rows), last: String(last) });
  const [[count] = []] = await tables.rows("SELECT coalesce(max(chunk) + 1, 0) FROM asked");
  return {
    count: Number(count),
    async chunks(first, length) {
      const rows = await tables.rows(
        `SELECT chunk, id::DOUBLE, site::DOUBLE FROM asked WHERE chunk >= ${first} AND chunk < ${first + length}
         ORDER BY chunk, id`,
      );
      const grouped = new Map<number, { ids: number[]; sites: (number | null)[] }>();
      for (const [chunk, id, site] of rows) {
        const group = grouped.get(Number(chunk)) ?? { ids: [], sites: [] };
        grouped.set(Number(chunk), group);
        group.ids.push(Number(id));
        group.sites.push(site === null ? null : Number(site));
      }
      return [...grouped].map(([chunk, group]) => ({
        ...group,
        known: known.get(chunk)?.rows ?? 0,
        last: known.get(chunk)?.last,
      }));
    },
  };
}

/** The log that the state before has, as an SQL table. */
export function knownLog({ previous, root }: PullContext): string {
  const files = (previous?.files ?? []).filter(({ resource }) => resource === "propertyChanges");
  return parquet(
    schemaOf("propertyChanges"),
    files.map(({ path }) => join(root, path)),
  );
}

async function createAsked(
  context: PullContext,
  files: readonly SnapshotFile[],
  ids: readonly number[] | undefined,
): Promise<void> {
  const { tables } = context;
  const features = parquet(
    schemaOf("layerFeatures"),
    files.map((file) => pathOf(context, file)),
  );
  await tables.createIds("wanted", ids ?? []);
  // Features of one site stand together, so that their changes are one part; small sites share requests.
  await tables.connection.run(
    `CREATE OR REPLACE TEMP TABLE asked AS
     SELECT ((row_number() OVER (ORDER BY site_id NULLS LAST, id) - 1) // ${LOG_FEATURES})::INTEGER AS chunk, id, site_id AS site
     FROM ${features} ${ids ? "WHERE id IN (FROM wanted)" : ""}`,
  );
}
