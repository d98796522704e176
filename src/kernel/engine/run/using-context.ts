/** A value that is disposed of when its block ends. */
interface Resource {
  readonly isAsync: boolean;
  dispose(): unknown;
}

/**
 * What `using` and `await using` are compiled to for a Node that does not know them, under the names that oxc gives:
 * `u` and `a` take a value, `e` the error that the block ended with, and `d` disposes of all values, the last one first.
 */
export class UsingContext {
  readonly #resources: Resource[] = [];
  #error: { readonly value: unknown } | undefined;

  set e(error: unknown) {
    this.#error = { value: error };
  }

  /** `using` */
  u<Value>(value: Value): Value {
    if (value !== null && value !== undefined) this.#add(value, [Symbol.dispose], false);
    return value;
  }

  /** `await using` */
  a<Value>(value: Value): Value {
    if (value !== null && value !== undefined) this.#add(value, [Symbol.asyncDispose, Symbol.dispose], true);
    else this.#resources.push({ isAsync: true, dispose: () => undefined });
    return value;
  }

  /** Throws, or rejects with, what the block ended with, or what disposing did. */
  d(): unknown {
    return this.#resources.some(({ isAsync }) => isAsync) ? this.#disposeAsync() : this.#dispose();
  }

  #add(value: unknown, symbols: readonly symbol[], isAsync: boolean): void {
    const methods: readonly unknown[] = symbols.map((symbol) => Reflect.get(Object(value), symbol));
    const method = methods.find((each) => each !== null && each !== undefined);
    if (typeof method !== "function") throw new TypeError("The value of `using` cannot be disposed of.");
    this.#resources.push({ isAsync, dispose: () => Reflect.apply(method, value, []) });
  }

  #dispose(): void {
    for (const resource of this.#resources.splice(0).reverse()) {
      try {
        resource.dispose();
      } catch (error) {
        this.#suppress(error);
      }
    }
    this.#throw();
  }

  async #disposeAsync(): Promise<void> {
    for (const { isAsync, dispose } of this.#resources.splice(0).reverse()) {
      try {
        const disposed = dispose();
        if (isAsync) await disposed;
      } catch (error) {
        this.#suppress(error);
      }
    }
    this.#throw();
  }

  /** As the language has it, an error of disposing holds the one before. */
  #suppress(error: unknown): void {
    if (!this.#error) {
      this.#error = { value: error };
      return;
    }
    const message = "An error was suppressed during disposal.";
    const suppressed = this.#error.value;
    this.#error = { value: Object.assign(new Error(message), { name: "SuppressedError", error, suppressed }) };
  }

  #throw(): void {
    if (this.#error) throw this.#error.value;
  }
}
