import { SourceMap } from "node:module";
import type { CompiledCell } from "./language-engine.js";
import type { CompiledModule } from "./module-source.js";

/** A place in a cell; line and column count from 1. */
export interface CellPosition {
  readonly line: number;
  readonly column: number;
}

/** What is kept of a cell after it was compiled, to explain errors in code that it defined. */
export interface CellSource {
  readonly code: string;
  /** From the running script back to the cell. */
  locate(line: number, column: number): CellPosition | undefined;
}

/** tslab puts one line before the cell. */
const linesBefore = 1;

/**
 * The way back from a running script to the cell: the script's map leads to the ES module, whose own map,
 * a comment in its last line, leads to the TypeScript.
 */
export function cellSource({ code, esModule, sourceMap }: CompiledCell): CellSource {
  return {
    code,
    locate(line, column) {
      const module: [number, number] | undefined =
        sourceMap === undefined ? [line - 1, column - 1] : original(sourceMap, line - 1, column - 1);
      if (!module) return undefined;
      const cell = new SourceMap(inlineMap(esModule)).findEntry(...module);
      if (!("originalLine" in cell)) return undefined;
      const cellLine = cell.originalLine - linesBefore + 1;
      return cellLine < 1 ? undefined : { line: cellLine, column: cell.originalColumn + 1 };
    },
  };
}

/** The same for a local module, which has one map. */
export function moduleSource({ code, sourceMap }: CompiledModule): CellSource {
  return {
    code,
    locate(line, column) {
      const entry = original(sourceMap, line - 1, column - 1);
      return entry && { line: entry[0] + 1, column: entry[1] + 1 };
    },
  };
}

/** Line and column, from 0, that a map leads to. */
function original(sourceMap: string, line: number, column: number): [number, number] | undefined {
  const entry = new SourceMap(JSON.parse(sourceMap)).findEntry(line, column);
  return "originalLine" in entry ? [entry.originalLine, entry.originalColumn] : undefined;
}

function inlineMap(esModule: string): ConstructorParameters<typeof SourceMap>[0] {
  const marker = "sourceMappingURL=data:application/json;base64,";
  const start = esModule.lastIndexOf(marker) + marker.length;
  return JSON.parse(Buffer.from(esModule.slice(start), "base64").toString("utf8"));
}
