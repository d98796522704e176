import type ts from "@tslab/typescript-for-tslab";
import { importName, metaName } from "../cell/wrap-script.js";
import type { TypeScript } from "./load-tslab.js";

/**
 * Rewrites every import to an awaited call, because a cell runs as a function and not as a module:
 * `import a, { b as c } from "m"` becomes `const { default: a, b: c } = await __siteframe_import("m")`.
 */
export function importsToCalls(ts: TypeScript): ts.TransformerFactory<ts.SourceFile> {
  return (context) => (file) => {
    const visit = visitDynamic(ts, context);
    const imports = file.statements.filter(ts.isImportDeclaration);
    const others = file.statements.filter((statement) => !ts.isImportDeclaration(statement));
    return ts.factory.updateSourceFile(file, [
      ...imports.map((declaration) => ts.setTextRange(staticImport(ts, declaration), declaration)),
      ...others.map((statement) => visit(statement) as ts.Statement),
    ]);
  };
}

/** Does the same for `import(…)` and `import.meta` only. */
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

/** An awaited call that loads a module. */
export function loadCall(ts: TypeScript, specifier: readonly ts.Expression[]): ts.Expression {
  return ts.factory.createAwaitExpression(importCall(ts, specifier));
}

/** Declares constants with their names and values. */
export function constantOf(ts: TypeScript, all: readonly (readonly [ts.BindingName, ts.Expression])[]): ts.Statement {
  const { factory } = ts;
  const variables = all.map(([name, value]) => factory.createVariableDeclaration(name, undefined, undefined, value));
  const list = factory.createVariableDeclarationList(variables, ts.NodeFlags.Const);
  return factory.createVariableStatement(undefined, list);
}

function staticImport(ts: TypeScript, { moduleSpecifier, importClause: clause }: ts.ImportDeclaration): ts.Statement {
  const { factory } = ts;
  const loaded = loadCall(ts, [moduleSpecifier]);
  if (!clause) return factory.createExpressionStatement(loaded);
  const named = clause.namedBindings;
  const elements = named && ts.isNamedImports(named) ? named.elements : [];
  const pattern = factory.createObjectBindingPattern([
    ...(clause.name ? [factory.createBindingElement(undefined, "default", clause.name)] : []),
    ...elements.map(({ propertyName, name }) =>
      factory.createBindingElement(undefined, propertyName ?? name.text, name),
    ),
  ]);
  if (!named || !ts.isNamespaceImport(named)) return constantOf(ts, [[pattern, loaded]]);
  return constantOf(ts, [[named.name, loaded], ...(clause.name ? [[pattern, named.name] as const] : [])]);
}
