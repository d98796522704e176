import { InvalidArgumentError } from "commander";
import { ArgumentError } from "../../core/errors.js";
import { nameHint } from "../../core/nearest-name.js";
import { showValue } from "../../core/show-value.js";
import { parameterNames } from "../../notebook/file/inject-parameters.js";
import { readNotebook } from "../../notebook/file/notebook-file.js";

/**
 * Returns the values of `name=value` pairs: JSON values as JSON, others as strings. A number that a double cannot
 * represent exactly is an error.
 *
 * @throws ArgumentError for a pair without a name or an equals sign, and for an inexact number
 */
export function parseParameters(pairs: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(pairs.map(parsePair));
}

function parsePair(pair: string): readonly [string, unknown] {
  const equals = pair.indexOf("=");
  if (equals < 1) {
    throw new ArgumentError(`-p ${showValue(pair)} is not a name=value pair.`, {
      hint: "Write, for example, -p site_id=12.",
    });
  }
  const [name, text] = [pair.slice(0, equals), pair.slice(equals + 1)];
  return [name, jsonOrText(text, `-p ${name}`, (quoted) => `-p '${name}=${quoted}'`)];
}

/**
 * Returns the value of a command-line string: JSON, or the string itself.
 *
 * @param what start of the error message
 * @param written returns the option as users write it, for the hint
 * @throws ArgumentError for JSON with a number that a double cannot represent exactly
 */
export function jsonOrText(text: string, what: string, written: (value: string) => string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  const changed = (text.match(JSON_TOKEN) ?? []).find((token) => /^[-\d]/.test(token) && !isExact(token));
  if (changed === undefined) return value;
  const became = showNumber(Number(changed));
  throw new ArgumentError(`${what}: the number ${changed} is not exact in JavaScript; it would become ${became}.`, {
    hint: `Write it as a string: ${written(text === changed ? `"${text}"` : text.replace(changed, `"${changed}"`))}.`,
    facts: { number: changed },
  });
}

/** Strings, which can contain digits, and numbers. */
const JSON_TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** Whether a JSON number stays the same number as a double. Its digits may be written differently. */
function isExact(token: string): boolean {
  const number = Number(token);
  return Number.isFinite(number) && decimal(token) === decimal(showNumber(number));
}

/** A decimal number in normal form: its digits without zeros at both ends, and the exponent of the last digit. */
function decimal(token: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const short = digits.replace(/0+$/, "");
  if (short === "") return `${sign}0`;
  return `${sign}${short}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - short.length)}`;
}

function showNumber(number: number): string {
  return Object.is(number, -0) ? "-0" : String(number);
}

/**
 * Returns an error for each notebook and each of `names` that its cell tagged `parameters` does not declare. A notebook
 * without such a cell accepts every name.
 *
 * @param advice last sentence of the hints
 */
export async function checkParameters(
  paths: readonly string[],
  names: readonly string[],
  advice = "",
): Promise<readonly ArgumentError[]> {
  if (names.length === 0) return [];
  const namesOfPaths = await Promise.all(paths.map(declaredParameters));
  return paths.flatMap((path, index) => {
    const declared = namesOfPaths[index];
    if (!declared) return [];
    return names
      .filter((name) => !declared.includes(name))
      .map((name) => unknownParameter(path, name, declared, advice));
  });
}

/**
 * The names that the cell tagged `parameters` of a notebook declares; undefined without such a cell. A notebook that
 * cannot be read fails later, when it runs, and does not stop the others.
 */
export async function declaredParameters(path: string): Promise<readonly string[] | undefined> {
  const notebook = await readNotebook(path).catch(() => undefined);
  return notebook && parameterNames(notebook);
}

function unknownParameter(path: string, name: string, declared: readonly string[], advice: string): ArgumentError {
  const all = declared.length === 0 ? "Its `parameters` cell is empty." : `Parameters: ${declared.join(", ")}.`;
  return new ArgumentError(`${path}: unknown parameter ${name}.`, {
    hint: nameHint(name, declared, `${all} ${advice}`.trim()),
    facts: { notebook: path, parameter: name, known: declared },
  });
}

/** Returns a parser for an integer option within bounds. */
export function integerOption(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be an integer from ${min} to ${max}.`);
  };
}

/** Parses the number of a generation. */
export const generationOption = integerOption(1, 1_000_000_000);

/** Parses an id, or `null` for features without one. */
export function integerOrNull(text: string): number | null {
  return text === "null" ? null : integerOption(0, Number.MAX_SAFE_INTEGER)(text);
}
