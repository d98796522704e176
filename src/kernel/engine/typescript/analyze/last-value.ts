import type { Node, Span } from "oxc-parser";
import { hasValue } from "./has-value.js";

/**
 * The expression whose value is that of the code, if it has one: its last statement, and of a block that of its end. What
 * is there before the code runs, such as types, functions and imports, is no last statement.
 */
export function lastValue(statements: readonly Node[]): Span | undefined {
  const last = statements.findLast((statement) => !isHoisted(statement));
  switch (last?.type) {
    case "ExpressionStatement":
      return last.expression;
    case "BlockStatement":
      return lastValue(last.body);
    case "LabeledStatement":
      return lastValue([last.body]);
    case "ExportDefaultDeclaration":
      return last.declaration.type === "ClassDeclaration" ? undefined : last.declaration;
    default:
      return undefined;
  }
}

function isHoisted(statement: Node): boolean {
  if (!hasValue(statement) || /^(Import|ExportAll)/.test(statement.type)) return true;
  if (statement.type === "ExportDefaultDeclaration") return isHoisted(statement.declaration);
  if (statement.type === "ExportNamedDeclaration") return !statement.declaration || isHoisted(statement.declaration);
  return statement.type === "FunctionDeclaration";
}
