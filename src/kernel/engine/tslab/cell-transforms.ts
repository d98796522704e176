import type ts from "@tslab/typescript-for-tslab";
import { importName, metaName, resumeName } from "../cell/wrap-script.js";
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

/**
 * Rewrites each `await x` to `__siteframe_resume(await x)`, and makes the body of `for await` begin with such a call.
 * Otherwise an interrupted cell would continue as soon as the awaited value arrives.
 */
export function checkAfterAwait(ts: TypeScript): ts.TransformerFactory<ts.SourceFile> {
  const { factory } = ts;
  const resume = (value: readonly ts.Expression[]) =>
    factory.createCallExpression(factory.createIdentifier(resumeName), undefined, value);

  return (context) => (file) => {
    const visit = (node: ts.Node): ts.Node => {
      const inner = ts.visitEachChild(node, visit, context);
      if (ts.isAwaitExpression(inner)) return ts.setTextRange(resume([inner]), node);
      if (!ts.isForOfStatement(inner) || !inner.awaitModifier) return inner;
      const check = factory.createExpressionStatement(resume([]));
      const body = factory.createBlock([check, inner.statement], true);
      return factory.updateForOfStatement(inner, inner.awaitModifier, inner.initializer, inner.expression, body);
    };
    return ts.visitEachChild(file, visit, context);
  };
}

/**
 * Saves a second compiler run for cells without declarations, such as `1 + 1`. In an ES module tslab exports the last
 * value as `export const tsLastExpr = 1 + 1`. If it is the only export, `exports.tsLastExpr = 1 + 1` is equivalent, and
 * no module syntax remains to be converted.
 */
export class ResultPass {
  readonly #ts: TypeScript;
  #leftScript = false;

  constructor(ts: TypeScript) {
    this.#ts = ts;
  }

  /** Whether the last compilation is already a script. */
  get leftScript(): boolean {
    return this.#leftScript;
  }

  readonly transform: ts.TransformerFactory<ts.SourceFile> = () => (file) => {
    this.#leftScript = file.statements.every((statement) => this.#isScript(statement));
    if (!this.#leftScript) return file;
    const statements = file.statements.filter((statement) => !this.#ts.isExportDeclaration(statement));
    return this.#ts.factory.updateSourceFile(
      file,
      statements.map((statement) => this.#assignment(statement) ?? statement),
    );
  };

  /**
   * A cell's declarations are in the list of its `export { … }`, except default exports and declarations without a
   * name.
   */
  #isScript(statement: ts.Statement): boolean {
    const ts = this.#ts;
    if (ts.isImportDeclaration(statement) || ts.isExportAssignment(statement)) return false;
    if (ts.isExportDeclaration(statement)) return isEmptyList(ts, statement);
    if (ts.isVariableStatement(statement)) return this.#assignment(statement) !== undefined;
    return !isExported(ts, statement);
  }

  /** tslab's declaration of the result as an assignment. */
  #assignment(statement: ts.Statement): ts.Statement | undefined {
    const ts = this.#ts;
    if (!ts.isVariableStatement(statement) || !isExported(ts, statement)) return undefined;
    const [declaration] = statement.declarationList.declarations;
    if (!declaration?.initializer || !ts.isIdentifier(declaration.name)) return undefined;
    const result = ts.factory.createPropertyAccessExpression(ts.factory.createIdentifier("exports"), declaration.name);
    return ts.factory.createExpressionStatement(ts.factory.createAssignment(result, declaration.initializer));
  }
}

function isExported(ts: TypeScript, statement: ts.Statement): boolean {
  if (!ts.canHaveModifiers(statement)) return false;
  return statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

/** `export {}`. */
function isEmptyList(ts: TypeScript, { exportClause, moduleSpecifier }: ts.ExportDeclaration): boolean {
  if (moduleSpecifier || !exportClause || !ts.isNamedExports(exportClause)) return false;
  return exportClause.elements.length === 0;
}
