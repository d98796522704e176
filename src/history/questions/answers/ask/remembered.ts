/** Something that is found out once. Who asks while it is being found out finds out by himself: each may be aborted. */
export class Remembered<T> {
  #known: { readonly value: T } | undefined;

  async get(find: () => Promise<T>): Promise<T> {
    this.#known ??= { value: await find() };
    return this.#known.value;
  }
}
