import { join } from "node:path";
import type { Node } from "oxc-parser";
import { lineEnd, plainCode } from "../../cell/cell-positions.js";
import { mentionedPreloads } from "../../cell/preloaded-names.js";
import { type CellNames, importsForExports } from "../analyze/cell-names.js";
import { codeDepthProblem, declarationOf, type Language, moduleName, patternIdentifiers } from "../analyze/syntax.js";
import { ambientModules } from "../cell-checks.js";
import { globalsFile, globalsText } from "../check/cell-project.js";
import type { FileChange } from "../check/compiler-documents.js";
import { cellText, EarlierCells, ownFiles } from "../check/earlier-cells.js";
import type { NotebookOptions } from "../check/notebook-options.js";
import type { TypesFolder } from "../check/types-folder.js";
import { type ReadCell, type ReadingProblem, readCell, withFreeNames } from "../compile-cell.js";
import { isPackageFound, moduleSpecifiers, WatchedModules } from "../modules/imported-modules.js";
import { resolveLocal } from "../modules/resolve-local.js";

/** A cell of an open notebook. */
export interface NotebookCell {
  /** Stays the same while the cell is edited or moved. */
  readonly uri: string;
  readonly code: string;
}

/** A name of an earlier cell in the line before a cell. */
export interface BorrowedName {
  readonly name: string;
  /** The file of the cell that declares it. */
  readonly file: string;
  /** Range of its declaration in the line, and range that leads to the other cell; they may be equal. */
  readonly declared: number;
  readonly origin: number;
}

/** A cell as the compiler sees it. */
export interface ShownCell {
  readonly uri: string;
  /** The name of its file. */
  readonly file: string;
  /** Has the same length as the cell's text. */
  readonly code: string;
  readonly text: string;
  readonly lineCount: number;
  readonly borrowed: readonly BorrowedName[];
  /** Positions of its declared names in `code`. */
  readonly offsets: ReadonlyMap<string, number>;
  /** Why it cannot be parsed, if it cannot. */
  readonly problem: ReadingProblem | undefined;
  /** Whether the code is nested too deeply. The compiler then gets an empty cell. */
  readonly isTooDeep: boolean;
  /** Names of earlier cells that it could use: their kinds, and the cells that declare them. */
  readonly reachable: ReadonlyMap<string, ReachableName>;
}

/** A name that a cell could use from an earlier one. */
export interface ReachableName {
  readonly file: string;
  readonly kind: "variable" | "constant" | "type" | "module";
}

/** A cell on its own: its declared and used names. */
interface Reading {
  readonly code: string;
  readonly names: CellNames;
  readonly offsets: ReadonlyMap<string, number>;
  readonly read: ReadCell | undefined;
  readonly problem: ReadingProblem | undefined;
  readonly isTooDeep: boolean;
  /** Declarations of missing modules, which go to a separate file, and the rest of the text. */
  readonly ambient: { readonly rest: string; readonly declarations: string } | undefined;
}

