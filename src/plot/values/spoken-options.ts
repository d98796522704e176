// Options of figures in words.
import { codeWords } from "../../core/translate.js";
import { valueLabel } from "../../history/order/value-label.js";

/** `Open, In progress or Blocked`: a value, or several, for titles. */
export function valueWords(values: unknown): string {
  const words = (Array.isArray(values) ? values : [values]).map((value) => codeWords(valueLabel(value)));
  return [words.slice(0, -1).join(", "), ...words.slice(-1)].filter((part) => part !== "").join(" or ");
}

/** `status`: the name of a column within a title. */
export function columnWords(column: string): string {
  const words = codeWords(column);
  return words === column ? column : words.toLowerCase();
}

/** Words at the start of a title. Short ones are units, such as `kWh`. */
export function capital(words: string): string {
  return /^[a-z]{4}/.test(words) ? words.charAt(0).toUpperCase() + words.slice(1) : words;
}

/** The unit of lengths of time. */
export function dayWords({ calendar }: { readonly calendar?: unknown }): "days" | "working days" {
  return calendar === undefined ? "days" : "working days";
}
