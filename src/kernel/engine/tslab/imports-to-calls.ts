import type ts from "@tslab/typescript-for-tslab";
import { importName, metaName } from "../cell/wrap-script.js";
import type { TypeScript } from "./load-tslab.js";

/**
 * Makes every import an awaited call, because a cell runs as a function and not as a module:
 * `import a, { b as c } from "m"` becomes `const { default: a, b: c } = await __siteframe_import("m")`.
 */
export function importsToCalls(ts: TypeScript): ts.TransformerFactory<ts.SourceFile> {
  return (context) => (file) => {
    const visit = visitDynamic(ts, context);
    const imports = file.statements.filter(ts.isImportDeclaration);
    const others = file.statements.filter((statement) => !ts.isImportDeclaration(statement));
    return ts.factory.updateSourceFile(file, [
      ...imports.map((declaration) => staticImport(ts, declaration)),
      ...others.map((statement) => visit(statement) as ts.Statement),
    ]);
  };
}

/** Does the same to `import(…)` and `import.meta` alone. */
export function dynamicImportsToCalls(ts: TypeScript): ts.TransformerFactory<ts.SourceFile> {
  return (context) => (file) => ts.visitEachChild(file, visitDynamic(ts, context), context);
}

function visitDynamic(ts: TypeScript, context: ts.TransformationContext): ts.Visitor<ts.Node, ts.Node> {
  return function visit(node) {
    const inner = ts.visitEachChild(node, visit, context);
    if (isDynamicImport(ts, inner)) return importCall(ts, inner.arguments);
    return isImportMeta(ts, inner) ? ts.factory.createIdentifier(metaName) : inner;
  };
}

function isDynamicImport(ts: TypeScript, node: ts.Node): node is ts.ImportCall {
  return ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
}

function isImportMeta(ts: TypeScript, node: ts.Node): boolean {
  return ts.isMetaProperty(node) && node.keywordToken === ts.SyntaxKind.ImportKeyword;
}

function importCall(ts: TypeScript, specifier: readonly ts.Expression[]): ts.Expression {
  return ts.factory.createCallExpression(ts.factory.createIdentifier(importName), undefined, specifier);
}

function staticImport(ts: TypeScript, declaration: ts.ImportDeclaration): ts.Statement {
  const { factory } = ts;
  const loaded = factory.createAwaitExpression(importCall(ts, [declaration.moduleSpecifier]));
  const clause = declaration.importClause;
  if (!clause) return ts.setTextRange(factory.createExpressionStatement(loaded), declaration);
  const statement = factory.createVariableStatement(
    undefined,
    factory.createVariableDeclarationList(importedVariables(ts, clause, loaded), ts.NodeFlags.Const),
  );
  return ts.setTextRange(statement, declaration);
}

function importedVariables(ts: TypeScript, clause: ts.ImportClause, loaded: ts.Expression): ts.VariableDeclaration[] {
  const { factory } = ts;
  const declare = (name: ts.BindingName, value: ts.Expression) =>
    factory.createVariableDeclaration(name, undefined, undefined, value);
  const named = clause.namedBindings;
  const elements = named && ts.isNamedImports(named) ? named.elements : [];
  const pattern = factory.createObjectBindingPattern([
    ...(clause.name ? [factory.createBindingElement(undefined, "default", clause.name)] : []),
    ...elements.map(({ propertyName, name }) =>
      factory.createBindingElement(undefined, propertyName ?? name.text, name),
    ),
  ]);
  if (!named || !ts.isNamespaceImport(named)) return [declare(pattern, loaded)];
  const namespace = declare(named.name, loaded);
  return clause.name ? [namespace, declare(pattern, named.name)] : [namespace];
}
