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

type Place = "outside" | "name" | "pattern" | "type" | "value";

function* declaredNames(tokens: readonly string[]): Generator<string> {
  let depth = 0;
  let place: Place = "outside";
  for (const [index, text] of tokens.entries()) {
    const [before, next] = [tokens[index - 1], tokens[index + 1]];
    const inType = place === "type";
    if (opening.has(text) || (inType && text === "<")) {
      if (place === "name") place = "pattern";
      depth += 1;
    } else if (closing.has(text) || (inType && text === ">")) {
      depth -= 1;
    } else if (depth > 0) {
      if (place === "pattern" && word.test(text) && next !== ":" && before !== "=") yield text;
    } else {
      const isNamed = place === "name" && word.test(text) && !keywords.has(text);
      if (isNamed && (next === undefined || behindName.has(next))) yield text;
      place = placeBehind(place, text);
    }
  }
}

/** Where a declaration goes on behind a token that stands in no brackets. */
function placeBehind(place: Place, text: string): Place {
  if (keywords.has(text)) return "name";
  if (place === "outside" || text === ";") return "outside";
  if (text === ",") return "name";
  if (text === "=") return "value";
  return text === ":" && place !== "value" ? "type" : place;
}
