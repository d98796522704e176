import { SourceMap, type SourceMapping } from "node:module";
import type { SourceText } from "./language-engine.js";

/** What is written before a loop, for each name in it, is the longest of these. */
const longestPrefix = 1000;

/** A place in a cell; line and column count from 1. */
export interface CellPosition {
  readonly line: number;
  readonly column: number;
}

/** Where lines end to editors. */
export const lineEnd = /\r\n|\n|\r/;

/** The place of an offset in a text. */
export function positionAt(text: string, offset: number): CellPosition {
  const lines = text.slice(0, offset).split(lineEnd);
  return { line: lines.length, column: (lines.at(-1) as string).length + 1 };
}

/** A place as the Language Server Protocol gives it: both count from 0. */
interface EditorPosition {
  readonly line: number;
  readonly character: number;
}

/** A text with another part between two places. */
export function withPart(
  text: string,
  { start, end }: { readonly start: EditorPosition; readonly end: EditorPosition },
  part: string,
): string {
  return text.slice(0, offsetAt(text, start)) + part + text.slice(offsetAt(text, end));
}

/** The offset of a place; one behind the end of a line is at its end (LSP 3.17, Position). */
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

/** What is kept of a cell after it was compiled, to explain errors in code that it defined. */
export interface CellSource {
  readonly text: SourceText;
  /** From a place in the running script back to the cell; both count from 1. */
  readonly locate: (line: number, column: number) => CellPosition | undefined;
}

/** The way back from a running script to the cell, or to the local module. */
export function cellSource(text: SourceText): CellSource {
  const { sourceMaps, linesBefore } = text;
  return {
    text,
    locate(line, column) {
      const place = original(sourceMaps, line - 1, column - 1);
      if (!place || place[0] < linesBefore) return undefined;
      return { line: place[0] - linesBefore + 1, column: place[1] + 1 };
    },
  };
}

/** Line and column, from 0, that maps lead to, one after the other. */
function original(maps: readonly string[], line: number, column: number): [number, number] | undefined {
  let place: [number, number] | undefined = [line, column];
  for (const map of maps) {
    const entry = entryAt(new SourceMap(readMap(map)), ...place);
    if (!entry) return undefined;
    place = [entry.originalLine, entry.originalColumn];
  }
  return place;
}

/** What a compiler writes before a line is of that line; the map has it with what stands before. */
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
 * Where to look when a user asks about `offset`: at the name under or just before it, else, inside the brackets of a
 * call, at the name of the function.
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

/** Half of a surrogate pair that stands alone. */
const halves = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * Code as other programs and editors have it, equally long: in UTF-8 there are no halves of surrogate pairs, and a
 * carriage return alone ends a line, as it does in JavaScript.
 */
export function plainCode(code: string): string {
  return code.replace(halves, "\ufffd").replace(/\r(?!\n)/g, "\n");
}
