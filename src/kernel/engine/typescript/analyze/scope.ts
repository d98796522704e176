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
