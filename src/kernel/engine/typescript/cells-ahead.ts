import type { Compilation, PlannedCell } from "../cell/language-engine.js";

/** A cell that was compiled before its turn. */
interface ReadyCell {
  readonly cell: PlannedCell;
  readonly compilation: Compilation;
  /** Takes back what it and all after it have declared. */
  readonly takeBack: () => void;
}

/**
 * Cells that will run, of which the first ones are compiled already. That holds as long as cells run in the order that
 * was planned, and no file that they import has changed.
 */
export class CellsAhead {
  #ready: ReadyCell[] = [];
  #planned: PlannedCell[] = [];
  #isOutdated = false;
  #isGoing = false;

  plan(cells: readonly PlannedCell[]): void {
    this.#planned = [...cells];
  }

  /**
   * Goes on as long as there is more to do.
   *
   * @param compileNext compiles `next`, and says whether it did
   */
  async go(compileNext: () => Promise<boolean>): Promise<void> {
    if (this.#isGoing) return;
    this.#isGoing = true;
    // What fails is tried again when the turn of the cell has come, and told then.
    while (await compileNext().catch(() => false));
    this.#isGoing = false;
  }

  /** What to compile next. After a cell with errors nothing: it may be another one by the time it runs. */
  get next(): PlannedCell | undefined {
    const isHeld = this.#isOutdated || this.#ready.at(-1)?.compilation.status === "error";
    return isHeld ? undefined : this.#planned[0];
  }

  /** Keeps what has become of `next`, unless other cells were planned meanwhile. */
  add(ready: ReadyCell): void {
    if (this.#planned[0] !== ready.cell) return;
    this.#planned.shift();
    this.#ready.push(ready);
  }

  /** What was compiled means nothing any more: a file has changed. */
  outdate(): void {
    this.#isOutdated = this.#ready.length > 0;
  }

  /** What has become of a cell whose turn has come; undefined if it must be compiled now. */
  take({ code, name }: PlannedCell): Compilation | undefined {
    const isThis = (cell: PlannedCell | undefined) => cell?.code === code && cell.name === name;
    const [first] = this.#ready;
    const compilation = first?.compilation;
    if (compilation?.status === "ok" && isThis(first?.cell) && !this.#isOutdated) {
      this.#ready.shift();
      return compilation;
    }
    first?.takeBack();
    const [next, ...later] = [...this.#ready.map(({ cell }) => cell), ...this.#planned];
    this.#ready = [];
    this.#isOutdated = false;
    this.#planned = isThis(next) ? later : [];
    return undefined;
  }

  forget(): void {
    this.#ready = [];
    this.#planned = [];
    this.#isOutdated = false;
  }
}
