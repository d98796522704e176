import { readSafely } from "../../../core/show-value.js";
import type { CellError } from "../cell/language-engine.js";

type Get = () => unknown;
type Set = (value: unknown) => void;

/** An object with one property of the name. */
export type Fields = Record<string, unknown>;

/** How the declaring script reads and writes a variable that is in a field. */
export type Over = (fields: Fields) => readonly [get: Get, set: Set];

/** Shares a name with all cells. Without `set`, the name is read-only; without `over`, it cannot move into a field. */
export type Share = (name: string, get: Get, set?: Set, over?: Over) => void;

/** Returns an object with the value of a name, which loops read and write: see `NameFields`. */
export type Hold = (name: string) => object;

/**
 * Makes the properties of an object read and write the variables of a cell that begins. A name that an earlier cell
 * also declared keeps its value until the cell has set its own: `const table = clean()` may call a function that reads
 * the earlier `table`.
 */
export class NameSharing {
  readonly #names: object;
  readonly #fields: NameFields;
  /** Names that may still have their earlier meaning, with their new one. */
  readonly #waiting = new Map<string, PropertyDescriptor>();

  constructor(names: object, fields = new NameFields(names)) {
    this.#names = names;
    this.#fields = fields;
  }

  /** Called when a name of this cell is set: from now on it has the new meaning. */
  readonly hold: Hold = (name) => {
    if (this.#waiting.has(name)) this.#take(name);
    return this.#fields.hold(name);
  };

  readonly share: Share = (name, get, set, over) => {
    this.#fields.know({ get, set, over });
    const descriptor = { get, ...(set ? { set } : {}), enumerable: true, configurable: true };
    const earlier = Object.getOwnPropertyDescriptor(this.#names, name);
    if (!earlier) {
      Object.defineProperty(this.#names, name, descriptor);
      return;
    }
    this.#waiting.set(name, descriptor);
    Object.defineProperty(this.#names, name, {
      ...descriptor,
      get: () => (this.#isSet(name, get) ? get() : read(earlier)),
      set: (value: unknown) => write(this.#isSet(name, get) ? descriptor : earlier, value, name),
    });
  };

  /** Forgets the earlier meanings when the cell has ended. */
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
    const waiting = this.#waiting.get(name);
    this.#waiting.delete(name);
    if (waiting) Object.defineProperty(this.#names, name, waiting);
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

/** A name as a script shared it. */
interface Variable {
  readonly get: Get;
  readonly set?: Set | undefined;
  readonly over?: Over | undefined;
  /** The field of the value after it has moved. */
  fields?: Fields;
}

/** The debugger's placeholder for a variable that has moved. Its names are unique, so that it is recognizable. */
export const fieldClass = "SiteframeField";

/**
 * Fields for values of names that loops use. V8 writes a number into such a field in place. Each field is on an object
 * of a separate class: if fields share a class, V8 combines the types that each of them has held.
 */
export class NameFields {
  readonly #names: object;
  /** Keyed by the getter of the name, so that a name declared again, or defined by the user, has no entry. */
  readonly #named = new WeakMap<Get, Variable>();
  readonly #nameOf = new WeakMap<object, string>();

  constructor(names: object) {
    this.#names = names;
  }

  /** Registers a name. */
  know(variable: Variable): void {
    this.#named.set(variable.get, variable);
  }

  /**
   * Returns an object with the value of a name as a property. A variable moves into it; a constant is copied into it
   * read-only. For names that the kernel did not define, returns the object of all names.
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

  /** Gives a name that no script has set a value that all scripts can write. */
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

  /** The value that a debugger shows: for a placeholder, the value of the moved variable. */
  display(value: object): unknown {
    const name = this.#nameOf.get(value);
    return name === undefined ? value : Reflect.get(value, name);
  }

  /** Restores values where scripts declared them, for expressions of a debugger. Returns a function that reverts it. */
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

  /** Clears the variable, so that its earlier value can be collected. */
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

/** Getters that read a field and run no user code. */
const readers = new WeakSet<Get>();

/**
 * Sets the names that a failed cell declared but did not set to undefined, since no cell could read them otherwise.
 * Returns the names.
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

/** An error that also lists the names without a value. */
export function withUnset(error: CellError, unset: readonly string[]): CellError {
  if (unset.length === 0) return error;
  const list = unset.map((name) => `\`${name}\``).join(", ");
  const are = unset.length === 1 ? "is" : "are";
  return { ...error, traceback: [...error.traceback, "", `${list} ${are} undefined: the cell failed first.`] };
}

function isSet(names: Readonly<Record<string, unknown>>, name: string): boolean {
  // A cell terminated between its first statements has not shared all its names.
  if (!Object.hasOwn(names, name)) return false;
  try {
    void names[name];
    return true;
  } catch {
    return false;
  }
}

/**
 * The value of a name of cells, unless it has no value yet or reading it would run user code: a cell may have defined a
 * getter on `exports`.
 */
export function readName(
  names: Readonly<Record<string, unknown>>,
  name: string,
): { readonly value: unknown } | undefined {
  const described = Object.getOwnPropertyDescriptor(names, name);
  if (!described) return undefined;
  if (!described.get) return { value: described.value };
  const read = described.get;
  // A getter written by `shareNames` only reads a variable.
  if (!readers.has(read) && Function.prototype.toString.call(read) !== `() => ${name}`) return undefined;
  return readSafely(() => ({ value: read() }), undefined);
}

/** The names that users declared, without names added by compilers. */
export function userNames(names: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.getOwnPropertyNames(names).filter((name) => !/^(__siteframe_|__esModule$|tsLastExpr$)/.test(name));
}
