import { types } from "node:util";
import { printable } from "../../../core/printable.js";
import { readSafely } from "../../../core/show-value.js";
import type { MimeBundle } from "../mime-bundle.js";
import { cutText, escapeHtml, inspectValue } from "../text.js";

/** An error in a displayed list, and its relation to the others. */
export interface ErrorLink {
  /** `Caused by:` or `One of its errors:`; empty for the first. */
  readonly label: string;
  readonly error: unknown;
  readonly name: string;
  readonly message: string;
  /** How to fix it, if known. */
  readonly hint: string | undefined;
  /** True for errors that Siteframe throws on purpose: their messages are complete, so they need no stack. */
  readonly isOwn: boolean;
}

const maxDepth = 5;
const maxSiblings = 5;
const maxMessage = 5000;

/** The thrown value with its causes and the errors of an `AggregateError`, each once. */
export function errorChain(thrown: unknown): readonly ErrorLink[] {
  const links: ErrorLink[] = [];
  const seen = new Set<unknown>();
  const add = (error: unknown, label: string, depth: number): void => {
    if (depth > maxDepth || seen.has(error)) return;
    seen.add(error);
    links.push(errorLink(error, label));
    const siblings = errorsOf(error);
    for (const sibling of siblings.slice(0, maxSiblings)) add(sibling, "One of its errors:", depth + 1);
    if (siblings.length > maxSiblings) {
      links.push(note(`… and ${siblings.length - maxSiblings} more errors`));
    }
    const cause = causeOf(error);
    if (cause !== undefined) add(cause, "Caused by:", depth + 1);
  };
  add(thrown, "", 0);
  return links;
}

/** The heading lines of an error: label, name and message, hint. */
export function errorHeading({ label, name, message, hint }: ErrorLink): readonly string[] {
  return [
    ...(label === "" ? [] : ["", label]),
    name === "" ? message : `${name}: ${message}`,
    ...(hint === undefined ? [] : [hint]),
  ];
}

/** Errors may come from another realm or another copy of a library, so `instanceof` does not recognize them all. */
export function isErrorLike(value: unknown): value is { name: unknown; message: unknown; [other: string]: unknown } {
  return typeof value === "object" && value !== null && readSafely(() => "name" in value && "message" in value, false);
}

function errorLink(error: unknown, label: string): ErrorLink {
  const hint = hintOf(error);
  if (!isErrorLike(error)) return { label, error, name: "Thrown", message: inspectedText(error), hint, isOwn: false };
  const name = readSafely(() => String(error.name), "Thrown");
  const message = readSafely(() => cutText(String(error.message), maxMessage), undefined) ?? inspectedText(error);
  return { label, error, name, message, hint, isOwn: readSafely(() => isOwnError(error), false) };
}

function isOwnError(error: Readonly<Record<string, unknown>>): boolean {
  return /^ERR_/.test(String(error["code"])) && "hint" in error && "facts" in error;
}

/** Node inspects the target of a proxy, including an error whose stack frames are of no use. */
function inspectedText(value: unknown): string {
  const text = inspectValue(value);
  return types.isProxy(value) ? text.replace(/\n {4}at .*/g, "") : text;
}

function note(message: string): ErrorLink {
  return { label: "", error: undefined, name: "", message, hint: undefined, isOwn: false };
}

function errorsOf(error: unknown): readonly unknown[] {
  return readSafely(() => {
    const errors = isErrorLike(error) ? error["errors"] : undefined;
    return error instanceof Error && error.name === "AggregateError" && Array.isArray(errors) ? [...errors] : [];
  }, []);
}

function causeOf(error: unknown): unknown {
  return readSafely(() => (isErrorLike(error) ? error["cause"] : undefined), undefined);
}

function hintOf(error: unknown): string | undefined {
  const read = () => (typeof error === "object" && error !== null && "hint" in error ? error.hint : undefined);
  const hint = readSafely(read, undefined);
  return typeof hint === "string" ? hint : undefined;
}

/**
 * Renders an error as a value, not as the failure of a notebook cell.
 *
 * @param lines description. Default: its name, message and hint, and those of its causes
 */
export function renderError(
  error: unknown,
  lines: readonly string[] = errorChain(error).flatMap(errorHeading),
): MimeBundle {
  const [first = "", ...rest] = lines;
  const title = `<b style="color:#d1493f">${escapeHtml(first)}</b>`;
  const style = "margin:0;white-space:pre-wrap;overflow-wrap:anywhere";
  return {
    "text/plain": printable(lines.join("\n")),
    "text/html": `<pre style="${style}">${[title, ...rest.map(escapeHtml)].join("\n")}</pre>`,
  };
}
