import type { Scope } from "../scope/scope.js";
import { UNCHANGED_MARK } from "../values/marks.js";
import { type Carried, presentMembers } from "./feature-members.js";
import { presentValues } from "./present-values.js";
import { spanMembers } from "./span-members.js";

/** The name that people know a feature by. */
export const visibleId: Carried = { name: "visible_id", sql: "f.visible_id" };

/** What a span says, where what was never changed is what is there at present. */
export const SAID = `CASE WHEN v = '${UNCHANGED_MARK}' THEN now0 ELSE v END`;

/** `spans` of a stored result, with `visible_id` and the present value. */
export function storedSpans(scope: Scope, column: number): string[] {
  const now = presentValues(scope, [column], "now");
  return [
    ...now.members,
    ...presentMembers(scope, [visibleId, ...now.carried], now.joins),
    ...spanMembers(scope, column, ["visible_id", "now0"]),
  ];
}