const identifiers = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;
const borrowing =
  /import \{ (?<imported>[^ ]+) \} from "\.\/(?<from>[^"]+)";|declare (?:let|const) (?<declared>[^:]+): typeof import\("\.\/(?<of>[^"]+)"\)\.[^;]+;/g;

/**
 * The cells of an open notebook as files for the compiler, each as the kernel would check them if all ran in order. The
 * files depend on the present cells only.
 */
export class NotebookText {
  readonly #options: NotebookOptions;
  readonly #language: Language;
  readonly #earlier: EarlierCells;
  readonly #folder: TypesFolder;
  readonly #path: string;
  readonly #files = new Map<string, string>();
  readonly #watched: WatchedModules;
  #readings = new Map<string, Reading>();
  #cells: readonly ShownCell[] = [];

  constructor(folder: TypesFolder, options: NotebookOptions, directory: string) {
    this.#options = options;
    this.#folder = folder;
    this.#language = options.hasJsx ? "tsx" : "ts";
    this.#earlier = new EarlierCells(folder, this.extension);
    this.#path = join(directory, `cell${this.extension}`);
    this.#watched = new WatchedModules((specifier, from) => resolveLocal(specifier, from, options.paths));
  }

  /** Extension of the cells' files, including its dot. */
  get extension(): string {
    return `.${this.#language}`;
  }

  /** The file that imports all cells. */
  get root(): string {
    return `${ownFiles}cells${this.extension}`;
  }

  /** In order. */
  get cells(): readonly ShownCell[] {
    return this.#cells;
  }

  /** Changed files since the last check, among the files that cells import. */
  look(): readonly FileChange[] {
    const changes = this.#watched.look();
    // Available imports determine the meaning of a cell.
    if (changes.length > 0) this.#readings.clear();
    return changes;
  }

  /** Replaces the cells. Returns the content of all files by name. */
  update(cells: readonly NotebookCell[]): ReadonlyMap<string, string> {
    const readings = new Map(cells.map((cell) => [cell.uri, this.#reading(cell)]));
    this.#readings = readings;
    this.#earlier.forget();
    const texts = new Map<string, string>();
    const reachable = new Map<string, ReachableName>();
    this.#cells = [...readings].map(([uri, reading]) => {
      const shownCell = this.#show(uri, reading, new Map(reachable));
      texts.set(shownCell.file, shownCell.text);
      this.#keep(shownCell.file, reading, texts);
      for (const [name, kind] of kindsOf(reading.names)) reachable.set(name, { file: shownCell.file, kind });
      return shownCell;
    });
    const preloads = cells.flatMap(({ code }) => [...mentionedPreloads(code)]);
    const root = this.#cells.map(({ file }) => `import "./${file}";`).join("\n");
    // First the file that includes the cells: without it, the compiler would treat them as files outside of a project.
    return new Map([[this.root, root], [globalsFile, globalsText({ node: true, preloads })], ...texts]);
  }

  #reading({ uri, code: source }: NotebookCell): Reading {
    const code = importsForExports(plainCode(source), this.#language);
    const cached = this.#readings.get(uri);
    if (cached?.code === code) return cached;
    const tooDeep = codeDepthProblem(code, this.#language);
    if (tooDeep)
      return { code, ...likelyNames(code), read: undefined, problem: tooDeep, isTooDeep: true, ambient: undefined };
    if (/\b(import|from|require)\b/.test(code)) {
      this.#watched.add(moduleSpecifiers(code, this.#path), this.#path);
    }
    const reading = readCell(code, this.#language, (specifier) => this.#isFound(specifier));
    if ("message" in reading)
      return { code, ...likelyNames(code), read: undefined, problem: reading, isTooDeep: false, ambient: undefined };
    const read = withFreeNames(reading, this.#options.emit);
    const { names, syntax } = read;
    const offsets = declarationPlaces(syntax.program.body);
    return {
      code,
      names,
      offsets,
      read,
      problem: undefined,
      isTooDeep: false,
      ambient: this.#ambientModules(read),
    };
  }

  #ambientModules({ syntax }: ReadCell): Reading["ambient"] {
    const isUnknown = syntax.program.body.some(
      (node) => node.type === "TSModuleDeclaration" && node.id.type === "Literal" && !this.#isFound(node.id.value),
    );
    return isUnknown ? ambientModules(syntax) : undefined;
  }

  #isFound(specifier: string): boolean {
    return (
      resolveLocal(specifier, this.#path, this.#options.paths) !== undefined || isPackageFound(specifier, this.#path)
    );
  }

  #show(uri: string, reading: Reading, reachable: Map<string, ReachableName>): ShownCell {
    const { code, names, offsets, read, problem, isTooDeep, ambient } = reading;
    const file = this.#fileOf(uri);
    // A declaration file is imported without its extension.
    if (ambient) this.#augment(ambientFile(file).replace(".d.ts", ""));
    // In invalid code, any name may be of an earlier cell.
    const free = read?.freeNames ?? new Set(code.match(identifiers) ?? []);
    const before = this.#earlier.declare(
      [...free].filter((name) => this.#earlier.has(name)),
      read && names,
    );
    const text = cellText(isTooDeep ? "" : (ambient?.rest ?? code), before, read && names);
    const lineCount = code.split(lineEnd).length;
    return {
      uri,
      file,
      code,
      text,
      lineCount,
      borrowed: borrowedNames(before),
      offsets,
      problem,
      isTooDeep,
      reachable,
    };
  }

  #keep(file: string, { names, ambient }: Reading, texts: Map<string, string>): void {
    if (ambient) {
      this.#folder.write(ambientFile(file), "");
      texts.set(ambientFile(file), ambient.declarations);
    }
    this.#earlier.keep(file, names);
  }

  /** Makes all later cells import a file with global declarations. */
  #augment(file: string): void {
    const nothing = new Set<string>();
    const names = { values: new Map(), types: nothing, ambient: nothing, modules: nothing, exported: nothing };
    this.#earlier.keep(file, { ...names, augments: true });
  }

  #fileOf(uri: string): string {
    const cached = this.#files.get(uri);
    if (cached !== undefined) return cached;
    const file = `${ownFiles}${this.#files.size}${this.extension}`;
    // The compiler finds an open file only if it also exists on disk.
    this.#folder.write(file, "");
    this.#files.set(uri, file);
    return file;
  }
}

