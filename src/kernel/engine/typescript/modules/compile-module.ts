import { readFileSync } from "node:fs";
import { extname } from "node:path";
import MagicString from "magic-string";
import type { ImportDeclaration, ModuleExportName, Node } from "oxc-parser";
import { readSafely } from "../../../../core/show-value.js";
import { positionAt } from "../../cell/cell-positions.js";
import type { ModuleCompilation } from "../../cell/language-engine.js";
import { fileVersion } from "../../cell/local-files.js";
import { namesName, shareName } from "../../cell/wrap-script.js";
import { analyzeCode, type CodeSyntax } from "../analyze/analyze-code.js";
import { statementNames } from "../analyze/scope.js";
import { exportName, importedValues } from "../analyze/syntax.js";
import { type EmitOptions, toScript } from "../emit/lower.js";
import { hoist, loadCode, rewriteReferences, rewriteSites } from "../emit/rewrite.js";

const defaultName = "__siteframe_default";

/**
 * Makes a module the body of a function that leaves its live exports on an object. Imported names are read on use, so
 * that circular imports work.
 */
class ModuleRewriter {
  readonly #text: MagicString;
  readonly #syntax: CodeSyntax;
  /** Replacements for imported names. */
  readonly #imported = new Map<string, string>();
  /** Names of exports, with the expressions that they read. */
  readonly #exports = new Map<string, string>();
  #modules = 0;

  constructor(syntax: CodeSyntax) {
    this.#text = new MagicString(syntax.code);
    this.#syntax = syntax;
  }

  rewrite(): MagicString {
    const { program, references, sites } = this.#syntax;
    const text = this.#text;
    for (const statement of program.body) if (statement.type === "ImportDeclaration") this.#import(statement);
    for (const statement of program.body) this.#statement(statement);
    rewriteReferences(text, references, ({ name }) => this.#imported.get(name));
    rewriteSites(text, sites);
    const getters = [...this.#exports].map(
      ([name, value]) => `${shareName}(${JSON.stringify(name)}, () => ${value}); `,
    );
    return text.prepend(getters.join(""));
  }

  #statement(statement: Node): void {
    switch (statement.type) {
      case "ExportNamedDeclaration":
        this.#exportNames(statement);
        return;
      case "ExportAllDeclaration":
        this.#exportAll(statement);
        return;
      case "ExportDefaultDeclaration":
        this.#exportDefault(statement);
        return;
      case "TSExportAssignment":
        this.#text.update(statement.start, statement.expression.start, "module.exports = ");
        return;
      case "TSImportEqualsDeclaration": {
        const { start, moduleReference } = statement;
        if (statement.importKind === "type") return;
        this.#text.update(start, start + "import".length, "const");
        if (moduleReference.type !== "TSExternalModuleReference") return;
        this.#text.update(moduleReference.start, moduleReference.end, loadCode(moduleReference.expression.value));
      }
    }
  }

  /** Loads a module before other code runs, unless only its types are used. */
  #import(statement: ImportDeclaration): void {
    const { start, end, specifiers, source } = statement;
    const values = importedValues(statement).filter(({ local }) => this.#isUsed(local.name));
    if (values.length === 0 && (specifiers.length > 0 || statement.importKind === "type")) {
      this.#text.update(start, end, ";");
      return;
    }
    const module = this.#load(statement, source.value);
    for (const each of values) {
      const value =
        each.type === "ImportNamespaceSpecifier"
          ? module
          : member(module, each.type === "ImportSpecifier" ? each.imported : undefined);
      this.#imported.set(each.local.name, value);
    }
  }

