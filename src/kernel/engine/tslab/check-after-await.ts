import type ts from "@tslab/typescript-for-tslab";
import { resumeName } from "../cell/wrap-script.js";
import type { TypeScript } from "./load-tslab.js";

/**
 * Makes each `await x` a `__siteframe_resume(await x)`, and has the body of `for await` begin with such a call. An
 * interrupted cell that waits would otherwise go on as soon as what it waits for comes.
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
