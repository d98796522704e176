import type { ChangeLog } from "./change-log.js";

/** The first changes of a log: what was known after so many insertions. Nothing is copied but causes that came later. */
export function logPrefix(log: ChangeLog, length: number): ChangeLog {
  return {
    ...log,
    length,
    ids: log.ids.first(length),
    rows: log.rows.subarray(0, length),
    keyCodes: log.keyCodes.subarray(0, length),
    valueCodes: log.valueCodes.subarray(0, length),
    timesUs: log.timesUs.subarray(0, length),
    system: log.system.subarray(0, length),
    userCodes: log.userCodes.subarray(0, length),
    ...prefixCauses(log, length),
  };
}

/** A change may name a cause that was inserted after it: its id is known then, but not the change itself. */
function prefixCauses(log: ChangeLog, length: number): Pick<ChangeLog, "causes" | "outsideCauses"> {
  const causes = log.causes.subarray(0, length);
  if (causes.every((cause) => cause < length)) return { causes, outsideCauses: log.outsideCauses };
  const outside = new Map(log.outsideCauses.map((id, index) => [id, -2 - index]));
  const codeOf = (id: string) => outside.get(id) ?? enter(outside, id);
  const known = causes.map((cause) => (cause < length ? cause : codeOf(log.ids.at(cause))));
  return { causes: known, outsideCauses: [...outside.keys()] };
}

function enter(outside: Map<string, number>, id: string): number {
  const code = -2 - outside.size;
  outside.set(id, code);
  return code;
}
