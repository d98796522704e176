import type { OxcError } from "oxc-parser";
import type { Completeness } from "../../cell/language-engine.js";
import { type Language, parseModule } from "./syntax.js";

/** Whether code is ready to run, wants more lines, or cannot become right by adding any. */
export function codeCompleteness(code: string, language: Language): Completeness {
  const [first] = parseModule(`cell.${language}`, code).errors;
  if (!first) return { status: "complete" };
  return isOpen(first, code) ? { status: "incomplete", indent: nextIndent(code) } : { status: "invalid" };
}

/** Nothing but space and comments. */
const blank = /^(?:\s|\/\/.*|\/\*[\s\S]*?\*\/)*$/;

/** A last line that goes on in the next one: its end is escaped. */
const escapedEnd = /(?<!\\)(?:\\\\)*\\(?:\r?\n)?$/;

/** An error at the end, or of something that has no end yet but may have one on a later line. */
function isOpen({ labels: [label], message }: OxcError, code: string): boolean {
  if (!label || label.start >= code.trimEnd().length) return true;
  if (message.startsWith("Identifier expected after '?.'")) return blank.test(code.slice(label.end));
  if (/["']/.test(code[label.start] as string)) return escapedEnd.test(code);
  return /^Unterminated (multiline comment|template)/.test(message) || code[label.start] === "`";
}

/** As deep as the last line, and deeper after an open bracket. */
function nextIndent(code: string): string {
  const line = code.trimEnd().split("\n").at(-1) as string;
  const indent = (/^\s*/.exec(line) as RegExpExecArray)[0];
  return /[([{]$/.test(line) ? `${indent}  ` : indent;
}
