import { basename } from "node:path";
import type ts from "@tslab/typescript-for-tslab";
import type { TypeScript } from "./load-tslab.js";

/**
 * Prepares object literals and patterns for tslab, which afterwards replaces each identifier that means something
 * of an earlier cell by a property of `exports`. It leaves the variable in `{ x }` alone, and mistakes
 * the property name in `{ x: y } = point` for a variable.
 */
export function earlierNames(ts: TypeScript, checker: ts.TypeChecker): ts.TransformerFactory<ts.SourceFile> {
  const { factory } = ts;
  const isEarlier = (node: ts.ShorthandPropertyAssignment) =>
    checker
      .getShorthandAssignmentValueSymbol(node)
      ?.declarations?.some((declaration) => basename(declaration.getSourceFile().fileName) === "__prev__.d.ts");

  return (context) => (file) => {
    const visit = (node: ts.Node): ts.Node => {
      const inner = ts.visitEachChild(node, visit, context);
      if (ts.isShorthandPropertyAssignment(node) && isEarlier(node)) {
        return factory.createPropertyAssignment(factory.createStringLiteral(node.name.text), earlierValue(ts, node));
      }
      if (ts.isPropertyAssignment(inner) && ts.isIdentifier(inner.name)) {
        return factory.updatePropertyAssignment(inner, factory.createStringLiteral(inner.name.text), inner.initializer);
      }
      if (ts.isBindingElement(inner) && inner.propertyName && ts.isIdentifier(inner.propertyName)) {
        const key = factory.createStringLiteral(inner.propertyName.text);
        return factory.updateBindingElement(inner, inner.dotDotDotToken, key, inner.name, inner.initializer);
      }
      return inner;
    };
    return ts.visitEachChild(file, visit, context);
  };
}

function earlierValue(ts: TypeScript, node: ts.ShorthandPropertyAssignment): ts.Expression {
  const { factory } = ts;
  const value = factory.createPropertyAccessExpression(factory.createIdentifier("exports"), node.name.text);
  const fallback = node.objectAssignmentInitializer;
  return fallback ? factory.createAssignment(value, fallback) : value;
}
