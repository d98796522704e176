import { randomUUID } from "node:crypto";
import { ArgumentError } from "../../core/errors.js";
import { nameHint } from "../../core/nearest-name.js";
import type { Message } from "../wire/message.js";
import type { Executor } from "./executor.js";

/**
 * The shell of a kernel and its subshells (Jupyter's enhancement proposal 91). Each executes its cells one after the other;
 * those of different ones run beside each other: one goes on while another awaits something. A loop holds up all of them.
 */
export class Subshells {
  readonly #create: () => Executor;
  readonly #main: Executor;
  readonly #subshells = new Map<string, Executor>();
  /** What is deleted while a cell runs in it is stopped by an interrupt all the same. */
  readonly #deleted = new Set<Executor>();

  constructor(create: () => Executor) {
    this.#create = create;
    this.#main = create();
  }

  /** A new subshell's id. */
  add(): string {
    const id = randomUUID();
    this.#subshells.set(id, this.#create());
    return id;
  }

  get ids(): readonly string[] {
    return [...this.#subshells.keys()];
  }

  /**
   * Takes no more cells for a subshell. The one that runs comes to its end, those that wait for it are aborted.
   *
   * @throws ArgumentError if there is none of this id
   */
  delete(id: unknown): void {
    const executor = this.#subshell(id);
    this.#subshells.delete(String(id));
    executor.abort();
    for (const other of this.#deleted) if (!other.current) this.#deleted.delete(other);
    this.#deleted.add(executor);
  }

  /**
   * Has a cell executed in the shell that its message names.
   *
   * @throws ArgumentError if there is none of this id
   */
  execute(message: Message): void {
    const { subshell_id: id = null } = message.header;
    (id === null ? this.#main : this.#subshell(id)).add(message);
  }

  /** A request that is being executed. */
  get current(): Message | undefined {
    return this.#all.map(({ current }) => current).find((message) => message !== undefined);
  }

  async interrupt(): Promise<void> {
    await Promise.all(this.#all.map((executor) => executor.interrupt()));
  }

  get #all(): readonly Executor[] {
    return [this.#main, ...this.#subshells.values(), ...this.#deleted];
  }

  #subshell(id: unknown): Executor {
    const found = this.#subshells.get(String(id));
    if (found) return found;
    throw new ArgumentError(`The kernel has no subshell ${JSON.stringify(id)}.`, {
      hint: nameHint(String(id), this.ids) || "A create_subshell_request makes one.",
      facts: { subshell: id },
    });
  }
}
