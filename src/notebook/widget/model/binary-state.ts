import { ArgumentError } from "../../../core/errors.js";
import { reasonOf } from "../../../core/reason-of.js";

/** Where a binary value stood in a state, from outside in. */
export type BufferPath = readonly (string | number)[];

/** A state as Jupyter's widgets send it: JSON, and beside it the bytes that JSON cannot hold. */
export interface SplitState {
  readonly state: unknown;
  readonly buffer_paths: readonly BufferPath[];
  readonly buffers: readonly Uint8Array[];
}

/**
 * Takes the binary values out of a state, however deep they are: typed arrays, views and array buffers. An object lacks
 * them then, a list has `null` in their place. BigInts become the text of their digits.
 *
 * @throws ArgumentError if the rest is no JSON
 */
export function splitState(state: object): SplitState {
  const buffer_paths: BufferPath[] = [];
  const buffers: Uint8Array[] = [];
  const paths = new Map<unknown, BufferPath>();
  function replace(this: unknown, key: string, value: unknown): unknown {
    // As it is before `toJSON`, which a Buffer has.
    const raw: unknown = Reflect.get(Object(this), key);
    const outer = paths.get(this);
    const path = outer ? [...outer, Array.isArray(this) ? Number(key) : key] : [];
    const bytes = bytesOf(raw);
    if (bytes) {
      buffer_paths.push(path);
      buffers.push(bytes);
      return Array.isArray(this) ? null : undefined;
    }
    if (typeof value === "object" && value !== null) paths.set(value, path);
    return typeof value === "bigint" ? String(value) : value;
  }
  try {
    return { state: JSON.parse(JSON.stringify(state, replace)), buffer_paths, buffers };
  } catch (cause) {
    const [reason = ""] = reasonOf(cause).split("\n");
    throw new ArgumentError(`A widget's state must be JSON and bytes: ${reason}.`, { cause });
  }
}

/** Puts bytes back where they stood. Paths that lead nowhere are passed over. */
export function joinState(
  state: unknown,
  paths: unknown,
  buffers: readonly Uint8Array[],
): Readonly<Record<string, unknown>> {
  const whole = { ...Object(state) };
  if (!Array.isArray(paths)) return whole;
  for (const [index, path] of paths.entries()) {
    const buffer = buffers[index];
    if (Array.isArray(path) && buffer) place(whole, path, buffer);
  }
  return whole;
}

function place(whole: object, path: readonly unknown[], buffer: Uint8Array): void {
  const steps = path.map(String);
  const last = steps.pop();
  let holder: unknown = whole;
  for (const step of steps) {
    if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, step)) return;
    holder = Reflect.get(holder, step);
  }
  if (typeof holder !== "object" || holder === null || last === undefined) return;
  Object.defineProperty(holder, last, { value: buffer, configurable: true, enumerable: true, writable: true });
}

function bytesOf(value: unknown): Uint8Array | undefined {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : undefined;
}
