import MagicString from "magic-string";
import type { Node } from "oxc-parser";
import { preloadedNames } from "../../cell/preloaded-names.js";
import { namesName, scriptParameters, shareName } from "../../cell/wrap-script.js";
import type { CodeSyntax } from "../analyze/analyze-code.js";
import type { CellNames } from "../analyze/cell-names.js";
import type { Reference } from "../analyze/code-sites.js";
import { lastValue } from "../analyze/last-value.js";
import { escapeSeparators } from "./escape-separators.js";
import { hoist } from "./hoist.js";
import { importCode, loadCode } from "./import-code.js";
import { planFields } from "./plan-fields.js";
import { rewriteReferences } from "./rewrite-references.js";
import { rewriteSites } from "./rewrite-sites.js";

/** Where a script leaves the value of its last expression. */
export const resultName = "__siteframe_result";

/** A cell as the body of an async function, still TypeScript. */
export interface RewrittenCell {
  readonly code: string;
  readonly sourceMap: string;
  readonly hasResult: boolean;
}

/**
 * Makes a cell the body of a function that shares its names with other cells. They are properties of one object, which
 * read and write the cell's own variables, so that its statements lose no time; its functions, which may run when a
 * later cell has declared a name anew, read them there. For its loops see `planFields`.
 *
 * @param isEarlier whether a name is one of an earlier cell with a value
 * @param implied names that are used though they do not stand in the code
 */
export function rewriteCell(
  code: string,
  syntax: CodeSyntax,
  names: CellNames,
  isEarlier: (name: string) => boolean,
  implied: readonly string[],
): RewrittenCell {
  const { values } = names;
  const text = new MagicString(code);
  const result = lastValue(syntax.program.body);
  const preloads = new Set<string>();
  const plan = planFields(syntax, names, isEarlier, implied);
  const target = (reference: Reference) => {
    const { name, isNested } = reference;
    const inField = plan.target(reference);
    if (inField !== undefined) return inField;
    if (values.has(name) ? isNested : isEarlier(name)) return `${namesName}.${name}`;
    if (!values.has(name) && Object.hasOwn(preloadedNames, name)) preloads.add(name);
    return undefined;
  };
  escapeSeparators(text, syntax.program.body);
  rewriteReferences(text, syntax.references, target, result?.start);
  rewriteSites(text, syntax.sites);
  if (result) text.prependRight(result.start, `${namesName}.${resultName} = (`).appendLeft(result.end, ")");
  const isValue = (name: string) => values.has(name) || isEarlier(name);
  for (const statement of syntax.program.body) rewriteModuleStatement(text, statement, syntax.program.body, isValue);
  plan.write(text);
  const taken = implied.filter((name) => !values.has(name) && isEarlier(name));
  const head = [...taken.map((name) => `const ${name} = ${namesName}.${name}; `), ...[...preloads].map(preloadCode)];
  text.prepend(shareNames(values, plan.canMove) + head.join(""));
  const sourceMap = text.generateMap({ hires: "boundary" }).toString();
  return { code: text.toString(), sourceMap, hasResult: result !== undefined };
}

/** Imports come first, wherever they stand; exports are what every declaration of a cell is. */
function rewriteModuleStatement(
  text: MagicString,
  statement: Node,
  all: readonly Node[],
  isValue: (name: string) => boolean,
): void {
  const { start, end } = statement;
  switch (statement.type) {
    case "VariableDeclaration":
      if (statement.kind === "var") clearParameters(text, statement);
      return;
    case "ImportDeclaration":
      text.update(start, end, importCode(statement) || ";");
      hoist(text, all, statement);
      return;
    case "TSImportEqualsDeclaration":
      rewriteImportEquals(text, statement, isValue);
      return;
    case "ExportAllDeclaration":
      text.update(start, end, statement.exportKind === "type" ? ";" : `${loadCode(statement.source.value)};`);
      return;
    case "ExportNamedDeclaration":
      if (!statement.declaration) {
        text.update(start, end, statement.source ? `${loadCode(statement.source.value)};` : ";");
        return;
      }
      text.remove(start, statement.declaration.start);
      rewriteModuleStatement(text, statement.declaration, all, isValue);
      return;
    case "ExportDefaultDeclaration":
      if (
        "id" in statement.declaration &&
        statement.declaration.id &&
        /Declaration$/.test(statement.declaration.type)
      ) {
        text.remove(start, statement.declaration.start);
      } else {
        text.update(start, statement.declaration.start, ";(").appendLeft(statement.declaration.end, ");");
      }
      return;
    case "TSExportAssignment":
      text.update(start, statement.expression.start, ";(").appendLeft(statement.expression.end, ");");
  }
}

/** A variable without a value would keep that of the script's own parameter of its name, such as `require`. */
function clearParameters(text: MagicString, { declarations }: Node & { readonly type: "VariableDeclaration" }): void {
  for (const { id, init, end } of declarations) {
    if (!init && id.type === "Identifier" && scriptParameters.includes(id.name)) text.appendLeft(end, " = undefined");
  }
}

function rewriteImportEquals(
  text: MagicString,
  { start, end, importKind, moduleReference }: Node & { readonly type: "TSImportEqualsDeclaration" },
  isValue: (name: string) => boolean,
): void {
  if (importKind === "type") {
    text.update(start, end, ";");
    return;
  }
  text.update(start, start + "import".length, "const");
  if (moduleReference.type !== "TSExternalModuleReference") {
    const name = /^[^\s./]+/.exec(text.original.slice(moduleReference.start))?.[0] ?? "";
    // A namespace of types alone is not there when the cell runs.
    if (!isValue(name)) text.appendRight(moduleReference.start, `typeof ${name} === "undefined" ? undefined : `);
    return;
  }
  text.update(
    moduleReference.start,
    moduleReference.end,
    `require(${JSON.stringify(moduleReference.expression.value)})`,
  );
}

/**
 * Lets all cells read the names of this one, and write those that are variables; and says how to do so when a variable has
 * moved into a field, if it can.
 */
function shareNames(values: ReadonlyMap<string, boolean>, canMove: boolean): string {
  const calls = [...values].map(([name, isVariable]) => {
    const value = name === "_" ? "$" : "_";
    const set = isVariable ? `, (${value}) => { ${name} = ${value}; }` : "";
    const over = isVariable && canMove ? `, ($) => [() => $.${name}, (_) => { $.${name} = _; }]` : "";
    return `${shareName}(${JSON.stringify(name)}, () => ${name}${set}${over}); `;
  });
  return calls.join("");
}

function preloadCode(name: string): string {
  const { module, export: exported } = preloadedNames[name] ?? { module: name };
  const pattern = exported === undefined ? name : `{ ${exported}: ${name} }`;
  return `const ${pattern} = ${loadCode(module)}; `;
}
