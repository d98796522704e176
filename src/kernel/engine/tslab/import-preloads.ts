import { basename } from "node:path";
import type ts from "@tslab/typescript-for-tslab";
import { type Preload, preloadedNames } from "../cell/preloaded-names.js";
import { importName } from "../cell/wrap-script.js";
import type { TypeScript } from "./load-tslab.js";

/** Two passes over a cell: the first, on TypeScript, finds the preloaded names that it uses; the second imports them. */
export interface PreloadPasses {
  readonly find: ts.TransformerFactory<ts.SourceFile>;
  readonly load: ts.TransformerFactory<ts.SourceFile>;
}

/** A name that the user declared himself is another symbol, and so is left alone. */
export function importPreloads(ts: TypeScript, checker: ts.TypeChecker): PreloadPasses {
  const used = new Set<string>();
  const isPreloaded = (node: ts.Identifier) =>
    Object.hasOwn(preloadedNames, node.text) &&
    checker
      .getSymbolAtLocation(node)
      ?.declarations?.some((declaration) => basename(declaration.getSourceFile().fileName).startsWith("__siteframe__"));
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && isPreloaded(node)) used.add(node.text);
    if (ts.isShorthandPropertyAssignment(node) && Object.hasOwn(preloadedNames, node.name.text))
      used.add(node.name.text);
    ts.forEachChild(node, visit);
  };
  return {
    find: () => (file) => {
      visit(file);
      return file;
    },
    load: () => (file) => {
      const imports = [...used].flatMap((name) => {
        const preload = preloadedNames[name];
        return preload && !declares(ts, file, name) ? [importOf(ts, name, preload)] : [];
      });
      return imports.length === 0 ? file : ts.factory.updateSourceFile(file, [...imports, ...file.statements]);
    },
  };
}

function importOf(ts: TypeScript, name: string, preload: Preload): ts.Statement {
  const { factory } = ts;
  const call = factory.createCallExpression(factory.createIdentifier(importName), undefined, [
    factory.createStringLiteral(preload.module),
  ]);
  const binding =
    preload.export === undefined
      ? factory.createIdentifier(name)
      : factory.createObjectBindingPattern([factory.createBindingElement(undefined, preload.export, name)]);
  const declaration = factory.createVariableDeclaration(
    binding,
    undefined,
    undefined,
    factory.createAwaitExpression(call),
  );
  return factory.createVariableStatement(
    undefined,
    factory.createVariableDeclarationList([declaration], ts.NodeFlags.Const),
  );
}

/** A cell may use a preloaded name in one scope and declare it in another; at its top level it can be only one. */
function declares(ts: TypeScript, file: ts.SourceFile, name: string): boolean {
  return file.statements.some(
    (statement) =>
      ts.isVariableStatement(statement) &&
      statement.declarationList.declarations.some(
        (declaration) => ts.isIdentifier(declaration.name) && declaration.name.text === name,
      ),
  );
}
