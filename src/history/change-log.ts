import type { PropertyChange } from "../api/resources.js";
import { ProtocolError } from "../core/errors.js";
import type { Finding } from "../core/finding.js";
import { parseInstant } from "../core/instant.js";
import { canonicalJson, compareText } from "../core/json.js";
import { showValue } from "../core/show-value.js";
import { canonicalKey } from "../layer/property-key.js";

/** The property-change log of a layer's features in columns, one entry a change, in order of insertion. */
export interface ChangeLog {
  readonly length: number;
  /** Ids in lower case; ascending, so the position of a change is its insertion rank (`seq`). */
  readonly ids: readonly string[];
  /** Row of the changed feature in the layer. */
  readonly rows: Int32Array;
  /** Index into `keys`. */
  readonly keyCodes: Int32Array;
  /** Property keys that the log knows, in canonical form. */
  readonly keys: readonly string[];
  /** Index into `values`; 0 is null. Equal values have equal codes. */
  readonly valueCodes: Int32Array;
  readonly values: readonly unknown[];
  /** Valid time, microseconds since 1970. */
  readonly timesUs: Float64Array;
  readonly system: readonly boolean[];
  readonly userIds: readonly (number | null)[];
  readonly causes: readonly (string | null)[];
}

/** Turns a value of a property key into the one to show. */
export type ValueDecoder = (key: string, value: unknown) => unknown;

/**
 * Puts changes into columns.
 *
 * @param rowOf row of a feature id; changes of other features are left out
 * @throws ProtocolError for a `created_at` that is no instant
 */
export function changeLog(
  changes: readonly PropertyChange[],
  rowOf: ReadonlyMap<number, number>,
  decode: ValueDecoder,
): { readonly log: ChangeLog; readonly findings: readonly Finding[] } {
  const ordered = inInsertionOrder(changes.filter((change) => rowOf.has(change.layer_feature_id)));
  const keys = new Dictionary<string>();
  const values = new Dictionary<unknown>();
  values.code("null", () => null);
  const log = {
    length: ordered.length,
    ids: ordered.map(({ id }) => id.toLowerCase()),
    rows: Int32Array.from(ordered, (change) => rowOf.get(change.layer_feature_id) ?? -1),
    keyCodes: Int32Array.from(ordered, ({ property_key }) => {
      const key = canonicalKey(property_key);
      return keys.code(key, () => key);
    }),
    keys: keys.entries,
    valueCodes: Int32Array.from(ordered, ({ property_key, new_value }) => {
      const value = new_value === null ? null : decode(canonicalKey(property_key), new_value);
      return values.code(canonicalJson(value), () => value);
    }),
    values: values.entries,
    timesUs: new Float64Array(ordered.length),
    system: ordered.map(({ system }) => system),
    userIds: ordered.map(({ user_id }) => user_id ?? null),
    causes: ordered.map(({ caused_by_change_id }) => caused_by_change_id?.toLowerCase() ?? null),
  };
  const zoneless = readTimes(ordered, log.timesUs);
  return { log, findings: zonelessFinding(zoneless) };
}

/** Values by code, in order of first appearance; equal texts are one entry. */
class Dictionary<T> {
  readonly entries: T[] = [];
  readonly #codes = new Map<string, number>();

  code(text: string, make: () => T): number {
    const known = this.#codes.get(text);
    if (known !== undefined) return known;
    const code = this.entries.push(make()) - 1;
    this.#codes.set(text, code);
    return code;
  }
}

function inInsertionOrder(changes: readonly PropertyChange[]): readonly PropertyChange[] {
  return [...changes].sort((a, b) => compareText(a.id.toLowerCase(), b.id.toLowerCase()));
}

function readTimes(changes: readonly PropertyChange[], timesUs: Float64Array): number {
  let zoneless = 0;
  changes.forEach(({ id, created_at }, index) => {
    const instant = parseInstant(created_at);
    if (!instant) {
      throw new ProtocolError(
        `Property change ${id} has a created_at that is no instant: ${showValue(created_at)}.`,
        "$.created_at",
      );
    }
    if (!instant.zoned) zoneless += 1;
    timesUs[index] = instant.us;
  });
  return zoneless;
}

function zonelessFinding(count: number): Finding[] {
  if (count === 0) return [];
  return [
    {
      code: "zoneless-timestamp",
      message: `${count} ${count === 1 ? "change names" : "changes name"} no time zone; their times were read as UTC.`,
      count,
    },
  ];
}
