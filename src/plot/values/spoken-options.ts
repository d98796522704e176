// Options of figures in words.
import { valueLabel } from "../../history/order/value-label.js";

/** `OPEN or BLOCKED`: a value, or several. */
export function valueWords(values: unknown): string {
  return (Array.isArray(values) ? values : [values]).map((value) => valueLabel(value)).join(" or ");
}

/** The unit of lengths of time. */
export function dayWords({ calendar }: { readonly calendar?: unknown }): "days" | "working days" {
  return calendar === undefined ? "days" : "working days";
}
