import type { PropertyChange } from "../api/resources.js";
import { ProtocolError } from "../core/errors.js";
import type { Finding } from "../core/finding.js";
import { parseInstant } from "../core/instant.js";
import { compareText } from "../core/json.js";
import { showValue } from "../core/show-value.js";
import { canonicalKey } from "../layer/property-key.js";
import { type ChangeLog, type Codes, codeArray, NONE } from "./change-log.js";
import { UuidColumn } from "./uuid-column.js";
import { ValueDictionary } from "./value-dictionary.js";

/**
 * Puts records of changes into columns.
 *
 * @param rowOf row of a feature id; changes of other features are left out
 * @throws ProtocolError for a `created_at` that is no instant
 */
export function logFromRecords(
  records: readonly PropertyChange[],
  rowOf: ReadonlyMap<number, number>,
): { readonly log: ChangeLog; readonly findings: readonly Finding[] } {
  const changes = inInsertionOrder(records.filter((change) => rowOf.has(change.layer_feature_id)));
  const ids = changes.map(({ id }) => id.toLowerCase());
  const keys = encode(changes.map(({ property_key }) => canonicalKey(property_key)));
  const users = encode(changes.map(({ user_id }) => user_id ?? null));
  const values = new ValueDictionary([null]);
  const { timesUs, zoneless } = readTimes(changes);
  const log: ChangeLog = {
    length: changes.length,
    ids: UuidColumn.from(ids),
    rows: Int32Array.from(changes, (change) => rowOf.get(change.layer_feature_id) ?? NONE),
    keyCodes: keys.codes,
    keys: keys.values,
    valueCodes: Int32Array.from(changes, ({ new_value }) => values.code(new_value)),
    values: values.values,
    timesUs,
    system: Uint8Array.from(changes, ({ system }) => Number(system)),
    userCodes: users.codes,
    users: users.values,
    ...readCauses(changes, ids),
  };
  return { log, findings: zonelessFinding(zoneless) };
}

function inInsertionOrder(changes: readonly PropertyChange[]): readonly PropertyChange[] {
  return [...changes].sort((a, b) => compareText(a.id.toLowerCase(), b.id.toLowerCase()));
}

function encode<T>(column: readonly T[]): { readonly codes: Codes; readonly values: readonly T[] } {
  const values = [...new Set(column)];
  const codeOf = new Map(values.map((value, code) => [value, code]));
  const codes = codeArray(values.length, column.length);
  column.forEach((value, row) => {
    codes[row] = codeOf.get(value) ?? 0;
  });
  return { codes, values };
}

function readTimes(changes: readonly PropertyChange[]): { readonly timesUs: Float64Array; readonly zoneless: number } {
  let zoneless = 0;
  const timesUs = Float64Array.from(changes, ({ id, created_at }) => {
    const instant = parseInstant(created_at);
    if (!instant) {
      throw new ProtocolError(
        `Property change ${id} has a created_at that is no instant: ${showValue(created_at)}.`,
        "$.created_at",
      );
    }
    if (!instant.zoned) zoneless += 1;
    return instant.us;
  });
  return { timesUs, zoneless };
}

function readCauses(
  changes: readonly PropertyChange[],
  ids: readonly string[],
): Pick<ChangeLog, "causes" | "outsideCauses"> {
  const positions = new Map(ids.map((id, position) => [id, position]));
  const outside = new Map<string, number>();
  const causes = Int32Array.from(changes, ({ caused_by_change_id }) => {
    if (caused_by_change_id === null || caused_by_change_id === undefined) return NONE;
    const id = caused_by_change_id.toLowerCase();
    const position = positions.get(id) ?? outside.get(id);
    if (position !== undefined) return position;
    const code = -2 - outside.size;
    outside.set(id, code);
    return code;
  });
  return { causes, outsideCauses: [...outside.keys()] };
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
