import { UUID_WORDS } from "../../core/uuid-words.js";
import { type ChangeLog, NONE } from "./change-log.js";
import { UuidColumn } from "./uuid-column.js";

/**
 * A log without some of its changes. What they caused has a cause outside of the log then.
 *
 * @param left positions of those that are left out, ascending
 */
export function logWithout(log: ChangeLog, left: Int32Array): ChangeLog {
  const length = log.length - left.length;
  const kept = new Int32Array(length);
  const positions = new Int32Array(log.length).fill(NONE);
  let nextLeft = 0;
  for (let change = 0; change < log.length; change += 1) {
    if (left[nextLeft] === change) {
      nextLeft += 1;
      continue;
    }
    kept[change - nextLeft] = change;
    positions[change] = change - nextLeft;
  }
  const pick = <T extends Uint8Array | Uint16Array | Int32Array | Float64Array>(column: T): T => {
    const picked = column.slice(0, length) as T;
    for (let index = 0; index < length; index += 1) picked[index] = column[kept[index] ?? 0] ?? 0;
    return picked;
  };
  const words = new Uint32Array(UUID_WORDS * length);
  for (let index = 0; index < words.length; index += 1) {
    words[index] = log.ids.words[UUID_WORDS * (kept[Math.floor(index / UUID_WORDS)] ?? 0) + (index % UUID_WORDS)] ?? 0;
  }
  return {
    ...log,
    length,
    ids: new UuidColumn(words),
    rows: pick(log.rows),
    keyCodes: pick(log.keyCodes),
    valueCodes: pick(log.valueCodes),
    timesUs: pick(log.timesUs),
    system: pick(log.system),
    userCodes: pick(log.userCodes),
    ...keptCauses(log, pick(log.causes), positions),
  };
}

function keptCauses(
  log: ChangeLog,
  causes: Int32Array,
  positions: Int32Array,
): Pick<ChangeLog, "causes" | "outsideCauses"> {
  const outsideCauses = [...log.outsideCauses];
  const outside = new Map<number, number>();
  for (const [index, cause] of causes.entries()) {
    if (cause < 0) continue;
    const position = positions[cause] ?? NONE;
    if (position === NONE && !outside.has(cause)) outside.set(cause, -1 - outsideCauses.push(log.ids.at(cause)));
    causes[index] = position === NONE ? (outside.get(cause) ?? NONE) : position;
  }
  return { causes, outsideCauses };
}
