import { type OxcError, type Program, parseSync } from "oxc-parser";
import type { CodeSites } from "./code-sites.js";
import { declareStatements, declareVariables } from "./declare-statements.js";
import { mergesNamespaces } from "./merges-namespaces.js";
import { Scope } from "./scope.js";
import { importsOfTypesAlone } from "./types-alone.js";
import { walkCode } from "./walk-code.js";

/** The languages that cells and files are written in. */
export type Language = "ts" | "tsx";

/** What a look at the code of a cell, or of a file, has found, if it can be read at all. */
export interface CodeSyntax extends CodeSites {
  readonly program: Program;
  /** Whether it has namespaces that oxc cannot write, since they name members of others. */
  readonly mergesNamespaces: boolean;
  /** What is declared at the top of it with a value. */
  readonly scope: Scope;
}

/**
 * Reads code, and finds what must be written otherwise to run it as a script.
 *
 * @param isFound whether a package, by its specifier, is there when the code runs
 */
export function analyzeCode(
  code: string,
  language: Language,
  isFound: (specifier: string) => boolean,
): CodeSyntax | readonly OxcError[] {
  const { program, errors } = parseSync(`cell.${language}`, code, { sourceType: "module", astType: "ts" });
  if (errors.length > 0) return errors;
  const found = walkCode(program.body, topScope(program));
  const typesAlone = importsOfTypesAlone(program, found.references, isFound);
  for (const statement of typesAlone) statement.importKind = "type";
  return { ...found, program, mergesNamespaces: mergesNamespaces(program.body), scope: topScope(program) };
}

function topScope({ body }: Program): Scope {
  const scope = new Scope();
  declareVariables(body, scope);
  declareStatements(body, scope);
  return scope;
}
