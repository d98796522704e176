import { cellTags } from "./cell-tags.js";
import type { Notebook } from "./notebook.js";

const token =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|=>|\.?[\p{ID_Start}$_][\p{ID_Continue}$]*|\d[\w.]*|[^\s]/gu;
const word = /^[\p{ID_Start}$_]/u;
const keywords = new Set(["const", "let", "var"]);
const opening = new Set(["(", "[", "{"]);
const closing = new Set([")", "]", "}"]);
/** What may stand behind a variable's name where it is declared, or nothing. */
const behindName = new Set(["=", ":", "!", ",", ";", ...keywords]);

/**
 * The variables that the cell tagged `parameters` declares, in their order; undefined if there is no such cell.
 *
 * Reads tokens only: the compiler of cells takes longer to load than this to run.
 */
export function parameterNames({ cells }: Notebook): readonly string[] | undefined {
  const tagged = cells.find((cell) => cellTags(cell).includes("parameters"));
  if (!tagged) return undefined;
  const tokens = (tagged.source.match(token) ?? []).filter((text) => !/^(\/[/*]|["'`])/.test(text) || text === "/");
  return [...new Set(declaredNames(tokens))];
}

function* declaredNames(tokens: readonly string[]): Generator<string> {
  let depth = 0;
  let place: "outside" | "name" | "pattern" | "type" | "value" = "outside";
  for (const [index, text] of tokens.entries()) {
    const next = tokens[index + 1];
    if (depth === 0 && keywords.has(text)) place = "name";
    else if (opening.has(text) || (place === "type" && text === "<")) {
      if (place === "name") place = "pattern";
      depth += 1;
    } else if (closing.has(text) || (place === "type" && text === ">")) depth -= 1;
    else if (place === "pattern" && depth > 0) {
      if (word.test(text) && next !== ":" && tokens[index - 1] !== "=") yield text;
    } else if (depth > 0 || place === "outside") continue;
    else if (text === ";") place = "outside";
    else if (text === ",") place = "name";
    else if (text === "=") place = "value";
    else if (text === ":" && place !== "value") place = "type";
    else if (place === "name" && word.test(text)) {
      if (next === undefined || behindName.has(next)) yield text;
    }
  }
}
