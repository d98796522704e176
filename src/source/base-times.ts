import { ProtocolError } from "../core/errors.js";
import type { Finding } from "../core/finding.js";
import { showValue } from "../core/show-value.js";
import type { BaseField, FeatureColumns } from "../tables/read/feature-columns.js";
import { oddInstants } from "../tables/read/odd-instants.js";

const timestamps: readonly BaseField[] = ["created_at", "updated_at"];

/** Ids that a finding lists. */
const MOST_IDS = 100;

/**
 * What a user should know of the features' own times: those that were read as the next second, and those that do not
 * exist. The latter stay the text that came, and a feature whose creation is not known counts as one that always was.
 *
 * @param strict whether a time that does not exist is an error
 * @throws ProtocolError naming the feature, if strict
 */
export function baseTimeFindings({ base }: FeatureColumns, strict: boolean): readonly Finding[] {
  const ids = base.get("id") ?? [];
  return timestamps.flatMap((field) => {
    const column = base.get(field) ?? [];
    const { rolledOver, impossible } = oddInstants(column);
    const [row] = impossible;
    if (row !== undefined && strict) throw impossibleTime(Number(ids.at(row)), field, column.at(row), row);
    return [
      ...rolledOverFinding(field, rolledOver),
      ...impossibleFinding(
        field,
        impossible.length,
        impossible.slice(0, MOST_IDS).map((at) => Number(ids.at(at))),
      ),
    ];
  });
}

function impossibleTime(id: number, field: string, value: unknown, row: number): ProtocolError {
  return new ProtocolError(
    `Layer feature ${id} has a ${field} that names no time that exists: ${showValue(value)}.`,
    `$.data[${row}].${field}`,
    { hint: "With strict: false, such times stay as they came and are counted in a finding.", facts: { id } },
  );
}

function rolledOverFinding(field: string, count: number): Finding[] {
  if (count === 0) return [];
  const have = count === 1 ? "feature has" : "features have";
  return [
    {
      code: "rolled-over-timestamp",
      message: `${count} ${have} a ${field} at a second 60 or at 24:00:00, read as the beginning of the next second.`,
      count,
      facts: { field },
    },
  ];
}

function impossibleFinding(field: string, count: number, ids: readonly number[]): Finding[] {
  if (count === 0) return [];
  const have = count === 1 ? "feature has" : "features have";
  return [
    {
      code: "impossible-timestamp",
      message: `${count} ${have} a ${field} that names no time that exists; it stays as it came, and is null where a format has instants only.`,
      count,
      facts: { field, ids },
    },
  ];
}
