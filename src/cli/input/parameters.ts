import { InvalidArgumentError } from "commander";
import { ArgumentError } from "../../core/errors.js";
import { nameHint } from "../../core/nearest-name.js";
import { showValue } from "../../core/show-value.js";
import { parameterNames } from "../../notebook/file/inject-parameters.js";
import { readNotebook } from "../../notebook/file/read-notebook.js";

/**
 * Reads `name=value` pairs: a value that is JSON as JSON, any other as text. A number that a double does not hold is refused:
 * it would arrive as another one.
 *
 * @throws ArgumentError for a pair without a name or an equals sign, and for such a number
 */
export function parseParameters(pairs: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(pairs.map(parsePair));
}

function parsePair(pair: string): readonly [string, unknown] {
  const equals = pair.indexOf("=");
  if (equals < 1) {
    throw new ArgumentError(`The parameter ${showValue(pair)} is no name=value pair.`, {
      hint: "Write -p site_id=12.",
    });
  }
  const [name, text] = [pair.slice(0, equals), pair.slice(equals + 1)];
  return [name, jsonOrText(text, `The parameter ${name}`, (quoted) => `-p '${name}=${quoted}'`)];
}

/**
 * What a text of the command line means: JSON, or itself.
 *
 * @param what is said to be wrong, at the beginning of a sentence
 * @param written how the value is written on the command line
 * @throws ArgumentError for JSON with a number that would become another one
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
  throw new ArgumentError(`${what} has the number ${changed}, which no number here holds: it would become ${became}.`, {
    hint: `Give it as text: ${written(text === changed ? `"${text}"` : text.replace(changed, `"${changed}"`))}.`,
    facts: { number: changed },
  });
}

/** Texts, which may have digits in them, and numbers. */
const JSON_TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** Whether the double of a JSON number is shown as the same number: its digits may be written in another way. */
function isExact(token: string): boolean {
  const number = Number(token);
  return Number.isFinite(number) && decimal(token) === decimal(showNumber(number));
}

/** A decimal number in one form: its digits without zeros at either end, and the place of the last. */
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
 * An error for each notebook and each of `names` that its cell tagged `parameters` does not declare. A notebook without
 * such a cell takes every name.
 *
 * @param advice a sentence that the hints end with
 */
export async function checkParameters(
  paths: readonly string[],
  names: readonly string[],
  advice = "",
): Promise<readonly ArgumentError[]> {
  if (names.length === 0) return [];
  const known = await Promise.all(paths.map(knownNames));
  return paths.flatMap((path, index) => {
    const declared = known[index];
    if (!declared) return [];
    return names
      .filter((name) => !declared.includes(name))
      .map((name) => unknownParameter(path, name, declared, advice));
  });
}

/** A notebook that cannot be read fails when its turn to run comes, and keeps no other from running. */
async function knownNames(path: string): Promise<readonly string[] | undefined> {
  const notebook = await readNotebook(path).catch(() => undefined);
  return notebook && parameterNames(notebook);
}

function unknownParameter(path: string, name: string, known: readonly string[], advice: string): ArgumentError {
  const all = known.length === 0 ? "Its cell of parameters declares none." : `There are: ${known.join(", ")}.`;
  return new ArgumentError(`${path}: the notebook has no parameter ${name}.`, {
    hint: nameHint(name, known, `${all} ${advice}`.trim()),
    facts: { notebook: path, parameter: name, known },
  });
}

/** Reads an option that takes an integer within bounds. */
export function integerOption(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It takes an integer from ${min} to ${max}.`);
  };
}

/** Reads the number of a snapshot's state. */
export const generationOption = integerOption(1, 1_000_000_000);

/** Reads an id, or `null` for none. */
export function integerOrNull(text: string): number | null {
  return text === "null" ? null : integerOption(0, Number.MAX_SAFE_INTEGER)(text);
}
