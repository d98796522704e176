import type { Node } from "oxc-parser";
import type { Scope } from "./scope.js";
import { childNodes, hasValue, importedValues, moduleName, patternNames } from "./syntax.js";

/** Declares what the statements of a block do, before any of them is looked at. */
export function declareStatements(statements: readonly Node[], scope: Scope): void {
  for (const statement of statements) scope.declare(statementNames(statement));
}

/** The names with a value that a statement declares in its own block. */
export function statementNames(statement: Node): readonly string[] {
  switch (statement.type) {
    case "ExportNamedDeclaration":
    case "ExportDefaultDeclaration":
      return statement.declaration ? statementNames(statement.declaration) : [];
    case "ImportDeclaration":
      return importedValues(statement).map(({ local }) => local.name);
    case "VariableDeclaration":
      return hasValue(statement) ? statement.declarations.flatMap(({ id }) => patternNames(id)) : [];
    case "FunctionDeclaration":
    case "ClassDeclaration":
    case "TSEnumDeclaration":
    case "TSImportEqualsDeclaration":
      return hasValue(statement) && statement.id?.type === "Identifier" ? [statement.id.name] : [];
    case "TSModuleDeclaration":
      return hasValue(statement) ? moduleName(statement) : [];
    default:
      return [];
  }
}

/** Declares in a function's scope what `var` declares anywhere in it, but not in functions in it. */
export function declareVariables(nodes: readonly Node[], scope: Scope): void {
  for (const node of nodes) {
    if (/Function|Class|Expression$|^TS/.test(node.type)) continue;
    if (node.type === "VariableDeclaration" && node.kind === "var") scope.declare(statementNames(node));
    declareVariables(childNodes(node), scope);
  }
}
