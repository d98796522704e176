import { isIP } from "node:net";
import { counted } from "./counted.js";
import { showValue } from "./show-value.js";
import { monthNames, weekdayNames } from "./strptime.js";

/**
 * The kind of a record's value, for messages: `a string of 13 characters`. Records hold personal data, so messages quote
 * values only if the caller gave them.
 */
export function valueKind(value: unknown): string {
  if (value === undefined) return "undefined";
  if (value === null) return "null";
  switch (typeof value) {
    case "string":
      return `a string of ${counted(value.length, "character")}`;
    case "number":
      return Number.isFinite(value) ? "a number" : String(value);
    case "bigint":
      return "an integer";
    case "boolean":
      return "a boolean";
    case "object":
      if (Array.isArray(value)) return `an array of ${counted(value.length, "value")}`;
      return value instanceof Date ? dateKind(value) : "an object";
    default:
      return `a ${typeof value}`;
  }
}

function dateKind(date: Date): string {
  return Number.isNaN(date.getTime()) ? "an invalid Date" : "a Date";
}

const LONGEST_SHOWN = 40;
const timeOrNumber = new RegExp(`^(?:[\\d\\-/.:,+ ]|T|Z|AM|PM|UTC|GMT|${monthNames}|${weekdayNames})*$`, "i");

/**
 * Returns a value of a column that the caller declared to hold times or numbers, for messages. It is quoted if it has
 * only characters of times and numbers, and is not a telephone number or an address. For other values only the kind is
 * shown.
 */
export function showTimeOrNumber(value: unknown): string {
  if (!["string", "number", "bigint"].includes(typeof value)) return valueKind(value);
  const text = String(value);
  return text.length <= LONGEST_SHOWN && timeOrNumber.test(text) && !isContact(text)
    ? showValue(value)
    : valueKind(value);
}

const timeOfDay = /(?:^|\D)\d{1,2}:\d\d(?!\d)/;

/** More than nine digits, however they are separated, without a time of day among them, or the address of a computer. */
function isContact(text: string): boolean {
  const isLong = text.replace(/\D/g, "").length > 9;
  return (isLong && (!timeOfDay.test(text) || /\d{10}/.test(text))) || isIP(text.trim().replace(/:\d+$/, "")) !== 0;
}

/** Values of a column for messages: quoted if its definition lists them as options, else only counted. */
export function listOptions(values: readonly unknown[], options: readonly unknown[], limit: number): string {
  const listed = values.filter((value) => options.includes(value));
  const others = values.length - listed.length;
  const texts = listed.slice(0, limit).map((value) => showValue(value));
  const more = listed.length - texts.length + others;
  if (texts.length === 0) return counted(more, "value");
  return `${texts.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
