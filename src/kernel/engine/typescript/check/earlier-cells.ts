import { positionAt } from "../../cell/cell-positions.js";
import type { CellNames } from "../analyze/cell-names.js";
import type { TypesFolder } from "./types-folder.js";

/** What the files of cells begin with, so that they can be told from the user's. */
export const ownFiles = "__siteframe_";

interface Value {
  readonly file: string;
  readonly isVariable: boolean;
  readonly isModule: boolean;
  /** False if it is only declared to be there. */
  readonly isReal: boolean;
}

/**
 * The cells that have run, as files: each name is imported from the last cell that declared it. As in one file, a name
 * may be of a type and of a value, each of a cell of its own.
 */
export class EarlierCells {
  readonly #folder: TypesFolder;
  readonly #extension: string;
  readonly #values = new Map<string, Value>();
  /** By names of types, the files. */
  readonly #types = new Map<string, string>();
  readonly #augmenting: string[] = [];
  #ambient = 0;
  /** By the names of the files, without what all begin with. */
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

  /** Which cells a name is of. Changes when it is declared anew. */
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
   * A line that declares those of the names that are of earlier cells, as what they are there. There may be errors in
   * it, of names that are of two cells, which mean nothing.
   *
   * @param own what the cell declares itself
   */
  declare(names: Iterable<string>, own?: CellNames): string {
    const declarations = [...names].map((name) => this.#declaration(name, own));
    return this.#augmenting.map((file) => `import "./${file}";`).join("") + declarations.join("");
  }

  /** Keeps a cell that was checked. `text` is what the compiler has seen. Returns what takes it back: see `keep`. */
  add(cell: string, text: string, names: CellNames): () => void {
    const { values, types, ambient, augments } = names;
    if (values.size === 0 && types.size === 0 && ambient.size === 0 && !augments) return () => undefined;
    return this.keep(this.write(cell, text), names);
  }

  /** Writes a cell as a file of its own. */
  write(cell: string, text: string): string {
    const file = `${ownFiles}${this.#cells.length}${this.#extension}`;
    this.#cells.push(cell);
    this.#folder.write(file, text);
    return file;
  }

  /**
   * Keeps what the cell of a file declares.
   *
   * @returns what takes it back: names that no later cell has declared mean what they meant before
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

  /** Keeps declarations that are of no module, for this cell and all later ones. Gives back the way to forget them. */
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

  /** The way back to what is known now, when more has been added or declared anew. */
  mark(): () => void {
    const [values, types, augmenting] = [new Map(this.#values), new Map(this.#types), [...this.#augmenting]];
    return () => {
      this.forget();
      for (const [name, value] of values) this.#values.set(name, value);
      for (const [name, file] of types) this.#types.set(name, file);
      this.#augmenting.push(...augmenting);
    };
  }

  /** A message of the compiler's in which files are called by the cells that they are. */
  nameCells(message: string): string {
    return nameCells(message, (file) => this.#cells[Number(file)]);
  }

  forget(): void {
    this.#values.clear();
    this.#types.clear();
    this.#augmenting.length = 0;
  }

  /** What is imported cannot be assigned to, and a variable can. */
  #declaration(name: string, own?: CellNames): string {
    const value = own?.values.has(name) || own?.ambient.has(name) ? undefined : this.#values.get(name);
    const type = own?.types.has(name) ? undefined : this.#types.get(name);
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
 * A message of the compiler's in which files are called by the cells that they are.
 *
 * @param nameOf the name of a cell, by what its file is called after `ownFiles`
 */
export function nameCells(message: string, nameOf: (file: string) => string | undefined): string {
  const files = new RegExp(`import\\("[^"]*${ownFiles}(\\w+)"\\)`, "g");
  return message.replace(files, (_, file: string) => `import("${nameOf(file) ?? "this cell"}")`);
}

/** How many lines stand before a cell in what the compiler sees. */
export const linesBefore = 1;

/** A cell as the compiler sees it: after a line that declares what is of earlier cells, and exporting all its names. */
export function cellText(code: string, before: string, names?: CellNames): string {
  if (!names) return `${before}\n${code}`;
  const { values, types, ambient, exported } = names;
  const own = [...new Set([...values.keys(), ...types, ...ambient])].filter((name) => !exported.has(name));
  return `${before}\n${code}\nexport { ${own.join(", ")} };`;
}

/** Where an offset of a cell is in such a text. */
export function positionIn(code: string, offset: number): { line: number; character: number } {
  const { line, column } = positionAt(code, offset);
  return { line: line - 1 + linesBefore, character: column - 1 };
}
