import type ts from "@tslab/typescript-for-tslab";
import type { TypeScript } from "./load-tslab.js";

/**
 * Spares cells that declare nothing, such as `1 + 1`, a second run of the compiler. tslab has an ES module leave its
 * last value by `export const tsLastExpr = 1 + 1`; where that is all it exports, `exports.tsLastExpr = 1 + 1` does too,
 * and no module is left to be turned into a script.
 */
export class ResultPass {
  readonly #ts: TypeScript;
  #leftScript = false;

  constructor(ts: TypeScript) {
    this.#ts = ts;
  }

  /** Whether what was compiled last is a script already. */
  get leftScript(): boolean {
    return this.#leftScript;
  }

  readonly transform: ts.TransformerFactory<ts.SourceFile> = () => (file) => {
    this.#leftScript = !file.statements.some((statement) => this.#isModuleSyntax(statement));
    if (!this.#leftScript) return file;
    const statements = file.statements.filter((statement) => !this.#ts.isExportDeclaration(statement));
    return this.#ts.factory.updateSourceFile(
      file,
      statements.map((statement) => this.#assignResult(statement)),
    );
  };

  /** A cell that declares something lists it in an `export { … }`. */
  #isModuleSyntax(statement: ts.Statement): boolean {
    const ts = this.#ts;
    if (ts.isImportDeclaration(statement) || ts.isExportAssignment(statement)) return true;
    if (!ts.isExportDeclaration(statement)) return false;
    const { exportClause, moduleSpecifier } = statement;
    return (
      moduleSpecifier !== undefined ||
      !exportClause ||
      !ts.isNamedExports(exportClause) ||
      exportClause.elements.length > 0
    );
  }

  #assignResult(statement: ts.Statement): ts.Statement {
    const { factory } = this.#ts;
    if (!this.#ts.isVariableStatement(statement)) return statement;
    const [declaration] = statement.declarationList.declarations;
    if (!declaration?.initializer || !this.#ts.isIdentifier(declaration.name)) return statement;
    const result = factory.createPropertyAccessExpression(factory.createIdentifier("exports"), declaration.name);
    return factory.createExpressionStatement(factory.createAssignment(result, declaration.initializer));
  }
}
