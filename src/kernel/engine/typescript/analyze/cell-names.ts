import type { Node } from "oxc-parser";
import type { CodeSyntax } from "./analyze-code.js";
import { statementNames } from "./scope.js";
import { exportName, type Language, moduleName, parseModule, patternNames } from "./syntax.js";

/** Names that a cell shares with later cells. */
export interface CellNames {
  /** Names with a value, and whether they are variables that may be assigned to. */
  readonly values: ReadonlyMap<string, boolean>;
  /** Names of types. A name may stand for a value too. */
  readonly types: ReadonlySet<string>;
  /** Names of ambient values. */
  readonly ambient: ReadonlySet<string>;
  /** Names of whole-module imports. */
  readonly modules: ReadonlySet<string>;
  /** Names that the cell itself exports. */
  readonly exported: ReadonlySet<string>;
  /** Whether it adds global types. */
  readonly augments: boolean;
}

/** The names at the top of a cell. */
export function cellNames({ program, scope }: CodeSyntax): CellNames {
  const fixed = new Set(program.body.flatMap((statement) => (isVariable(statement) ? [] : statementNames(statement))));
  return {
    values: new Map([...scope.names].map((name) => [name, !fixed.has(name)])),
    types: new Set(program.body.flatMap(typesOf)),
    ambient: new Set(program.body.flatMap(ambientOf).filter((name) => !scope.names.has(name))),
    modules: new Set(program.body.flatMap(modulesOf)),
    exported: new Set(program.body.flatMap(exportsOf)),
    augments: program.body.some(({ type, ...node }) => type === "TSModuleDeclaration" && isAugmentation(node)),
  };
}

function isVariable(statement: Node): boolean {
  if (statement.type === "ExportNamedDeclaration") return !!statement.declaration && isVariable(statement.declaration);
  return statement.type === "VariableDeclaration" && /^(let|var)$/.test(statement.kind);
}

function isAugmentation(declaration: object): boolean {
  return (
    "global" in declaration && (declaration.global === true || !("name" in Object(Reflect.get(declaration, "id"))))
  );
}

function typesOf(statement: Node): readonly string[] {
  switch (statement.type) {
    case "ExportNamedDeclaration":
    case "ExportDefaultDeclaration":
      return statement.declaration ? typesOf(statement.declaration) : [];
    case "ImportDeclaration":
      return statement.specifiers.map(({ local }) => local.name);
    case "TSModuleDeclaration":
      return moduleName(statement);
    case "ClassDeclaration":
    case "TSEnumDeclaration":
    case "TSInterfaceDeclaration":
    case "TSTypeAliasDeclaration":
    case "TSImportEqualsDeclaration":
      return statement.id ? [statement.id.name] : [];
    default:
      return [];
  }
}

function modulesOf(statement: Node): readonly string[] {
  if (statement.type === "TSImportEqualsDeclaration") {
    return statement.moduleReference.type === "TSExternalModuleReference" ? [statement.id.name] : [];
  }
  if (statement.type !== "ImportDeclaration") return [];
  return statement.specifiers.flatMap(({ type, local }) => (type === "ImportNamespaceSpecifier" ? [local.name] : []));
}

function ambientOf(statement: Node): readonly string[] {
  if (statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration") {
    return statement.declaration ? ambientOf(statement.declaration) : [];
  }
  if (statement.type === "TSDeclareFunction") return statement.id ? [statement.id.name] : [];
  if (!("declare" in statement) || !statement.declare) return [];
  switch (statement.type) {
    case "VariableDeclaration":
      return statement.declarations.flatMap(({ id }) => patternNames(id));
    case "ClassDeclaration":
    case "TSEnumDeclaration":
      return statement.id ? [statement.id.name] : [];
    case "TSModuleDeclaration":
      return moduleName(statement);
    default:
      return [];
  }
}

function exportsOf(statement: Node): readonly string[] {
  if (statement.type !== "ExportNamedDeclaration" || statement.source) return [];
  const { declaration, specifiers } = statement;
  if (declaration) return [...statementNames(declaration), ...typesOf(declaration), ...ambientOf(declaration)];
  return specifiers.flatMap(({ local, exported }) =>
    exportName(local) === exportName(exported) ? [exportName(local)] : [],
  );
}

/** Whether code may contain such an export; few cells do. */
const mayExportFrom = /\bexport\b[^'"]*\bfrom\b/;

/**
 * Returns code of the same length in which `export { a as b } from "m"` and `export * as m from "m"` are imports: in a
 * cell they declare the names that they export. Exports that cannot be imports, such as the name `default`, stay.
 */
export function importsForExports(code: string, language: Language): string {
  if (!mayExportFrom.test(code)) return code;
  const { body } = parseModule(`cell.${language}`, code).program;
  const taken = new Set(body.flatMap(statementNames));
  let imports = code;
  for (const statement of body) {
    const names = exportedNames(statement);
    if (names.length === 0 || names.some((name) => taken.has(name))) continue;
    const { start } = statement;
    const tried = `${imports.slice(0, start)}import${imports.slice(start + "export".length)}`;
    if (parseModule(`cell.${language}`, tried).errors.length > 0) continue;
    for (const name of names) taken.add(name);
    imports = tried;
  }
  return imports;
}

/** Names that a statement exports from another module. */
function exportedNames(statement: Node): readonly string[] {
  if (statement.type === "ExportAllDeclaration") return statement.exported ? [exportName(statement.exported)] : [];
  if (statement.type !== "ExportNamedDeclaration" || !statement.source) return [];
  return statement.specifiers.map(({ exported }) => exportName(exported));
}
