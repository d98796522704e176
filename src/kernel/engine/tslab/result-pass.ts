import type ts from "@tslab/typescript-for-tslab";
import type { TypeScript } from "./load-tslab.js";

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
