import { dirname, isAbsolute, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Location, Position, Range, TextEdit, WorkspaceEdit } from "vscode-languageserver-protocol";
import { linesBefore, positionIn } from "../check/earlier-cells.js";
import { nativeCompiler } from "../check/native-compiler.js";
import type { BorrowedName, ShownCell } from "./notebook-text.js";

/** A range in a file that the compiler sees. */
export interface FilePosition {
  readonly file: string;
  readonly position: Position;
}

/**
 * The location of a compiler's result: in a cell, with ranges in the cell; `around` a cell, with ranges in its file; in
 * another generated file (`own`), which is hidden from users; or in a file of the user or of a package.
 */
export type Found =
  | { readonly kind: "cell" | "around"; readonly cell: ShownCell; readonly range: Range }
  | { readonly kind: "own" }
  | { readonly kind: "file"; readonly uri: string; readonly range: Range };

/** An edit of the compiler's. */
export type FoundEdit = Found & { readonly newText: string };

/** The compiler's own libraries, by its name for them. */
const libraries = "bundled:///libs/";

/** Maps from the compiler's files to the cells, for one state of the notebook. */
export class CellLocations {
  readonly cells: readonly ShownCell[];
  readonly #folder: string;
  readonly #byFile: ReadonlyMap<string, ShownCell>;
  readonly #byUri: ReadonlyMap<string, ShownCell>;

  /** @param folder of the files of cells */
  constructor(folder: string, cells: readonly ShownCell[]) {
    this.cells = cells;
    this.#folder = folder;
    this.#byFile = new Map(cells.map((cell) => [cell.file, cell]));
    this.#byUri = new Map(cells.map((cell) => [cell.uri, cell]));
  }

  cell(uri: string): ShownCell | undefined {
    return this.#byUri.get(uri);
  }

