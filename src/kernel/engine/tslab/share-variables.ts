import type ts from "@tslab/typescript-for-tslab";
import type { TypeScript } from "./load-tslab.js";

/**
 * Exports each variable where it is declared. tslab exports them in a list at the end, which makes a copy:
 * functions of this cell would not see what a later cell assigns.
 */
export function shareVariables(ts: TypeScript): ts.TransformerFactory<ts.SourceFile> {
  const { factory } = ts;
  return () => (file) => {
    const shared = new Set<string>();
    const statements = file.statements.map((statement) => {
      if (!ts.isVariableStatement(statement)) return statement;
      for (const { name } of statement.declarationList.declarations) addNames(ts, name, shared);
      const exported = factory.createModifier(ts.SyntaxKind.ExportKeyword);
      return factory.updateVariableStatement(statement, [exported], statement.declarationList);
    });
    return factory.updateSourceFile(
      file,
      statements.map((statement) => (ts.isExportDeclaration(statement) ? without(ts, statement, shared) : statement)),
    );
  };
}

function addNames(ts: TypeScript, name: ts.BindingName, names: Set<string>): void {
  if (ts.isIdentifier(name)) {
    names.add(name.text);
    return;
  }
  for (const element of name.elements) {
    if (ts.isBindingElement(element)) addNames(ts, element.name, names);
  }
}

function without(ts: TypeScript, declaration: ts.ExportDeclaration, shared: ReadonlySet<string>): ts.ExportDeclaration {
  const { factory } = ts;
  const clause = declaration.exportClause;
  if (!clause || !ts.isNamedExports(clause)) return declaration;
  const left = clause.elements.filter((element) => !shared.has(element.name.text));
  return factory.updateExportDeclaration(
    declaration,
    declaration.modifiers,
    declaration.isTypeOnly,
    factory.updateNamedExports(clause, left),
    declaration.moduleSpecifier,
    declaration.assertClause,
  );
}
