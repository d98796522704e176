import { readSafely } from "../../../core/show-value.js";
import type { CellError } from "../cell/language-engine.js";

type Get = () => unknown;
type Set = (value: unknown) => void;

/** An object with one property, which has the name's name. */
export type Fields = Record<string, unknown>;

/** How the script that declares a variable reads and writes it once it is in a field. */
export type Over = (fields: Fields) => readonly [get: Get, set: Set];

/** Gives a name to all cells. Without `set`, it cannot be assigned to; without `over`, it cannot move into a field. */
export type Share = (name: string, get: Get, set?: Set, over?: Over) => void;

/** Gives an object that has the value of a name, where loops read and write it: see `NameFields`. */
export type Hold = (name: string) => object;

/**
 * Has the properties of one object read, and write, the variables of a cell that is beginning. A name that an earlier
 * cell has declared too means what it did until the cell has set its own: `const table = clean()` may call a function
 * that reads the earlier `table`.
 */
export class NameSharing {
  readonly #names: object;
  readonly #fields: NameFields;
  /** Names that may still mean what they did, and what they will. */
  readonly #waiting = new Map<string, PropertyDescriptor>();

  constructor(names: object, fields = new NameFields(names)) {
    this.#names = names;
    this.#fields = fields;
  }

  /** A name of this cell has been set, and from now on it means that. */
  readonly hold: Hold = (name) => {
    if (this.#waiting.has(name)) this.#take(name);
    return this.#fields.hold(name);
  };

  readonly share: Share = (name, get, set, over) => {
    this.#fields.know({ get, set, over });
    const own = { get, ...(set ? { set } : {}), enumerable: true, configurable: true };
    const earlier = Object.getOwnPropertyDescriptor(this.#names, name);
    if (!earlier) {
      Object.defineProperty(this.#names, name, own);
      return;
    }
    this.#waiting.set(name, own);
    Object.defineProperty(this.#names, name, {
      ...own,
      get: () => (this.#isSet(name, get) ? get() : read(earlier)),
      set: (value: unknown) => write(this.#isSet(name, get) ? own : earlier, value, name),
    });
  };

  /** Forgets what the names meant, when the cell has ended. */
  end(): void {
    for (const name of this.#waiting.keys()) this.#take(name);
  }

  #isSet(name: string, get: () => unknown): boolean {
    if (!this.#waiting.has(name)) return true;
    try {
      get();
    } catch {
      return false;
    }
    this.#take(name);
    return true;
  }

  #take(name: string): void {
    const own = this.#waiting.get(name);
    this.#waiting.delete(name);
    if (own) Object.defineProperty(this.#names, name, own);
  }
}

function read({ get, value }: PropertyDescriptor): unknown {
  return get ? get() : value;
}

function write(property: PropertyDescriptor, value: unknown, name: string): void {
  if (property.set) property.set(value);
  else if (property.writable) property.value = value;
  else throw new TypeError(`Cannot assign to '${name}' because it is a constant.`);
}

/** A name as a script gave it to others. */
interface Variable {
  readonly get: Get;
  readonly set?: Set | undefined;
  readonly over?: Over | undefined;
  /** Where its value is, once it has moved. */
  fields?: Fields;
}

/** What a debugger meets in place of a variable that has moved. Of names of its own, so that it is known from afar. */
export const fieldClass = "SiteframeField";

/**
 * Fields in which values of names live that loops use. V8 writes a number into such a field where it stands. Each is on
 * an object of a class of its own: of fields that share a class, V8 expects what each of them has held.
 */
export class NameFields {
  readonly #names: object;
  /** By what reads the name, so that a name that is declared anew, or defined by the user, has none. */
  readonly #named = new WeakMap<Get, Variable>();
  readonly #nameOf = new WeakMap<object, string>();

  constructor(names: object) {
    this.#names = names;
  }

  /** Takes note of a name. */
  know(variable: Variable): void {
    this.#named.set(variable.get, variable);
  }

  /**
   * An object that has the value of a name as a property. A variable moves into it; of a constant it has a copy, which
   * cannot be written. Of what the kernel does not know, it is the object of all names.
   */
  hold(name: string): object {
    const named = this.#find(name);
    if (!named || (named.set && !named.over)) return this.#names;
    if (named.fields) return named.fields;
    const fields = this.#make(name, named.get());
    if (named.set && named.over) this.#move(name, fields, named, named.over);
    else Object.freeze(fields);
    named.fields = fields;
    return fields;
  }

  /** Gives a name that no script has set a value that all can write. */
  define(name: string, value: unknown): void {
    const fields = this.#make(name, value);
    const get = () => fields[name];
    const set = (written: unknown) => {
      fields[name] = written;
    };
    this.#named.set(get, { get, set, fields });
    readers.add(get);
    this.#put(name, get, set);
  }

  /** What a debugger shows for a value: that of the name, if it is what stands for one that has moved. */
  shown(value: object): unknown {
    const name = this.#nameOf.get(value);
    return name === undefined ? value : Reflect.get(value, name);
  }

  /** Puts values back where scripts declared them, for expressions of a debugger. Gives what takes them away again. */
  layOut(): () => void {
    const ways = Object.getOwnPropertyNames(this.#names).flatMap((name) => this.#layOut(name) ?? []);
    return () => {
      for (const takeBack of ways) takeBack();
    };
  }

  #layOut(name: string): (() => void) | undefined {
    const moved = Object.getOwnPropertyDescriptor(this.#names, name);
    const { fields, get, set, over } = this.#find(name) ?? {};
    if (!moved || !fields || !get || !set || !over) return undefined;
    set(fields[name]);
    this.#put(name, get, set);
    return () => {
      fields[name] = get();
      set(fields);
      Object.defineProperty(this.#names, name, moved);
    };
  }

  #find(name: string): Variable | undefined {
    const get = Object.getOwnPropertyDescriptor(this.#names, name)?.get;
    return get && this.#named.get(get);
  }

  #make(name: string, value: unknown): Fields {
    const fields: Fields = new (class SiteframeField {})() as Fields;
    Object.defineProperty(fields, name, { value, writable: true, enumerable: true, configurable: true });
    this.#nameOf.set(fields, name);
    return fields;
  }

  /** The variable keeps nothing of the value that it had: what is let go of can be collected. */
  #move(name: string, fields: Fields, named: Variable, over: Over): void {
    const [get, set] = over(fields);
    this.#named.set(get, named);
    readers.add(get);
    this.#put(name, get, set);
    named.set?.(fields);
  }

  #put(name: string, get: Get, set: Set): void {
    Object.defineProperty(this.#names, name, { get, set, enumerable: true, configurable: true });
  }
}

/** Getters that read a field, and run nothing of the user's. */
const readers = new WeakSet<Get>();

/**
 * Makes undefined what a failed cell declared and did not come to set, which no cell could read otherwise. Gives the
 * names.
 */
export function settleNames(
  names: Readonly<Record<string, unknown>>,
  fields: NameFields,
  declared: readonly string[],
): readonly string[] {
  const unset = unsetNames(names, declared);
  for (const name of unset) fields.define(name, undefined);
  return unset;
}

/** Declared names of a cell without a value yet. */
export function unsetNames(names: Readonly<Record<string, unknown>>, declared: readonly string[]): readonly string[] {
  return declared.filter((name) => !isSet(names, name));
}

/** An error that says as well which names have no value. */
export function tellUnset(error: CellError, unset: readonly string[]): CellError {
  if (unset.length === 0) return error;
  const list = unset.map((name) => `\`${name}\``).join(", ");
  const are = unset.length === 1 ? "is" : "are";
  return { ...error, traceback: [...error.traceback, "", `${list} ${are} undefined: the cell ended before.`] };
}

function isSet(names: Readonly<Record<string, unknown>>, name: string): boolean {
  // A cell that was terminated between its first statements has not shared all its names.
  if (!Object.hasOwn(names, name)) return false;
  try {
    void names[name];
    return true;
  } catch {
    return false;
  }
}

/**
 * The value of a name of cells, unless it has none yet, or is not to be had without running the user's code: a cell may
 * have put a getter of its own on `exports`.
 */
export function readName(
  names: Readonly<Record<string, unknown>>,
  name: string,
): { readonly value: unknown } | undefined {
  const described = Object.getOwnPropertyDescriptor(names, name);
  if (!described) return undefined;
  if (!described.get) return { value: described.value };
  const read = described.get;
  // What `shareNames` writes reads a variable, and nothing else.
  if (!readers.has(read) && Function.prototype.toString.call(read) !== `() => ${name}`) return undefined;
  return readSafely(() => ({ value: read() }), undefined);
}
