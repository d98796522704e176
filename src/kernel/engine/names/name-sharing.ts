import { NameFields, type Over } from "./name-fields.js";

/** Gives a name to all cells. Without `set`, it cannot be assigned to; without `over`, it cannot move into a field. */
export type Share = (name: string, get: () => unknown, set?: (value: unknown) => void, over?: Over) => void;

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
    this.#fields.know({ get, ...(set ? { set } : {}), ...(over ? { over } : {}) });
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
