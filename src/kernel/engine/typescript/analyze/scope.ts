import type { Node, Span } from "oxc-parser";
import { childNodes, hasValue, importedValues, moduleName, patternNames } from "./syntax.js";

/** Where names are declared: a function, a block, a class, or the cell itself. */
export class Scope {
  readonly parent: Scope | undefined;
  /** Whether its code runs later than the code around it, and whether `var` ends here. */
  readonly isFunction: boolean;
  readonly #names = new Set<string>();

  constructor(parent?: Scope, isFunction = false) {
    this.parent = parent;
    this.isFunction = isFunction;
  }

  declare(names: Iterable<string>): void {
    for (const name of names) this.#names.add(name);
  }

  get names(): ReadonlySet<string> {
    return this.#names;
  }

  /** The scope of a block in this one. */
  block(): Scope {
    return new Scope(this);
  }

  /** The scope of a function in this one. */
  function(): Scope {
    return new Scope(this, true);
  }

  /**
   * The meaning of a name here: whether it is declared below the outermost scope, and whether a function is in between.
   */
  find(name: string): { readonly isLocal: boolean; readonly isNested: boolean } {
    let isNested = false;
    for (let scope: Scope = this; scope.parent; scope = scope.parent) {
      if (scope.#names.has(name)) return { isLocal: true, isNested };
      isNested ||= scope.isFunction;
    }
    return { isLocal: false, isNested };
  }
}

/** Declares the names of a block's statements, before the statements are analyzed. */
export function declareStatements(statements: readonly Node[], scope: Scope): void {
  for (const statement of statements) scope.declare(statementNames(statement));
}

/** The names with a value that a statement declares in its own block. */
export function statementNames(statement: Node): readonly string[] {
  switch (statement.type) {
    case "ExportNamedDeclaration":
    case "ExportDefaultDeclaration":
      return statement.declaration ? statementNames(statement.declaration) : [];
    case "ImportDeclaration":
      return importedValues(statement).map(({ local }) => local.name);
    case "VariableDeclaration":
      return hasValue(statement) ? statement.declarations.flatMap(({ id }) => patternNames(id)) : [];
    case "FunctionDeclaration":
    case "ClassDeclaration":
    case "TSEnumDeclaration":
    case "TSImportEqualsDeclaration":
      return hasValue(statement) && statement.id?.type === "Identifier" ? [statement.id.name] : [];
    case "TSModuleDeclaration":
      return hasValue(statement) ? moduleName(statement) : [];
    default:
      return [];
  }
}

/** Declares in a function's scope the `var` names anywhere in it, except in nested functions. */
export function declareVariables(nodes: readonly Node[], scope: Scope): void {
  for (const node of nodes) {
    if (/Function|Class|Expression$|^TS/.test(node.type)) continue;
    if (node.type === "VariableDeclaration" && node.kind === "var") scope.declare(statementNames(node));
    declareVariables(childNodes(node), scope);
  }
}

/** A name in the code that is declared at its top level, or not at all. */
export interface Reference extends Span {
  readonly name: string;
  /** `shorthand` is the `a` of `{ a }`; `callee` is called; `statement` is called, and begins a statement, so that a bracket there needs a semicolon. */
  readonly form: "plain" | "shorthand" | "callee" | "statement";
  /** Whether it is inside a function. */
  readonly isNested: boolean;
}

/** A part that a script writes differently from a module. */
export type Site = Span & { readonly kind: "await" | "forAwait" | "import" | "importMeta" };

/** The result of walking through code. */
export interface CodeSites {
  readonly references: Reference[];
  /** Every name in a type. */
  readonly typeNames: Set<string>;
  readonly sites: Site[];
  /** Whether it contains JSX, which is rewritten to function calls. */
  hasJsx: boolean;
  /** Whether it contains decorators or accessors, which oxc does not transform. */
  hasDecorators: boolean;
}
