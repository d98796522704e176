/** A page was not read, since the store has moved to another state of its folder. It can be asked for again. */
export class StoreMovedError extends Error {
  constructor() {
    super("The store has moved to another state of the snapshot.");
    this.name = "StoreMovedError";
  }
}
