import { randomUUID } from "node:crypto";
import { reasonOf } from "../../core/reason-of.js";
import type { Comm, CommMessage, Comms, TableKeeper } from "../../tables/display/live-kernel.js";
import { tableTarget } from "../threads/table-target.js";

const VERSION = 1;

type Answer = Parameters<TableKeeper["keep"]>[2];

/** One output of a table. */
interface Kept {
  readonly name: string;
  answer: Answer;
}

/** Where a kept table is found. It may be gone. */
interface Place {
  readonly owner: WeakRef<object>;
  readonly key: string;
}

/** What a message says, as far as it is looked at here. */
type Said = Readonly<Record<string, unknown>>;

/**
 * The tables that outputs of this session show some rows of: gives them the others, as long as they live. The one shown
 * last lives.
 */
export class LiveTables implements TableKeeper {
  /** An answer holds its table, so that it must not live longer than that. */
  readonly #kept = new WeakMap<object, Map<string, Kept>>();
  readonly #places = new Map<string, Place>();
  readonly #forgotten = new FinalizationRegistry<string>((name) => this.#places.delete(name));
  /** The one that is looked at: a cell that ends with a table seldom gives it a name. */
  readonly #newest = new Set<object>();

  keep(owner: object, key: string, answer: Answer): string {
    this.#newest.clear();
    this.#newest.add(owner);
    const outputs = this.#kept.get(owner) ?? new Map<string, Kept>();
    this.#kept.set(owner, outputs);
    const known = outputs.get(key);
    if (known) {
      known.answer = answer;
      return known.name;
    }
    const name = randomUUID();
    outputs.set(key, { name, answer });
    this.#places.set(name, { owner: new WeakRef(owner), key });
    this.#forgotten.register(owner, name);
    return name;
  }

  /** Takes the comms that outputs open. */
  listen(comms: Comms): void {
    comms.register(tableTarget, (comm, opened) => {
      this.#take(comm, opened);
      comm.onMessage = (message) => this.#take(comm, message);
    });
  }

  take(message: unknown): unknown {
    const said = saidIn(message);
    if (!said) return undefined;
    const { table, type, id } = said;
    const envelope = { siteframe: "table", version: VERSION, table };
    const answer = this.#answerOf(String(table));
    if (type === "hello") return { ...envelope, type: answer ? "hello" : "gone" };
    return type === "ask" ? { ...envelope, id, ...answered(answer, said) } : undefined;
  }

  #take(comm: Comm, { data }: CommMessage): void {
    const answer = this.take(data);
    if (answer !== undefined) comm.send(answer);
  }

  #answerOf(name: string): Answer | undefined {
    const place = this.#places.get(name);
    const owner = place?.owner.deref();
    return place && owner && this.#kept.get(owner)?.get(place.key)?.answer;
  }
}

function answered(answer: Answer | undefined, question: Said): Said {
  if (!answer) return { type: "gone" };
  try {
    return { ...Object(answer(question)), type: "answer" };
  } catch (error) {
    return { type: "refusal", text: reasonOf(error) };
  }
}

/** A message of the one version that this speaks. */
function saidIn(data: unknown): Said | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const said = data as Said;
  return said["siteframe"] === "table" && said["version"] === VERSION ? said : undefined;
}
