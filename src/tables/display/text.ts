import { inspect } from "node:util";
import { reasonOf } from "../../core/show-value.js";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes a string for HTML content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/**
 * Escapes a string as Markdown that shows it character by character. Each ASCII punctuation mark is escaped: an address
 * becomes a link at its `:`, `.` or `@`. A line break is `<br>` and a leading space is a reference, because both can
 * begin a block.
 */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/[!-/:-@[-`{-~]/g, "\\$&")
    .replace(/^[ \t]+/, (spaces) => spaces.replaceAll(" ", "&#32;").replaceAll("\t", "&#9;"))
    .replace(/\r\n|[\r\n\u2028\u2029]/g, "<br>");
}

/** The start of `text`, followed by a note if it was shortened. */
export function cutText(text: string, limit = 50_000): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit)}\n… ${text.length - limit} more characters not shown`;
}

/** Any value as plain text, over several lines if that is more readable. */
export function inspectValue(value: unknown): string {
  try {
    return cutText(inspect(value, { depth: 4, maxArrayLength: 100, maxStringLength: 10_000, breakLength: 100 }));
  } catch (error) {
    return `[cannot be inspected: ${reasonOf(error)}]`;
  }
}
