import type ts from "@tslab/typescript-for-tslab";
import { resumeName } from "../cell/wrap-script.js";
import type { TypeScript } from "./load-tslab.js";

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
