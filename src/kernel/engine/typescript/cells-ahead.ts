import type { Compilation, PlannedCell } from "../cell/language-engine.js";

/** A cell that was parsed before its turn. */
export interface CellAhead {
  readonly cell: PlannedCell;
  /** Checks and writes it. Is called once. */
  readonly compile: () => Promise<Compilation>;
  /** Reverts the declarations of the cell and all later cells. */
  readonly takeBack: () => void;
}

interface Entry extends CellAhead {
  compilation?: Promise<Compilation>;
}

/**
 * Cells that will run. The first ones are already parsed, and the first parsed ones compiled. Valid as long as cells
 * run in the planned order and no file that they import changes.
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
   * @param step does a part of the work, and returns whether there was work to do
   */
  async go(step: () => Promise<boolean>): Promise<void> {
    const isAll = this.#planned.length === 0 && this.#read.length === 0;
    if (this.#isGoing || isAll) return;
    this.#isGoing = true;
    // Failures are retried, and then reported, when the turn of the cell has come.
    while (await step().catch(() => false));
    this.#isGoing = false;
  }

  /** The next cell to parse. Undefined after a cell with errors, which may be edited before it runs. */
  get next(): readonly PlannedCell[] {
    return this.#isHeld || this.#isOutdated ? [] : this.#planned;
  }

  /** Stores the result for the first of `next`, unless other cells were planned meanwhile. */
  add(read: readonly CellAhead[]): void {
    for (const ahead of read) {
      if (this.#planned[0] !== ahead.cell) return;
      this.#planned.shift();
      this.#read.push({ ...ahead });
    }
  }

  /** Compiles one of the parsed cells. Returns whether there was one. */
  async compileNext(): Promise<boolean> {
    const next = this.#isHeld || this.#isOutdated ? undefined : this.#read.find(({ compilation }) => !compilation);
    if (next === undefined) return false;
    this.#isHeld = true;
    const { status } = await compilationOf(next);
    // The plan may have been discarded meanwhile.
    if (this.#read.includes(next)) this.#isHeld = status === "error";
    return true;
  }

  /** Discards compiled cells because a file has changed. */
  outdate(): void {
    this.#isOutdated = this.#read.length > 0;
  }

  /** The result of a cell whose turn has come; undefined if it must be compiled now. */
  async take({ code, name }: PlannedCell): Promise<Compilation | undefined> {
    const isThis = (cell: PlannedCell | undefined) => cell?.code === code && cell.name === name;
    const [first] = this.#read;
    if (first && isThis(first.cell) && !this.#isOutdated) {
      const compilation = await compilationOf(first).catch(() => undefined);
      // The plan may have been discarded meanwhile.
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

  /** Reverts all parsed cells, which are then parsed again. */
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
