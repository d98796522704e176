import type { Dialect } from "../dialect/dialect.js";
import { usLiteral } from "../dialect/us-literal.js";
import { BEGINNING_US } from "../values/marks.js";

/** The columns of a span that say when it was, and since which change. */
export function spanTimes(dialect: Dialect): string {
  const beginning = usLiteral(BEGINNING_US);
  const instant = (us: string) => `CASE WHEN ${us} <> ${beginning} THEN ${dialect.instant(us)} END`;
  return `${instant("from_us")} AS valid_from, ${instant("to_us")} AS valid_to, CAST(id AS ${dialect.textType}) AS change_id,
  nullif(from_us, ${beginning}) AS valid_from_us, to_us AS valid_to_us`;
}