  #isUsed(name: string): boolean {
    const { references, program } = this.#syntax;
    const isExported = (statement: Node) =>
      statement.type === "ExportNamedDeclaration" &&
      !statement.source &&
      statement.specifiers.some(({ local }) => "name" in local && local.name === name);
    return references.some((reference) => reference.name === name) || program.body.some(isExported);
  }

  /** The name of the variable that holds the loaded module. */
  #load(statement: Node, specifier: string): string {
    const { start, end } = statement;
    const module = `__siteframe_module_${this.#modules++}`;
    this.#text.update(start, end, `const ${module} = ${loadCode(specifier)};`);
    hoist(this.#text, this.#syntax.program.body, statement);
    return module;
  }

  #exportNames(statement: Node & { readonly type: "ExportNamedDeclaration" }): void {
    const { start, end, declaration, specifiers, source, exportKind } = statement;
    if (declaration) {
      this.#text.remove(start, declaration.start);
      for (const name of statementNames(declaration)) this.#exports.set(name, name);
      this.#statement(declaration);
      return;
    }
    const values = exportKind === "type" ? [] : specifiers.filter((each) => each.exportKind !== "type");
    const module = source && exportKind !== "type" ? this.#load(statement, source.value) : undefined;
    if (module === undefined) this.#text.update(start, end, ";");
    for (const { local, exported } of values) {
      const exportedName = exportName(local);
      const value =
        module === undefined
          ? (this.#imported.get(exportedName) ?? this.#exportedName(exportedName))
          : member(module, local);
      if (value !== undefined) this.#exports.set(exportName(exported), value);
    }
  }

  /** A type name has nothing to export. */
  #exportedName(name: string): string | undefined {
    return this.#syntax.scope.names.has(name) ? name : undefined;
  }

  #exportAll(statement: Node & { readonly type: "ExportAllDeclaration" }): void {
    const { start, end, exported, source, exportKind } = statement;
    if (exportKind === "type") {
      this.#text.update(start, end, ";");
    } else if (exported) {
      this.#exports.set(exportName(exported), this.#load(statement, source.value));
    } else {
      const module = this.#load(statement, source.value);
      this.#text.appendLeft(
        end,
        ` for (const key of Object.keys(${module})) if (key !== "default" && !Object.hasOwn(${namesName}, key)) Object.defineProperty(${namesName}, key, { get: () => ${module}[key], enumerable: true, configurable: true });`,
      );
    }
  }

  #exportDefault({ start, declaration }: Node & { readonly type: "ExportDefaultDeclaration" }): void {
    const isDeclaration = /Declaration$/.test(declaration.type);
    if (isDeclaration && "id" in declaration && declaration.id) {
      this.#text.remove(start, declaration.start);
      if (declaration.type !== "TSInterfaceDeclaration") this.#exports.set("default", declaration.id.name);
      return;
    }
    this.#text.update(start, declaration.start, `const ${defaultName} = (`).appendLeft(declaration.end, ");");
    this.#exports.set("default", defaultName);
  }
}

/**
 * Compiles a TypeScript file to an async function of the same form as a cell, so that it works on every version of Node
 * and can be reloaded after a change. Types are not checked: the file's editor does that. For `isFound` see
 * `analyzeCode`.
 */
export function compileModule(
  path: string,
  options: EmitOptions,
  isFound: (specifier: string) => boolean,
): ModuleCompilation {
  const version = fileVersion(path);
  const code = readSafely(() => readFileSync(path, "utf8").replace(/^\uFEFF/, ""), undefined);
  if (code === undefined) return { status: "error", message: `${path} cannot be read.` };
  const syntax = analyzeCode(code, extname(path) === ".tsx" ? "tsx" : "ts", isFound);
  if (!("program" in syntax)) {
    const [problem] = syntax;
    const { line, column } = positionAt(code, problem?.labels[0]?.start ?? 0);
    const position = problem?.labels[0] ? `:${line}:${column}` : "";
    return { status: "error", message: `${path}${position}: ${problem?.message}` };
  }
  const script = toScript(new ModuleRewriter(syntax).rewrite(), syntax, options);
  return { status: "ok", module: { path, version, code, ...script } };
}

/** @param name of an export; the default one if absent */
function member(module: string, name: ModuleExportName | undefined): string {
  return `${module}[${JSON.stringify(name ? exportName(name) : "default")}]`;
}
