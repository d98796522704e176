import type { Runtime } from "node:inspector";
import { namesName, scriptParameters } from "../engine/cell/wrap-script.js";
import { fieldClass } from "../engine/names/name-sharing.js";
import { DebugError, hasPreview, type InspectedThread, type RemoteValue, remoteText } from "./inspected-thread.js";

/** A variable as the Debug Adapter Protocol defines it. Reference 0: no children. */
interface Variable {
  readonly name: string;
  readonly value: string;
  /** Only if the value alone does not show it: JupyterLab shows the type, if present, instead of the value. */
  readonly type?: string;
  readonly variablesReference: number;
}

/** How long values are held: `stop` while the thread is stopped, `session` until the values are requested again. */
export type Hold = "stop" | "session";

type Held =
  | { readonly hold: Hold; readonly kind: "names"; readonly objectIds: readonly string[] }
  | {
      readonly hold: Hold;
      readonly kind: "entries";
      readonly objectId: string;
      readonly range?: readonly [number, number];
    };

/** Maximum number of entries of a value shown at once; more are grouped. */
const groupSize = 100;

const isOwn = (name: string) => name.startsWith("__siteframe_");

/** The values that clients have seen, by the reference numbers with which they request children. */
export class Variables {
  readonly #thread: InspectedThread;
  readonly #references = new Map<number, Held>();
  #count = 0;

  constructor(thread: InspectedThread) {
    this.#thread = thread;
  }

  /** Returns a reference to the names on some objects. The first object that has a name counts. */
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
   * Returns the children of a value.
   *
   * @throws DebugError if the reference is unknown or its value is no longer held
   */
  async inside(reference: number, start = 0, count = Number.POSITIVE_INFINITY): Promise<readonly Variable[]> {
    const target = this.#references.get(reference);
    if (!target) throw new DebugError(`The variables reference ${reference} has expired.`);
    if (target.kind === "entries") return this.#entries(target, start, count);
    const lists = await Promise.all(target.objectIds.map((objectId) => this.#properties(objectId)));
    const seen = new Set<string>();
    const properties = lists.flatMap(withoutOwn).filter(({ name }) => !seen.has(name) && seen.add(name));
    return Promise.all(properties.map((property) => this.#named(property, target.hold)));
  }

  /** Releases values. */
  async forget(hold: Hold): Promise<void> {
    for (const [reference, target] of this.#references) if (target.hold === hold) this.#references.delete(reference);
    await this.#thread.ask("Runtime.releaseObjectGroup", { objectGroup: hold });
  }

  async #entries(
    target: Held & { readonly kind: "entries" },
    start: number,
    count: number,
  ): Promise<readonly Variable[]> {
    const { objectId, hold } = target;
    const size = await this.#call(objectId, "return channel.size(this)", hold);
    const [low, high] = target.range ?? [0, Number(size.value)];
    const from = Math.min(low + start, high);
    const to = Math.min(from + count, high);
    const step = groupStep(to - from);
    if (step > 1) return this.#groups(target, from, to, step);
    const entries = await this.#call(objectId, `return channel.entries(this, ${from}, ${to})`, hold);
    if (entries.objectId === undefined) return [];
    return (await this.#properties(entries.objectId)).map((property) => this.#of(property, hold));
  }

  #groups(target: Held & { readonly kind: "entries" }, from: number, to: number, step: number): readonly Variable[] {
    const groups: Variable[] = [];
    for (let low = from; low < to; low += step) {
      const high = Math.min(low + step, to);
      const variablesReference = this.#add({ ...target, range: [low, high] });
      groups.push({ name: `[${low} … ${high - 1}]`, value: "", variablesReference });
    }
    return groups;
  }

  /** A variable in a field is represented by a placeholder. See `NameFields`. */
  async #named(property: Runtime.PropertyDescriptor, hold: Hold): Promise<Variable> {
    const { className, objectId } = property.value ?? {};
    if (className !== fieldClass || objectId === undefined) return this.#of(property, hold);
    const value = await this.#call(objectId, "return channel.display(this)", hold);
    return this.#of({ ...property, value }, hold);
  }

  async #call(objectId: string, body: string, hold: Hold): Promise<RemoteValue> {
    const channel = await this.#thread.channel("self", { objectGroup: hold });
    const { result } = await this.#thread.ask<Runtime.CallFunctionOnReturnType>("Runtime.callFunctionOn", {
      objectId,
      functionDeclaration: `function (channel) { ${body}; }`,
      arguments: [{ objectId: channel.objectId }],
      silent: true,
      generatePreview: true,
      objectGroup: hold,
    });
    return result;
  }

  async #properties(objectId: string): Promise<readonly Runtime.PropertyDescriptor[]> {
    const params = { objectId, ownProperties: true, generatePreview: true };
    return (await this.#thread.ask<Runtime.GetPropertiesReturnType>("Runtime.getProperties", params)).result;
  }

  #of({ name, value, symbol }: Runtime.PropertyDescriptor, hold: Hold): Variable {
    const label = symbol ? remoteText(symbol) : name;
    if (!value) return { name: label, value: "(getter)", variablesReference: 0 };
    return this.variable(label, value, hold);
  }

  #add(target: Held): number {
    this.#references.set(++this.#count, target);
    return this.#count;
  }
}

/** Omits the frames around a cell. */
function withoutOwn(properties: readonly Runtime.PropertyDescriptor[]): readonly Runtime.PropertyDescriptor[] {
  const isAround = properties.some(({ name }) => name === namesName);
  return properties.filter(({ name }) => !isOwn(name) && !(isAround && scriptParameters.includes(name)));
}

/** The size of a group, chosen so that at most a hundred groups or entries are shown at once. */
function groupStep(size: number): number {
  let step = 1;
  while (size / step > groupSize) step *= groupSize;
  return step;
}
