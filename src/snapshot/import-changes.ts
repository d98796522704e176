import type { Dataset, LayerFeature, PropertyChange, Site } from "../api/resources.js";
import type { Diagnostic } from "../core/diagnostic.js";
import { ArgumentError } from "../core/errors.js";
import { formatInstant } from "../core/format/format-date.js";
import { showValue } from "../core/show-value.js";
import type { ChangeLog } from "../history/log/change-log.js";
import { validOrder } from "../history/log/valid-order.js";
import { type ChangesRead, readChanges } from "../source/changes-history.js";
import { type ChangeRows, checkChangesOptions, type FromChangesOptions } from "../source/changes-options.js";
import { type Column, computedColumn } from "../tables/column/column.js";
import type { Manifest } from "./format/manifest.js";
import { writeSnapshot } from "./write/write-snapshot.js";

/** Options for importing a change log. */
export interface ImportChangesOptions<Row> extends FromChangesOptions<Row> {
  /** Semantic type of the features, and name of the SQL view. Default: `"ENTITIES"`. */
  readonly type?: string | undefined;
  /** Whether to accept much fewer features or changes than in the previous generation. Default: false. */
  readonly allowShrink?: boolean | undefined;
}

/** Result of importing a change log. */
export interface ImportedChanges {
  readonly manifest: Manifest;
  readonly diagnostics: readonly Diagnostic[];
  /** First and last time in the log, in ISO 8601; undefined if it is empty. */
  readonly times: readonly [string, string] | undefined;
}

/** Id of the only site, dataset and company of such a snapshot. */
const OWNER = 1;

/**
 * Writes a snapshot of any change log, for engines, SQL and assistants.
 *
 * Features of a snapshot have numbers as ids, and changes have UUIDs. Numeric ids are kept; other ids become
 * `visible_id`, with the row as the number. UUIDs are in insertion order: version 7 with the recording time if
 * `sequence` is a time, else version 8 with the rank. Features without a creation time exist since their first change.
 * Users become numbers.
 *
 * @param rows of `fromChanges()`
 * @param path of the snapshot
 * @throws ArgumentError under the same conditions as `fromChanges()`
 * @throws SnapshotError if it cannot be written
 */
export async function importChanges<Row>(
  rows: ChangeRows<Row>,
  path: string,
  { type = "ENTITIES", allowShrink = false, ...options }: ImportChangesOptions<Row>,
): Promise<ImportedChanges> {
  checkChangesOptions("import", options);
  if (!/^[A-Z][A-Z0-9_]*$/.test(type)) {
    throw new ArgumentError(`Invalid semantic type: ${showValue(type)}.`, { hint: "Use a word in capitals: ISSUES." });
  }
  const read = await readChanges(rows, options);
  const ids = numbersOf(read.ids);
  const readAt = options.readAt ?? new Date();
  const created = creation(read.log, read.createdUs);
  const time = (us: number) => formatInstant(us);
  const manifest = await writeSnapshot(
    path,
    {
      sites: [siteOf(type)],
      datasets: [datasetOf(type)],
      layerFeatures: features(),
      propertyChanges: changes(),
    },
    { origin: { kind: "import", name: typeof rows === "string" ? rows : "changes" }, readAt, allowShrink },
  );
  return { manifest, diagnostics: read.diagnostics, times: timesOf(read.log) };

  function* features(): Generator<LayerFeature, void, undefined> {
    const present = presentValues(read, readAt.getTime() * 1000);
    for (let row = 0; row < ids.length; row += 1) {
      const created_at = time(created[row] as number);
      const properties = [...present].flatMap(([key, values]) => {
        const value = values.at(row) ?? null;
        return value === null ? [] : [[key, value] as const];
      });
      yield {
        id: ids[row] as number,
        visible_id: String(read.ids[row]),
        properties: Object.fromEntries(properties),
        geometry: null,
        dataset_id: OWNER,
        site_id: OWNER,
        operation_id: null,
        company_id: OWNER,
        semantic_type: type,
        description: null,
        created_at,
        updated_at: created_at,
      };
    }
  }

  function* changes(): Generator<PropertyChange, void, undefined> {
    const { log } = read;
    // If one user is a string, all users are numbered, so that numbers stay unique.
    const areNumbers = log.users.every((user) => typeof user !== "string");
    const userOf = log.users.map((user, code) => (user === null || areNumbers ? user : code));
    for (let change = 0; change < log.length; change += 1) {
      const row = log.rows[change] as number;
      const us = log.timesUs[change] as number;
      const isInitial = change < log.initial;
      // The start of the initial value is unknown for features without creation time.
      if (isInitial && us === Number.NEGATIVE_INFINITY) continue;
      yield {
        id: changeId(change, log.ids.timeMs(change)),
        layer_feature_id: ids[row] as number,
        property_key: log.keys[log.keyCodes[change] as number] as string,
        new_value: log.values[log.valueCodes[change] as number],
        system: isInitial,
        user_id: userOf[log.userCodes[change] as number] ?? null,
        caused_by_change_id: null,
        created_at: time(us),
      } as PropertyChange;
    }
  }
}

