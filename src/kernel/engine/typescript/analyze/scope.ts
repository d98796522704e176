import type { Span } from "oxc-parser";

/** Where names are declared: a function, a block, a class, or the cell itself. */
export class Scope {
  readonly parent: Scope | undefined;
  /** Whether what stands in it runs later than what stands around it, and whether `var` ends here. */
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

  /** What a name means here: whether it is declared below the outermost scope, and whether a function lies between. */
  find(name: string): { readonly isLocal: boolean; readonly isNested: boolean } {
    let isNested = false;
    for (let scope: Scope = this; scope.parent; scope = scope.parent) {
      if (scope.#names.has(name)) return { isLocal: true, isNested };
      isNested ||= scope.isFunction;
    }
    return { isLocal: false, isNested };
  }
}

/** A name in the code that is declared at the top of it, or not at all. */
export interface Reference extends Span {
  readonly name: string;
  /** `shorthand` is the `a` of `{ a }`; `callee` is called; `statement` is called, and begins a statement, so that a bracket there needs a semicolon. */
  readonly form: "plain" | "shorthand" | "callee" | "statement";
  /** Whether a function lies around it. */
  readonly isNested: boolean;
}

/** Something that a script writes otherwise than a module. */
export type Site = Span & { readonly kind: "await" | "forAwait" | "import" | "importMeta" };

/** What a walk through code finds. */
export interface CodeSites {
  readonly references: Reference[];
  /** Every name in a type. */
  readonly typeNames: Set<string>;
  readonly sites: Site[];
  /** Whether there is JSX in it, which is written as calls of a function. */
  hasJsx: boolean;
  /** Whether there are decorators or accessors in it, which oxc leaves as they are. */
  hasDecorators: boolean;
}
