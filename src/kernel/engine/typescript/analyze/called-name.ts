import type { Node } from "oxc-parser";

/** The name that is called, by itself: `f` of `f()`, and also of `(f as F)()`, but not of `f.call()`. */
export function calledName(callee: Node): Node | undefined {
  switch (callee.type) {
    case "Identifier":
      return callee;
    case "ParenthesizedExpression":
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "TSNonNullExpression":
    case "TSTypeAssertion":
    case "TSInstantiationExpression":
      return calledName(callee.expression);
    default:
      return undefined;
  }
}
