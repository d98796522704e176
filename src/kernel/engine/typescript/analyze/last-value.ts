import type { Node, Span } from "oxc-parser";
import { hasValue } from "./has-value.js";

/**
 * The expression whose value is that of the code, if it has one. As where JavaScript is evaluated, declarations at the
 * end have none, and a block has that of its end.
 */
export function lastValue(statements: readonly Node[]): Span | undefined {
  const last = statements.findLast((statement) => !isDeclaration(statement));
  switch (last?.type) {
    case "ExpressionStatement":
      return last.expression;
    case "BlockStatement":
      return lastValue(last.body);
    case "LabeledStatement":
      return lastValue([last.body]);
    case "ExportDefaultDeclaration":
      return last.declaration;
    default:
      return undefined;
  }
}

function isDeclaration(statement: Node): boolean {
  if (!hasValue(statement) || /^Import/.test(statement.type)) return true;
  if (statement.type === "ExportDefaultDeclaration") return /Declaration$/.test(statement.declaration.type);
  return statement.type === "FunctionDeclaration" || statement.type === "ExportNamedDeclaration";
}
