type Get = () => unknown;
type Set = (value: unknown) => void;

/** An object with one property, which has the name's name. */
export type Fields = Record<string, unknown>;

/** How the script that declares a variable reads and writes it once it is in a field. */
export type Over = (fields: Fields) => readonly [get: Get, set: Set];

/** A name as a script gave it to others. Without `over`, its variable cannot move. */
export interface Variable {
  readonly get: Get;
  readonly set?: Set;
  readonly over?: Over;
}

interface Named extends Variable {
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
  readonly #named = new WeakMap<Get, Named>();
  readonly #nameOf = new WeakMap<object, string>();

  constructor(names: object) {
    this.#names = names;
  }

  /** Takes note of a name. */
  know(variable: Variable): void {
    this.#named.set(variable.get, { ...variable });
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

  #find(name: string): Named | undefined {
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
  #move(name: string, fields: Fields, named: Named, over: Over): void {
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

const readers = new WeakSet<Get>();

/** Whether a getter reads a field, and runs nothing of the user's. */
export function readsField(get: Get): boolean {
  return readers.has(get);
}
