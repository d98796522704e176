import { ArgumentError } from "./errors.js";
import { type ParsedInstant, parseInstant } from "./instant.js";
import { showValue } from "./show-value.js";

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/** English names of months, as a part of a regular expression. */
export const monthNames =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
/** English names of weekdays, as a part of a regular expression. */
export const weekdayNames =
  "mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?";

/** A directive that matches digits: `{1,2}` next to other text, and the maximum number of digits if digits follow. */
interface Digits {
  readonly least: number;
  readonly most: number;
}

/** Directives of `strptime`: digits, or a regular expression. */
const directives: Readonly<Record<string, Digits | string>> = {
  Y: { least: 4, most: 4 },
  y: { least: 2, most: 2 },
  m: { least: 1, most: 2 },
  d: { least: 1, most: 2 },
  j: { least: 1, most: 3 },
  H: { least: 1, most: 2 },
  I: { least: 1, most: 2 },
  M: { least: 1, most: 2 },
  S: { least: 1, most: 2 },
  f: { least: 1, most: 9 },
  L: { least: 3, most: 3 },
  s: "-?\\d{1,11}",
  Q: "-?\\d{1,14}",
  b: monthNames,
  a: weekdayNames,
  p: "[ap]\\.?m\\.?",
  z: "z|[+-]\\d\\d(?::?\\d\\d)?",
  Z: "utc|gmt|z",
};

const synonyms: Readonly<Record<string, string>> = { e: "d", h: "b", B: "b", A: "a" };
const compounds: Readonly<Record<string, string>> = { F: "%Y-%m-%d", T: "%H:%M:%S", R: "%H:%M", D: "%m/%d/%y" };

/** The matched strings by directive. */
type Parts = Readonly<Record<string, string | undefined>>;

/**
 * Returns a function that reads times in a format of `strptime`: `"%d/%b/%y %I:%M %p"`. Its result is undefined if the
 * string has another format or the time does not exist.
 *
 * Supported: `%Y %y %m %b %B %d %e %j %H %I %M %S %f %L %p %z %Z %a %A %F %T %R %D %s` (seconds since 1970) and `%Q`
 * (milliseconds). Months and weekdays have English names. Two-digit years are 1969 to 2068.
 *
 * @throws ArgumentError for an unknown directive, and for a format that does not determine a date
 */
export function strptime(format: string): (text: string) => ParsedInstant | undefined {
  const pattern = patternOf(format);
  return (text) => {
    const parts = pattern.exec(text)?.groups;
    const iso = parts && isoText(parts);
    return iso === undefined ? undefined : parseInstant(iso);
  };
}

function patternOf(format: string): RegExp {
  const given = new Set<string>();
  const source = splitFormat(format)
    .map((part, index, all) => {
      if (part.length === 1) return part.replace(/[\\^$.*+?()[\]{}|/-]/, "\\$&");
      if (part === "%%") return "%";
      const name = directiveName(part);
      const directive = directives[name];
      if (directive === undefined) {
        throw formatError(
          format,
          `unknown directive ${part}`,
          `Use ${Object.keys(directives)
            .map((one) => `%${one}`)
            .join(" ")}.`,
        );
      }
      if (given.has(name)) throw formatError(format, `it contains ${part} twice`, "Name each part of a time once.");
      given.add(name);
      return `(?<${name}>${directivePattern(directive, all[index + 1])})`;
    })
    .join("");
  checkParts(format, given);
  return new RegExp(`^\\s*${source}\\s*$`, "i");
}

/** Single characters, and directives with their percent sign and without flags. */
function splitFormat(format: string): readonly string[] {
  const expanded = format.replace(/%([FTRD])/g, (_, name: string) => compounds[name] as string);
  return (expanded.match(/%[-_0]?[A-Za-z%]|./gs) ?? []).map((part) => part.replace(/^%[-_0]/, "%"));
}

function directiveName(part: string): string {
  const letter = part.slice(1);
  return synonyms[letter] ?? letter;
}

function directivePattern(directive: Digits | string, next: string | undefined): string {
  if (typeof directive === "string") return directive;
  const following = next !== undefined && next.length > 1 ? directives[directiveName(next)] : undefined;
  const isFixed = typeof following === "object";
  return `\\d{${isFixed ? directive.most : directive.least},${directive.most}}`;
}

function checkParts(format: string, given: ReadonlySet<string>): void {
  if (given.has("p") !== given.has("I")) {
    throw formatError(
      format,
      "%I (hour from 1 to 12) and %p (AM or PM) belong together",
      "Use %H for hours from 0 to 23.",
    );
  }
  if (given.has("s") || given.has("Q")) return;
  const hasYear = given.has("Y") || given.has("y");
  const hasDay = given.has("j") || ((given.has("m") || given.has("b")) && given.has("d"));
  if (!hasYear || !hasDay) {
    throw formatError(
      format,
      "it does not determine a date",
      'Include year, month and day: timeFormat: "%d/%m/%Y %H:%M".',
    );
  }
}

function formatError(format: string, problem: string, hint: string): ArgumentError {
  return new ArgumentError(`Invalid time format ${showValue(format)}: ${problem}.`, { hint, facts: { format } });
}

/** The time as ISO 8601, whose reader checks that it exists. */
function isoText(parts: Parts): string | undefined {
  const { s: seconds, Q: milliseconds } = parts;
  if (seconds !== undefined || milliseconds !== undefined) {
    return new Date(seconds === undefined ? Number(milliseconds) : Number(seconds) * 1000).toISOString();
  }
  const date = dateText(parts);
  const hour = hourText(parts);
  if (date === undefined || hour === undefined) return undefined;
  const fraction = parts["f"] ?? parts["L"];
  const zone = parts["z"] ?? (parts["Z"] === undefined ? "" : "Z");
  return `${date}T${hour}:${pad(parts["M"] ?? "0")}:${pad(parts["S"] ?? "0")}${fraction === undefined ? "" : `.${fraction}`}${zone}`;
}

function dateText({ Y, y, m, b, d, j }: Parts): string | undefined {
  const year = Y ?? (Number(y) < 69 ? `20${y}` : `19${y}`);
  if (j === undefined) {
    const month = m ?? String(months.indexOf((b as string).slice(0, 3).toLowerCase()) + 1);
    return `${year}-${pad(month)}-${pad(d as string)}`;
  }
  const day = new Date(0);
  day.setUTCFullYear(Number(year), 0, Number(j));
  const date = day.toISOString().slice(0, 10);
  return date.startsWith(year) ? date : undefined;
}

function hourText({ H, I, p }: Parts): string | undefined {
  if (I === undefined) return pad(H ?? "0");
  const hour = Number(I);
  if (hour < 1 || hour > 12) return undefined;
  return pad(String((hour % 12) + ((p as string).toLowerCase().startsWith("p") ? 12 : 0)));
}

function pad(digits: string): string {
  return digits.padStart(2, "0");
}
