import { SourceMap, type SourceMapping } from "node:module";
import type { SourceText } from "./language-engine.js";

/** Longest code written before a loop for each name in it. */
const longestPrefix = 1000;

/** A position in a cell; line and column count from 1. */
export interface CellPosition {
  readonly line: number;
  readonly column: number;
}

/** Line ends as editors define them. */
export const lineEnd = /\r\n|\n|\r/;

/** Returns the position of an offset in a string. */
export function positionAt(text: string, offset: number): CellPosition {
  const lines = text.slice(0, offset).split(lineEnd);
  return { line: lines.length, column: (lines.at(-1) as string).length + 1 };
}

/** A position in the Language Server Protocol; line and character count from 0. */
interface EditorPosition {
  readonly line: number;
  readonly character: number;
}

/** Returns a string with the part between two positions replaced. */
export function withPart(
  text: string,
  { start, end }: { readonly start: EditorPosition; readonly end: EditorPosition },
  part: string,
): string {
  return text.slice(0, offsetAt(text, start)) + part + text.slice(offsetAt(text, end));
}

/** Returns the offset of a position. A position after the end of a line is at its end (LSP 3.17, Position). */
export function offsetAt(text: string, { line, character }: EditorPosition): number {
  const ends = new RegExp(lineEnd, "g");
  let start = 0;
  for (let at = 0; at < line; at += 1) {
    if (!ends.test(text)) return text.length;
    start = ends.lastIndex;
  }
  const end = ends.exec(text)?.index ?? text.length;
  return Math.min(start + character, end);
}

/** Kept after a cell is compiled, to explain errors in code that it defined. */
export interface CellSource {
  readonly text: SourceText;
  /** Maps a position in the running script to the cell; both count from 1. */
  readonly locate: (line: number, column: number) => CellPosition | undefined;
}

/** Maps from a running script to its cell or local module. */
export function cellSource(text: SourceText): CellSource {
  const { sourceMaps, linesBefore } = text;
  return {
    text,
    locate(line, column) {
      const position = original(sourceMaps, line - 1, column - 1);
      if (!position || position[0] < linesBefore) return undefined;
      return { line: position[0] - linesBefore + 1, column: position[1] + 1 };
    },
  };
}

/** Line and column, from 0, that each map leads to. */
function original(maps: readonly string[], line: number, column: number): [number, number] | undefined {
  let position: [number, number] | undefined = [line, column];
  for (const map of maps) {
    const entry = entryAt(new SourceMap(readMap(map)), ...position);
    if (!entry) return undefined;
    position = [entry.originalLine, entry.originalColumn];
  }
  return position;
}

/** Code that a compiler inserts before a line belongs to that line; the map assigns it to the code before. */
function entryAt(map: SourceMap, line: number, column: number): SourceMapping | undefined {
  const find = (at: number) => {
    const entry: SourceMapping | object = map.findEntry(line, at);
    return "originalLine" in entry ? entry : undefined;
  };
  const before = find(column);
  if (!before || before.generatedLine === line) return before;
  for (let at = column + 1; at <= column + longestPrefix; at++) {
    const after = find(at);
    if (after?.generatedLine === line) return after;
  }
  return before;
}

function readMap(map: string): ConstructorParameters<typeof SourceMap>[0] {
  if (map.startsWith("{")) return JSON.parse(map);
  const marker = "sourceMappingURL=data:application/json;base64,";
  const start = map.lastIndexOf(marker) + marker.length;
  return JSON.parse(Buffer.from(map.slice(start), "base64").toString("utf8"));
}

/**
 * Returns the offset to inspect if a user asks about `offset`: the name at or just before it, otherwise, inside the
 * brackets of a call, the name of the function.
 */
export function inspectedOffset(code: string, offset: number): number | undefined {
  const nameBefore = (end: number) => /[\p{ID_Continue}$]$/u.test(code.slice(0, end));
  if (/^[\p{ID_Continue}$]/u.test(code.slice(offset)) || nameBefore(offset)) return nameStart(code, offset);
  let depth = 0;
  for (let index = offset - 1; index >= 0; index--) {
    const character = code[index];
    if (character === ")") depth++;
    else if (character === "(" && depth > 0) depth--;
    else if (character === "(") {
      const end = code.slice(0, index).trimEnd().length;
      return nameBefore(end) ? nameStart(code, end) : undefined;
    }
  }
  return undefined;
}

function nameStart(code: string, end: number): number {
  const name = /[\p{ID_Continue}$]+$/u.exec(code.slice(0, end));
  return name ? name.index : end;
}

/** Half of a surrogate pair on its own. */
const halves = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * Returns code as other programs and editors read it, with the same length: UTF-8 cannot encode half of a surrogate
 * pair, and a lone carriage return ends a line, as in JavaScript.
 */
export function plainCode(code: string): string {
  return code.replace(halves, "\ufffd").replace(/\r(?!\n)/g, "\n");
}