function timesOf({ timesUs, initial, length }: ChangeLog): readonly [string, string] | undefined {
  if (initial === length) return undefined;
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const us of timesUs.subarray(initial)) {
    first = Math.min(first, us);
    last = Math.max(last, us);
  }
  return [formatInstant(first), formatInstant(last)];
}

/** Ids of features: the log's ids if all can be ids of features, else rows from 1. */
function numbersOf(ids: readonly unknown[]): readonly number[] {
  const areNumbers = ids.every((id) => typeof id === "number" && Number.isSafeInteger(id) && id >= 0);
  return areNumbers ? (ids as readonly number[]) : ids.map((_, row) => row + 1);
}

/** Creation times of features: from their table, else of their first change. */
function creation({ rows, timesUs, initial, length }: ChangeLog, createdUs: Float64Array): Float64Array {
  const firstUs = new Float64Array(createdUs.length).fill(Number.POSITIVE_INFINITY);
  for (let change = initial; change < length; change += 1) {
    const row = rows[change] as number;
    firstUs[row] = Math.min(firstUs[row] as number, timesUs[change] as number);
  }
  return createdUs.map((us, row) => {
    if (Number.isFinite(us)) return us;
    const first = firstUs[row] as number;
    // Unknown for entities without changes.
    return Number.isFinite(first) ? first : 0;
  });
}

/** Current values by property: from the entities, else from the last changes up to the time of reading. */
function presentValues({ log, present, ids }: ChangesRead, readAtUs: number): ReadonlyMap<string, Column> {
  const last = log.keys.map(() => new Int32Array(ids.length));
  for (const change of validOrder(log.timesUs)) {
    if ((log.timesUs[change] as number) > readAtUs) break;
    const codes = last[log.keyCodes[change] as number] as Int32Array;
    codes[log.rows[change] as number] = log.valueCodes[change] as number;
  }
  const logged = log.keys.map((key, index) => {
    const codes = last[index] as Int32Array;
    return [key, computedColumn(ids.length, (row) => log.values[codes[row] as number])] as const;
  });
  return new Map<string, Column>([...logged, ...(present ?? [])]);
}

/** A UUID in insertion order: version 7 with the time, if it is known, else version 8 with the rank. */
function changeId(rank: number, recordedMs: number | undefined): string {
  const hex = (number: number) => number.toString(16).padStart(12, "0");
  if (recordedMs === undefined) return `00000000-0000-8000-8000-${hex(rank)}`;
  const time = hex(recordedMs);
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${hex(rank)}`;
}

function siteOf(name: string): Site {
  const none = { coordinates: null, peak_power: null, ac_power: null };
  const address = { address_line1: null, address_line2: null, address_line3: null };
  return { id: OWNER, company_id: OWNER, name, type: "GENERIC", stage: "OPERATION", geo_area: 0, ...none, ...address };
}

function datasetOf(type: string): Dataset {
  return {
    id: OWNER,
    identifier: type,
    site_id: OWNER,
    operation_id: null,
    name: type,
    status: "COMPLETED",
    semantic_type: type,
    layout_definition: null,
  };
}