  find(uri: string, range: Range): Found {
    if (uri.startsWith(libraries)) {
      const path = join(dirname(nativeCompiler()), uri.slice(libraries.length));
      return { kind: "file", uri: pathToFileURL(path).href, range };
    }
    const path = uri.startsWith("file:") ? fileURLToPath(uri) : undefined;
    // Handles case-insensitive drive letters on Windows.
    const file = path === undefined ? ".." : relative(this.#folder, path);
    if (file.startsWith("..") || isAbsolute(file)) return { kind: "file", uri, range };
    const cell = this.#byFile.get(file);
    if (!cell) return { kind: "own" };
    const inside = cellRange(cell, range);
    return inside ? { kind: "cell", cell, range: inside } : { kind: "around", cell, range };
  }

  edits(edit: WorkspaceEdit | null | undefined): readonly FoundEdit[] {
    return Object.entries(edit?.changes ?? {}).flatMap(([uri, edits]) =>
      edits.map(({ range, newText }) => ({ ...this.find(uri, range), newText })),
    );
  }

  /**
   * Other places to ask about a name of several cells: in the cell that declares it, and before each cell that imports
   * it. The compiler may treat these as unrelated names.
   */
  sameName(result: Found): readonly FilePosition[] {
    if (result.kind !== "cell" && result.kind !== "around") return [];
    const name = result.kind === "cell" ? declaredAt(result.cell, result.range) : nameAround(result.cell, result.range);
    if (name === undefined) return [];
    const borrowed = result.kind === "around" ? borrowedAt(result.cell, result.range) : undefined;
    const file = borrowed?.file ?? result.cell.file;
    const origin = this.#byFile.get(file);
    const offset = origin?.offsets.get(name);
    const declared = origin && offset !== undefined ? [{ file, position: positionIn(origin.code, offset) }] : [];
    const borrowers = this.cells.flatMap((cell) =>
      cell.borrowed
        .filter((each) => each.name === name && each.file === file)
        .map((each) => ({ file: cell.file, position: { line: 0, character: each.declared } })),
    );
    return [...declared, ...borrowers];
  }

  /** Where to ask about the declaration that a name before a cell leads to. */
  origin(result: Found): FilePosition | undefined {
    const name = result.kind === "around" ? borrowedAt(result.cell, result.range) : undefined;
    if (!name || result.kind !== "around") return undefined;
    return { file: result.cell.file, position: { line: 0, character: name.origin } };
  }
}

function borrowedAt(cell: ShownCell, { start }: Range): BorrowedName | undefined {
  if (start.line >= linesBefore) return undefined;
  return cell.borrowed.find(({ declared, origin }) => [declared, origin].includes(start.character));
}

/** The name that a range of a cell declares at its top level. */
function declaredAt(cell: ShownCell, { start }: Range): string | undefined {
  const isHere = (offset: number) => {
    const { line, character } = positionIn(cell.code, offset);
    return line - linesBefore === start.line && character === start.character;
  };
  return [...cell.offsets].find(([, offset]) => isHere(offset))?.[0];
}

/** The name at a range before a cell, or in the list of its exports. */
function nameAround(cell: ShownCell, range: Range): string | undefined {
  const borrowed = borrowedAt(cell, range);
  if (borrowed || range.start.line < linesBefore) return borrowed?.name;
  return cell.text.split("\n").at(-1)?.slice(range.start.character, range.end.character);
}

/** A range of the compiler's text as one of the cell; undefined if it does not begin in the cell. */
export function cellRange(cell: ShownCell, { start, end }: Range): Range | undefined {
  const line = start.line - linesBefore;
  if (line < 0 || line >= cell.lineCount) return undefined;
  const last = endOf(cell);
  const isInside = end.line - linesBefore < cell.lineCount;
  return {
    start: { line, character: start.character },
    end: isInside ? { line: end.line - linesBefore, character: end.character } : last,
  };
}

/** The end position of a cell. */
export function endOf({ code }: ShownCell): Position {
  const { line, character } = positionIn(code, code.length);
  return { line: line - linesBefore, character };
}

export function serverPosition({ line, character }: Position): Position {
  return { line: line + linesBefore, character };
}

export function serverRange({ start, end }: Range): Range {
  return { start: serverPosition(start), end: serverPosition(end) };
}

/**
 * Converts a compiler's edit to one of a cell. Edits before the cell, which are imports, go to the top of the cell;
 * edits after it are dropped.
 */
function cellEdits(cell: ShownCell, { range, newText }: TextEdit): readonly TextEdit[] {
  const inside = cellRange(cell, range);
  if (inside) return [{ range: inside, newText }];
  if (range.start.line >= linesBefore) return [];
  const top = { line: 0, character: 0 };
  return [{ range: { start: top, end: top }, newText: `${newText.trim()}\n` }];
}

/** Each range once. */
export function locations(results: readonly Found[]): readonly Location[] {
  const all = results.flatMap((each): readonly (readonly [string, Location])[] => {
    const location = locationOf(each);
    return location ? [[JSON.stringify(location), location]] : [];
  });
  return [...new Map(all).values()];
}

export function locationOf(result: Found): Location | undefined {
  if (result.kind === "cell") return { uri: result.cell.uri, range: result.range };
  return result.kind === "file" ? { uri: result.uri, range: result.range } : undefined;
}

/** Edits by URI; each range once, except for insertions. */
export function changesOf(edits: readonly FoundEdit[]): Record<string, TextEdit[]> {
  const changes = new Map<string, Map<string, TextEdit>>();
  const add = (uri: string, edit: TextEdit) => {
    const fileEdits = changes.get(uri) ?? new Map<string, TextEdit>();
    const { start, end } = edit.range;
    const isInserted = start.line === end.line && start.character === end.character;
    changes.set(uri, fileEdits.set(JSON.stringify([edit.range, isInserted && edit.newText]), edit));
  };
  for (const edit of edits) {
    const { newText } = edit;
    if (edit.kind === "file") add(edit.uri, { range: edit.range, newText });
    if (edit.kind === "cell") add(edit.cell.uri, { range: edit.range, newText });
    if (edit.kind === "around") {
      for (const each of cellEdits(edit.cell, { range: edit.range, newText })) add(edit.cell.uri, each);
    }
  }
  return Object.fromEntries([...changes].map(([uri, fileEdits]) => [uri, [...fileEdits.values()]]));
}
