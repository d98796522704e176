import { positionAt } from "../../cell/cell-positions.js";
import type { CellNames } from "../analyze/cell-names.js";
import type { TypesFolder } from "./types-folder.js";

/** Prefix of the names of cell files, which distinguishes them from the user's files. */
export const ownFiles = "__siteframe_";

interface Value {
  readonly file: string;
  readonly isVariable: boolean;
  readonly isModule: boolean;
  /** False for ambient declarations. */
  readonly isReal: boolean;
}

/**
 * The cells that have run, as files: each name is imported from the last cell that declared it. As within one file, a
 * name may be a type and a value, here of different cells.
 */
export class EarlierCells {
  readonly #folder: TypesFolder;
  readonly #extension: string;
  readonly #values = new Map<string, Value>();
  /** Files by type name. */
  readonly #types = new Map<string, string>();
  readonly #augmenting: string[] = [];
  #ambient = 0;
  /** By file name, without the common prefix. */
  readonly #cells: string[] = [];

  /** @param extension of the files of cells, with its dot */
  constructor(folder: TypesFolder, extension: string) {
    this.#folder = folder;
    this.#extension = extension;
  }

  get names(): ReadonlySet<string> {
    return new Set([...this.#values.keys(), ...this.#types.keys()]);
  }

  has(name: string): boolean {
    return this.#values.has(name) || this.#types.has(name);
  }

  /** The cells that declare a name. Changes when the name is declared again. */
  origin(name: string): string {
    return `${this.#values.get(name)?.file ?? ""} ${this.#types.get(name) ?? ""}`;
  }

  /** Whether a whole module was imported under the name. */
  isModule(name: string): boolean {
    return this.#values.get(name)?.isModule ?? false;
  }

  hasValue(name: string): boolean {
    return this.#values.get(name)?.isReal ?? false;
  }

  /**
   * A line that declares the names from earlier cells. It may contain errors for names of two cells; these errors are
   * ignored.
   *
   * @param ownNames names that the cell itself declares
   */
  declare(names: Iterable<string>, ownNames?: CellNames): string {
    const declarations = [...names].map((name) => this.#declaration(name, ownNames));
    return this.#augmenting.map((file) => `import "./${file}";`).join("") + declarations.join("");
  }

  /**
   * Keeps a cell that was checked. `text` is its text for the compiler. Returns a function that reverts it: see `keep`.
   */
  add(cell: string, text: string, names: CellNames): () => void {
    const { values, types, ambient, augments } = names;
    if (values.size === 0 && types.size === 0 && ambient.size === 0 && !augments) return () => undefined;
    return this.keep(this.write(cell, text), names);
  }

  /** Writes a cell as a separate file. */
  write(cell: string, text: string): string {
    const file = `${ownFiles}${this.#cells.length}${this.#extension}`;
    this.#cells.push(cell);
    this.#folder.write(file, text);
    return file;
  }

  /**
   * Keeps the declarations of a file's cell.
   *
   * @returns a function that reverts it: names that no later cell has declared have their earlier meaning again
   */
  keep(file: string, { values, types, ambient, modules, augments }: CellNames): () => void {
    const restoreTypes = restoring(this.#types, types, (current) => current === file);
    const restoreValues = restoring(this.#values, [...ambient, ...values.keys()], (current) => current.file === file);
    for (const name of types) this.#types.set(name, file);
    for (const name of ambient) this.#values.set(name, { file, isVariable: false, isModule: false, isReal: false });
    for (const [name, isVariable] of values) {
      this.#values.set(name, { file, isVariable, isModule: modules.has(name), isReal: true });
    }
    if (augments) this.#augmenting.push(file);
    return () => {
      restoreTypes();
      restoreValues();
      this.#stopAugmenting(file);
    };
  }

  /** Keeps declarations outside of modules, for this cell and all later ones. Returns a function that reverts it. */
  addAmbient(declarations: string): () => void {
    const file = `${ownFiles}ambient${this.#ambient++}`;
    this.#folder.write(`${file}.d.ts`, declarations);
    this.#augmenting.push(file);
    return () => this.#stopAugmenting(file);
  }

  #stopAugmenting(file: string): void {
    const index = this.#augmenting.indexOf(file);
    if (index !== -1) this.#augmenting.splice(index, 1);
  }

  /** Returns a function that restores the present state after later additions. */
  mark(): () => void {
    const [values, types, augmenting] = [new Map(this.#values), new Map(this.#types), [...this.#augmenting]];
    return () => {
      this.forget();
      for (const [name, value] of values) this.#values.set(name, value);
      for (const [name, file] of types) this.#types.set(name, file);
      this.#augmenting.push(...augmenting);
    };
  }

  /** A compiler message with cell numbers instead of file names. */
  nameCells(message: string): string {
    return nameCells(message, (file) => this.#cells[Number(file)]);
  }

  forget(): void {
    this.#values.clear();
    this.#types.clear();
    this.#augmenting.length = 0;
  }

  /** Imports cannot be assigned to, but variables can. */
  #declaration(name: string, ownNames?: CellNames): string {
    const value = ownNames?.values.has(name) || ownNames?.ambient.has(name) ? undefined : this.#values.get(name);
    const type = ownNames?.types.has(name) ? undefined : this.#types.get(name);
    const imported = (file: string | undefined) => (file === undefined ? "" : `import { ${name} } from "./${file}";`);
    if (!value) return imported(type);
    const { file, isVariable } = value;
    if (!isVariable && (type ?? file) === file) return imported(file);
    return `declare ${isVariable ? "let" : "const"} ${name}: typeof import("./${file}").${name};${imported(type)}`;
  }
}

/** Returns what restores the present values of some keys of a map, except keys that others have set meanwhile. */
function restoring<Value>(
  map: Map<string, Value>,
  keys: Iterable<string>,
  isOwn: (current: Value) => boolean,
): () => void {
  const before = [...keys].map((key) => [key, map.get(key)] as const);
  return () => {
    for (const [key, value] of before) {
      const current = map.get(key);
      if (current === undefined || !isOwn(current)) continue;
      if (value === undefined) map.delete(key);
      else map.set(key, value);
    }
  };
}

/**
 * A compiler message with cell names instead of files.
 *
 * @param nameOf returns the name of a cell from the part of its file name after `ownFiles`
 */
export function nameCells(message: string, nameOf: (file: string) => string | undefined): string {
  const files = new RegExp(`import\\("[^"]*${ownFiles}(\\w+)"\\)`, "g");
  return message.replace(files, (_, file: string) => `import("${nameOf(file) ?? "this cell"}")`);
}

/** Number of lines before a cell in the text for the compiler. */
export const linesBefore = 1;

/**
 * A cell as the compiler sees it: after a line that declares names of earlier cells, and with all its names exported.
 */
export function cellText(code: string, before: string, names?: CellNames): string {
  if (!names) return `${before}\n${code}`;
  const { values, types, ambient, exported } = names;
  const unexported = [...new Set([...values.keys(), ...types, ...ambient])].filter((name) => !exported.has(name));
  return `${before}\n${code}\nexport { ${unexported.join(", ")} };`;
}

/** Offset in the compiler's text of an offset in a cell. */
export function positionIn(code: string, offset: number): { line: number; character: number } {
  const { line, column } = positionAt(code, offset);
  return { line: line - 1 + linesBefore, character: column - 1 };
}
