import { namesName, scriptParameters } from "../engine/cell/wrap-script.js";
import { fieldClass } from "../engine/names/name-fields.js";
import { DebugError } from "./debug-error.js";
import type { InspectedThread } from "./inspected-thread.js";
import { hasPreview, type RemoteValue, remoteText } from "./remote-value.js";

/** A variable in the terms of the Debug Adapter Protocol. A reference of 0: there is nothing in it. */
export interface Variable {
  readonly name: string;
  readonly value: string;
  /** Where the value does not tell it: JupyterLab shows one of the two, the type if there is one. */
  readonly type?: string;
  readonly variablesReference: number;
}

/** Until when values are held: `stop` as long as the thread is stopped, `session` until they are asked for anew. */
export type Hold = "stop" | "session";

interface Property {
  readonly name: string;
  readonly value?: RemoteValue;
  readonly symbol?: RemoteValue;
}

type Held =
  | { readonly hold: Hold; readonly kind: "names"; readonly objectIds: readonly string[] }
  | {
      readonly hold: Hold;
      readonly kind: "entries";
      readonly objectId: string;
      readonly range?: readonly [number, number];
    };

/** As many entries of a value are shown at once; more are in groups. */
const groupSize = 100;

const isOwn = (name: string) => name.startsWith("__siteframe_");

/** The values that clients have seen, by numbers with which they ask what is in them. */
export class Variables {
  readonly #thread: InspectedThread;
  readonly #held = new Map<number, Held>();
  #count = 0;

  constructor(thread: InspectedThread) {
    this.#thread = thread;
  }

  /** A reference to the names that are on some objects, of which the first one that has a name counts. */
  namesOn(objectIds: readonly string[], hold: Hold): number {
    return this.#add({ hold, kind: "names", objectIds });
  }

  variable(name: string, value: RemoteValue, hold: Hold): Variable {
    const { type, subtype, className, objectId } = value;
    const isTold = type !== "object" || subtype === "null" || hasPreview(value);
    const isOpen = type === "object" && subtype !== "proxy" && objectId !== undefined;
    return {
      name,
      value: remoteText(value),
      ...(isTold ? {} : { type: className ?? subtype ?? type }),
      variablesReference: isOpen ? this.#add({ hold, kind: "entries", objectId }) : 0,
    };
  }

  /**
   * What is in a value.
   *
   * @throws DebugError if the reference is of none, or of one that is no longer held
   */
  async inside(reference: number, start = 0, count = Number.POSITIVE_INFINITY): Promise<readonly Variable[]> {
    const held = this.#held.get(reference);
    if (!held) throw new DebugError(`The variables ${reference} are not known any more.`);
    if (held.kind === "entries") return this.#entries(held, start, count);
    const lists = await Promise.all(held.objectIds.map((objectId) => this.#properties(objectId)));
    const seen = new Set<string>();
    const properties = lists.flatMap(withoutOwn).filter(({ name }) => !seen.has(name) && seen.add(name));
    return Promise.all(properties.map((property) => this.#named(property, held.hold)));
  }

  /** Lets go of values. */
  async forget(hold: Hold): Promise<void> {
    for (const [reference, held] of this.#held) if (held.hold === hold) this.#held.delete(reference);
    await this.#thread.ask("Runtime.releaseObjectGroup", { objectGroup: hold });
  }

  async #entries(
    held: Held & { readonly kind: "entries" },
    start: number,
    count: number,
  ): Promise<readonly Variable[]> {
    const { objectId, hold } = held;
    const { result: size } = await this.#call(objectId, "return desk.size(this)", hold);
    const [low, high] = held.range ?? [0, Number(size.value)];
    const from = Math.min(low + start, high);
    const to = Math.min(from + count, high);
    const step = groupStep(to - from);
    if (step > 1) return this.#groups(held, from, to, step);
    const { result } = await this.#call(objectId, `return desk.entries(this, ${from}, ${to})`, hold);
    if (result.objectId === undefined) return [];
    return (await this.#properties(result.objectId)).map((property) => this.#of(property, hold));
  }

  #groups(held: Held & { readonly kind: "entries" }, from: number, to: number, step: number): readonly Variable[] {
    const groups: Variable[] = [];
    for (let low = from; low < to; low += step) {
      const high = Math.min(low + step, to);
      const variablesReference = this.#add({ ...held, range: [low, high] });
      groups.push({ name: `[${low} … ${high - 1}]`, value: "", variablesReference });
    }
    return groups;
  }

  /** A variable that has moved into a field has what stands for it. See `NameFields`. */
  async #named(property: Property, hold: Hold): Promise<Variable> {
    const { className, objectId } = property.value ?? {};
    if (className !== fieldClass || objectId === undefined) return this.#of(property, hold);
    const { result } = await this.#call(objectId, "return desk.shown(this)", hold);
    return this.#of({ ...property, value: result }, hold);
  }

  async #call(objectId: string, body: string, hold: Hold): Promise<{ readonly result: RemoteValue }> {
    const desk = await this.#thread.desk<{ readonly result: RemoteValue }>("self", { objectGroup: hold });
    return this.#thread.ask("Runtime.callFunctionOn", {
      objectId,
      functionDeclaration: `function (desk) { ${body}; }`,
      arguments: [{ objectId: desk.result.objectId }],
      silent: true,
      generatePreview: true,
      objectGroup: hold,
    });
  }

  async #properties(objectId: string): Promise<readonly Property[]> {
    const { result } = await this.#thread.ask<{ readonly result: readonly Property[] }>("Runtime.getProperties", {
      objectId,
      ownProperties: true,
      generatePreview: true,
    });
    return result;
  }

  #of({ name, value, symbol }: Property, hold: Hold): Variable {
    const shown = symbol ? remoteText(symbol) : name;
    if (!value) return { name: shown, value: "(getter)", variablesReference: 0 };
    return this.variable(shown, value, hold);
  }

  #add(held: Held): number {
    this.#held.set(++this.#count, held);
    return this.#count;
  }
}

/** Leaves out what stands around a cell. */
function withoutOwn(properties: readonly Property[]): readonly Property[] {
  const isAround = properties.some(({ name }) => name === namesName);
  return properties.filter(({ name }) => !isOwn(name) && !(isAround && scriptParameters.includes(name)));
}

/** How many entries a group has, so that no more than a hundred groups or entries are shown at once. */
function groupStep(size: number): number {
  let step = 1;
  while (size / step > groupSize) step *= groupSize;
  return step;
}
