import type { PropertyChange } from "../../api/resources.js";
import { parseInstant } from "../../core/instant.js";
import { packUuid, UUID_WORDS } from "../../core/uuid-words.js";
import { canonicalKey } from "../../layer/property-key.js";
import { GrowingArray } from "../../tables/cells/growing-array.js";
import { changeFlags, timeFlags } from "../../tables/read/change-columns.js";
import { jsonText } from "../json/json-text.js";
import type { ChangeHeader, ChangeSection } from "./column-file.js";

/** The JSON texts of values by code, in order of first appearance: values that are written alike have one code. */
class FormDictionary {
  readonly texts: string[] = [];
  readonly #scalars = new Map<unknown, number>();
  readonly #others = new Map<string, number>();

  code(value: unknown): number {
    // A map takes -0 for 0.
    const isOther = value === 0 || (typeof value === "object" && value !== null);
    return isOther ? this.#enter(this.#others, jsonText(value), value) : this.#enter(this.#scalars, value, value);
  }

  #enter<K>(codes: Map<K, number>, key: K, value: unknown): number {
    const known = codes.get(key);
    if (known !== undefined) return known;
    const code = this.texts.push(jsonText(value)) - 1;
    codes.set(key, code);
    return code;
  }
}

/** The bytes of each section, and what the header says besides. */
export interface BuiltChanges extends Pick<ChangeHeader, "rows" | "undated"> {
  readonly sections: Readonly<Record<ChangeSection, Uint8Array>>;
}

/** Puts property changes into the sections of a column file, one after the other. */
export class ChangeBuilder {
  readonly #features = new GrowingArray(Float64Array);
  readonly #starts = new GrowingArray(Uint32Array);
  readonly #causes = new GrowingArray(Uint32Array);
  readonly #ids: Uint32Array;
  readonly #timesUs: Float64Array;
  readonly #flags: Uint8Array;
  readonly #keys: CodeBuilder;
  readonly #values: CodeBuilder;
  readonly #users: CodeBuilder;
  #rows = 0;
  #undated = 0;

  /** @param rows how many changes will come */
  constructor(rows: number) {
    this.#ids = new Uint32Array(rows * UUID_WORDS);
    this.#timesUs = new Float64Array(rows);
    this.#flags = new Uint8Array(rows);
    this.#keys = new CodeBuilder(rows);
    this.#values = new CodeBuilder(rows);
    this.#users = new CodeBuilder(rows);
  }

  add(change: PropertyChange): void {
    const row = this.#rows;
    this.#rows += 1;
    if (this.#features.length === 0 || this.#features.at(this.#features.length - 1) !== change.layer_feature_id) {
      this.#features.push(change.layer_feature_id);
      this.#starts.push(row);
    }
    packUuid(change.id, this.#ids, row * UUID_WORDS);
    this.#keys.set(row, canonicalKey(change.property_key));
    this.#values.set(row, change.new_value ?? null);
    this.#users.set(row, change.user_id ?? null);
    const instant = parseInstant(change.created_at);
    if (!instant) this.#undated += 1;
    this.#timesUs[row] = instant?.us ?? Number.NaN;
    this.#flags[row] = timeFlags(instant) + (change.system ? changeFlags.system : 0) + this.#addCause(change);
  }

  /** Can be called once. */
  finish(): BuiltChanges {
    this.#starts.push(this.#rows);
    return {
      rows: this.#rows,
      undated: this.#undated,
      sections: {
        features: bytesOf(filled(this.#features)),
        starts: bytesOf(filled(this.#starts)),
        ids: bytesOf(this.#ids),
        times: bytesOf(this.#timesUs),
        flags: this.#flags,
        causes: bytesOf(filled(this.#causes)),
        keys: this.#keys.codes(),
        keysList: this.#keys.list(),
        values: this.#values.codes(),
        valuesList: this.#values.list(),
        users: this.#users.codes(),
        usersList: this.#users.list(),
      },
    };
  }

  #addCause({ caused_by_change_id }: PropertyChange): number {
    if (typeof caused_by_change_id !== "string") return 0;
    this.#causes.reserve(UUID_WORDS);
    packUuid(caused_by_change_id, this.#causes.values, this.#causes.length);
    this.#causes.length += UUID_WORDS;
    return changeFlags.caused;
  }
}

class CodeBuilder {
  readonly #dictionary = new FormDictionary();
  readonly #codes: Uint32Array;

  constructor(rows: number) {
    this.#codes = new Uint32Array(rows);
  }

  set(row: number, value: unknown): void {
    this.#codes[row] = this.#dictionary.code(value);
  }

  codes(): Uint8Array {
    const { length } = this.#dictionary.texts;
    if (length <= 0x100) return new Uint8Array(this.#codes);
    return bytesOf(length <= 0x1_0000 ? new Uint16Array(this.#codes) : this.#codes);
  }

  list(): Uint8Array {
    return Buffer.from(`[${this.#dictionary.texts.join()}]`);
  }
}

function filled<T extends Float64Array | Uint32Array>({ values, length }: GrowingArray<T>): ArrayBufferView {
  return values.subarray(0, length);
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