function ambientFile(file: string): string {
  return file.replace(/(\d+)\.tsx?$/, "ambient$1.d.ts");
}

function* kindsOf({ values, types, modules, ambient }: CellNames): Generator<[string, ReachableName["kind"]]> {
  for (const name of types) yield [name, "type"];
  for (const name of ambient) yield [name, "constant"];
  for (const [name, isVariable] of values) {
    yield [name, modules.has(name) ? "module" : isVariable ? "variable" : "constant"];
  }
}

function borrowedNames(before: string): readonly BorrowedName[] {
  return [...before.matchAll(borrowing)].flatMap(({ 0: whole, index, groups = {} }): readonly BorrowedName[] => {
    const { imported, from, declared, of } = groups;
    if (imported !== undefined && from !== undefined) {
      const at = index + "import { ".length;
      return [{ name: imported, file: from, declared: at, origin: at }];
    }
    if (declared === undefined || of === undefined) return [];
    const at = index + whole.indexOf(": typeof import(") - declared.length;
    return [{ name: declared, file: of, declared: at, origin: index + whole.length - ";".length - declared.length }];
  });
}

/** The first position of each name that a cell declares at its top level. */
function declarationPlaces(statements: readonly Node[]): ReadonlyMap<string, number> {
  const offsets = new Map<string, number>();
  for (const { name, start } of statements.flatMap((statement) => declaredBy(declarationOf(statement)))) {
    if (!offsets.has(name)) offsets.set(name, start);
  }
  return offsets;
}

interface Place {
  readonly name: string;
  readonly start: number;
}

function declaredBy(statement: Node): readonly Place[] {
  switch (statement.type) {
    case "VariableDeclaration":
      return statement.declarations.flatMap(({ id }) => patternIdentifiers(id));
    case "ImportDeclaration":
      return statement.specifiers.map(({ local }) => local);
    case "ExportDefaultDeclaration":
      return declaredBy(statement.declaration);
    case "TSModuleDeclaration":
      return moduleName(statement).map((name) => ({ name, start: statement.id.start }));
    case "FunctionDeclaration":
    case "TSDeclareFunction":
    case "ClassDeclaration":
    case "TSEnumDeclaration":
    case "TSInterfaceDeclaration":
    case "TSTypeAliasDeclaration":
    case "TSImportEqualsDeclaration":
      return statement.id ? [statement.id] : [];
    default:
      return [];
  }
}

/** At the start of a line, as declarations for later cells are: the keyword, and the code after it. */
const declaration =
  /^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(const enum|const|let|var|using|function|class|interface|type|enum|namespace|import)\b\s*(?:type\b(?!\s+from))?\s*\*?\s*([^=;\n]*(?:\n(?=[\s}\]])[^=;\n]*)*)/gm;
const identifier = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;
const words = new Set(["as", "from", "type", "default"]);

/**
 * The names that invalid code appears to declare, so that later cells keep their names while it is edited: names of any
 * kind, with `let` and `var` names as variables.
 */
function likelyNames(code: string): { readonly names: CellNames; readonly offsets: ReadonlyMap<string, number> } {
  const offsets = new Map<string, number>();
  const values = new Map<string, boolean>();
  for (const match of code.matchAll(declaration)) {
    const [whole, keyword = "", rest = ""] = match;
    const first = match.index + whole.length - rest.length;
    // A pattern, or a list of imports, contains several names; others begin with their only name.
    const isList = keyword === "import" || /^[[{]/.test(rest);
    const untyped = isList ? rest.replace(/["'`].*$/s, "") : (rest.match(identifier)?.slice(0, 1).join("") ?? "");
    for (const { 0: name, index } of untyped.matchAll(identifier)) {
      if (words.has(name)) continue;
      values.set(name, /^(let|var)$/.test(keyword));
      if (!offsets.has(name)) offsets.set(name, first + (isList ? index : rest.indexOf(name)));
    }
  }
  const none = { ambient: new Set<string>(), modules: new Set<string>(), exported: new Set<string>() };
  const types = new Set([...values].flatMap(([name, isVariable]) => (isVariable ? [] : [name])));
  return { names: { values, types, ...none, augments: false }, offsets };
}
