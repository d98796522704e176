import type { Node } from "oxc-parser";
import type { CellNames } from "../analyze/cell-names.js";
import { declarationOf, moduleName, patternIdentifiers } from "../analyze/syntax.js";

/** Where the names stand that a cell declares at its top, the first place of each. */
export function declarationPlaces(statements: readonly Node[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const { name, start } of statements.flatMap((statement) => declaredBy(declarationOf(statement)))) {
    if (!places.has(name)) places.set(name, start);
  }
  return places;
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

/** At the start of a line, as declarations stand that later cells can see: what it declares, and what follows. */
const declaration =
  /^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(const enum|const|let|var|using|function|class|interface|type|enum|namespace|import)\b\s*(?:type\b(?!\s+from))?\s*\*?\s*([^=;\n]*(?:\n(?=[\s}\]])[^=;\n]*)*)/gm;
const identifier = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;
const words = new Set(["as", "from", "type", "default"]);

/**
 * What code that cannot be read declares by the look of it, so that cells after it do not lose names while it is typed in:
 * names of whatever kind, those of `let` and `var` as variables.
 */
export function likelyNames(code: string): { readonly names: CellNames; readonly places: ReadonlyMap<string, number> } {
  const places = new Map<string, number>();
  const values = new Map<string, boolean>();
  for (const match of code.matchAll(declaration)) {
    const [whole, keyword = "", rest = ""] = match;
    const first = match.index + whole.length - rest.length;
    // A pattern, and a list of imports, hold many names; all else begins with its one.
    const isList = keyword === "import" || /^[[{]/.test(rest);
    const untyped = isList ? rest.replace(/["'`].*$/s, "") : (rest.match(identifier)?.slice(0, 1).join("") ?? "");
    for (const { 0: name, index } of untyped.matchAll(identifier)) {
      if (words.has(name)) continue;
      values.set(name, /^(let|var)$/.test(keyword));
      if (!places.has(name)) places.set(name, first + (isList ? index : rest.indexOf(name)));
    }
  }
  const none = { ambient: new Set<string>(), modules: new Set<string>(), exported: new Set<string>() };
  const types = new Set([...values].flatMap(([name, isVariable]) => (isVariable ? [] : [name])));
  return { names: { values, types, ...none, augments: false }, places };
}
