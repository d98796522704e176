import { endpoints } from "../../api/endpoints.js";
import { counted } from "../../core/counted.js";
import { SiteframeError } from "../../core/errors.js";
import { printable } from "../../core/printable.js";
import type { ServedRequest } from "../../service/answers/respond.js";
import { readTarget } from "../../service/requests/route.js";
import type { RowCounts } from "../../snapshot/format/manifest.js";

/** Replaces a key, or text that may be a key. Keys are ASCII. */
const HIDDEN = "…";
const LONGEST_TARGET = 1000;
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu;

const parameters: ReadonlySet<string> = new Set([
  ...["_page", "_pageSize", "_sortBy"],
  ...Object.values(endpoints).flatMap(({ filters }) => Object.keys(filters)),
]);

/**
 * Returns a request as one line of a log: time, method, target, status, size, duration, and the error if there was one.
 * It contains no header, no key, and no value of unknown parameters, which may be a misplaced key.
 *
 * @param keys accepted by the service
 * @param at end of the request
 */
export function requestLine(served: ServedRequest, keys: readonly string[], at: Date): string {
  const { method, target, status, bytes, durationMs, error } = served;
  const outcome = `${status}${status === 499 ? " (client disconnected)" : ""} ${bytes} bytes ${durationMs.toFixed(1)} ms`;
  const request = `${method} ${shortened(withoutKeys(shownTarget(target), keys))}`;
  const cause = error === undefined ? "" : `: ${withoutKeys(errorText(error), keys)}`;
  return `${at.toISOString()} ${request} ${outcome}${cause}`.replace(UNPRINTABLE, " ");
}

function shownTarget(target: string): string {
  const { path, query } = readTarget(target);
  const pairs = query.split("&").map((pair) => {
    const [name = "", ...values] = pair.split("=");
    return parameters.has(decoded(name).replace(/\[\]$/, "")) || values.length === 0 ? pair : `${name}=${HIDDEN}`;
  });
  return query === "" ? path : `${path}?${pairs.join("&")}`;
}

/** Removes keys from a string: plain, percent-encoded in any way, and in base64. */
function withoutKeys(text: string, keys: readonly string[]): string {
  let line = text;
  for (const key of [...keys].sort((a, b) => b.length - a.length)) {
    const forms = [key, encodeURIComponent(key), Buffer.from(key).toString("base64")];
    for (const form of forms) line = line.replaceAll(form, HIDDEN);
    line = line
      .split(/([/?&=])/)
      .map((part) => (part.includes("%") && decoded(part).includes(key) ? HIDDEN : part))
      .join("");
  }
  return line;
}

function shortened(text: string): string {
  return text.length > LONGEST_TARGET ? `${text.slice(0, LONGEST_TARGET)}…` : text;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const hint = error instanceof SiteframeError && error.hint ? ` ${error.hint}` : "";
  const cause = error.cause === undefined ? "" : ` Caused by ${errorText(error.cause)}`;
  return `${error.name}: ${error.message}${hint}${cause}`;
}

/** Progress of a command. */
export interface StatusLine {
  /** Replaces the line on a terminal; does nothing elsewhere. */
  update(text: string): void;
  /** Ends the line. */
  done(text: string): void;
}

/** A status line on a terminal; files and pipes get only finished lines. */
export function statusLine(stream: NodeJS.WriteStream): StatusLine {
  const clear = stream.isTTY ? "\r\u001b[K" : "";
  return {
    update: (text) => {
      if (stream.isTTY) stream.write(`${clear}${printable(text)}`);
    },
    done: (text) => {
      stream.write(`${clear}${printable(text)}\n`);
    },
  };
}

/** Colors of messages, as SGR codes. */
const colours = { good: 32, bad: 31 } as const;

/** Returns a string in a color if the stream is a terminal with colors, unless `NO_COLOR` is set. */
export function inColour(text: string, colour: keyof typeof colours, stream: NodeJS.WriteStream): string {
  const hasColours = stream.isTTY && !process.env["NO_COLOR"] && stream.hasColors();
  return hasColours ? `\u001b[${colours[colour]}m${text}\u001b[39m` : text;
}

/**
 * Returns lines that fit a terminal, broken between words. Files and pipes get the lines unchanged, so that
 * programs can search them. Indented lines are code, and stay.
 */
export function wrapped(text: string, { isTTY, columns }: Pick<NodeJS.WriteStream, "isTTY" | "columns">): string {
  return isTTY
    ? text
        .split("\n")
        .map((line) => wrapLine(line, columns))
        .join("\n")
    : text;
}

/** @param hanging spaces before the second and later lines */
function wrapLine(line: string, width: number, hanging = 0): string {
  if (/^\s/.test(line) || line.length <= width) return line;
  const lines = [""];
  for (const word of line.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trimStart();
    if (longer.length <= width || lines.at(-1) === "") lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.join(`\n${" ".repeat(hanging)}`);
}

/** Returns terms and their descriptions in two columns, wrapped to a width. */
export function twoColumns(rows: readonly (readonly [term: string, description: string])[], width: number): string {
  const left = Math.max(...rows.map(([term]) => term.length)) + 2;
  return rows
    .map(([term, text]) => `  ${term.padEnd(left)}${wrapLine(text, Math.max(20, width - left - 2), left + 2)}`)
    .join("\n");
}

/** Writes a message and a line end to standard error. */
export function printMessage(text: string): void {
  process.stderr.write(`${wrapped(printable(text), process.stderr)}\n`);
}

/** Writes a result to standard output: unchanged to files and pipes, without control characters to a terminal. */
export function printResult(text: string): void {
  process.stdout.write(`${process.stdout.isTTY ? printable(text) : text}\n`);
}

/** Row counts as aligned lines for a terminal. */
export function rowCountLines(counts: RowCounts): string {
  const entries = Object.entries(counts).map(([name, rows]) => [name, counted(rows)] as const);
  const width = Math.max(0, ...entries.map(([, rows]) => rows.length));
  return entries.map(([name, rows]) => `  ${rows.padStart(width)}  ${name}`).join("\n");
}
