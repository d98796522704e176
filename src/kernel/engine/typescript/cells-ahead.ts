import type { Compilation, PlannedCell } from "../cell/language-engine.js";

/** A cell that has been read before its turn. */
export interface CellAhead {
  readonly cell: PlannedCell;
  /** Checks and writes it. Is called once. */
  readonly compile: () => Promise<Compilation>;
  /** Takes back what it and all after it have declared. */
  readonly takeBack: () => void;
}

interface Entry extends CellAhead {
  compilation?: Promise<Compilation>;
}

/**
 * Cells that will run, of which the first ones are read, and the first of these compiled, already. That holds as long as
 * cells run in the order that was planned, and no file that they import has changed.
 */
export class CellsAhead {
  #read: Entry[] = [];
  #planned: PlannedCell[] = [];
  #isHeld = false;
  #isOutdated = false;
  #isGoing = false;

  plan(cells: readonly PlannedCell[]): void {
    this.#planned = [...cells];
  }

  /**
   * Goes on as long as there is more to do.
   *
   * @param step does some of it, and says whether there was some
   */
  async go(step: () => Promise<boolean>): Promise<void> {
    const isAll = this.#planned.length === 0 && this.#read.length === 0;
    if (this.#isGoing || isAll) return;
    this.#isGoing = true;
    // What fails is tried again when the turn of the cell has come, and told then.
    while (await step().catch(() => false));
    this.#isGoing = false;
  }

  /** What to read next. After a cell with errors nothing: it may be another one by the time it runs. */
  get next(): readonly PlannedCell[] {
    return this.#isHeld || this.#isOutdated ? [] : this.#planned;
  }

  /** Keeps what has become of the first of `next`, unless other cells were planned meanwhile. */
  add(read: readonly CellAhead[]): void {
    for (const ahead of read) {
      if (this.#planned[0] !== ahead.cell) return;
      this.#planned.shift();
      this.#read.push({ ...ahead });
    }
  }

  /** Compiles one of those that were read. Says whether there was one. */
  async compileNext(): Promise<boolean> {
    const next = this.#isHeld || this.#isOutdated ? undefined : this.#read.find(({ compilation }) => !compilation);
    if (next === undefined) return false;
    this.#isHeld = true;
    const { status } = await compilationOf(next);
    // Meanwhile all may have been forgotten.
    if (this.#read.includes(next)) this.#isHeld = status === "error";
    return true;
  }

  /** What was compiled means nothing any more: a file has changed. */
  outdate(): void {
    this.#isOutdated = this.#read.length > 0;
  }

  /** What has become of a cell whose turn has come; undefined if it must be compiled now. */
  async take({ code, name }: PlannedCell): Promise<Compilation | undefined> {
    const isThis = (cell: PlannedCell | undefined) => cell?.code === code && cell.name === name;
    const [first] = this.#read;
    if (first && isThis(first.cell) && !this.#isOutdated) {
      const compilation = await compilationOf(first).catch(() => undefined);
      // Meanwhile all may have been forgotten.
      if (this.#read[0] !== first) return undefined;
      if (compilation?.status === "ok") {
        this.#read.shift();
        return compilation;
      }
    }
    this.restart();
    const [next, ...later] = this.#planned;
    this.#planned = isThis(next) ? later : [];
    return undefined;
  }

  /** Takes back all cells that were read, which will be read again. */
  restart(): void {
    const planned = [...this.#read.map(({ cell }) => cell), ...this.#planned];
    this.#read[0]?.takeBack();
    this.forget();
    this.#planned = planned;
  }

  forget(): void {
    this.#read = [];
    this.#planned = [];
    this.#isHeld = false;
    this.#isOutdated = false;
  }
}

function compilationOf(entry: Entry): Promise<Compilation> {
  entry.compilation ??= entry.compile();
  return entry.compilation;
}
