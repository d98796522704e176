import { readFileSync } from "node:fs";

/** Exports of the record readers in WebAssembly: see `assembly/`. Places are addresses in their memory. */
export interface RecordsWasm {
  readonly memory: { readonly buffer: ArrayBuffer };
  /** Frees all memory. */
  releaseAll(): void;
  /** Allocates a block of at least so many bytes. */
  allocate(bytes: number): number;
  newColumn(index: number, kind: number): number;
  /** Allocates cells of a column for more rows, and returns their address. */
  moveCells(column: number, rows: number, moreRows: number, absent: number): number;
  setDictionary(column: number, dictionary: number): void;
  setInstants(
    column: number,
    length: number,
    decimals: number,
    suffix: number,
    suffixLength: number,
    offsetUs: number,
  ): void;
  setUuids(column: number, start: number, end: number, index: number): void;
  uuidsEnd(column: number): number;
  takeUsed(column: number): number;
  newDictionary(): number;
  /** Number of strings that reading added to all dictionaries. */
  addedWords(): number;
  addWord(dictionary: number, text: number, length: number): void;
  lookups(dictionary: number): number;
  setLookups(dictionary: number, count: number): void;
  newState(): number;
  /** Adds a step, and returns the address for its literal. */
  newStep(from: number, length: number, column: number, next: number): number;
  setTexts(start: number, end: number, position: number): void;
  textsEnd(): number;
  setNumbers(start: number, end: number, position: number): void;
  numbersEnd(): number;
  readRecords(state: number, start: number, windowEnd: number, near: number, row: number, rows: number): number;
  rowsEnd(): number;
  missedAt(): number;
}

/** Reads an irregular value of a column into a row, and returns the address after it; 0 if it is malformed. */
export type ReadOdd = (column: number, offset: number, row: number) => number;

/** The used part of the API, which is missing in Node's types. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: RecordsWasm };
}

/** Pooled readers; their callback for irregular values is set whenever they are acquired. */
export interface PooledRecords {
  readonly wasm: RecordsWasm;
  readonly odd: { read: ReadOdd };
}

/** Unused readers: reusing them is faster than creating new ones. */
let idle: PooledRecords | undefined;
/** Readers with more memory are not kept. */
const MOST_IDLE = 1 << 24;

/** Returns record readers with separate memory, from the pool or new; undefined without WebAssembly. */
export function acquireRecords(readOdd: ReadOdd): PooledRecords | undefined {
  const memory = idle ?? makeRecords();
  idle = undefined;
  if (memory) memory.odd.read = readOdd;
  return memory;
}

/** Returns readers to the pool. Their memory must no longer be used. */
export function releaseRecords(records: PooledRecords): void {
  records.odd.read = readNothing;
  if (records.wasm.memory.buffer.byteLength > MOST_IDLE) return;
  records.wasm.releaseAll();
  idle = records;
}

const readNothing: ReadOdd = () => 0;

function makeRecords(): PooledRecords | undefined {
  const { WebAssembly: api } = globalThis as { readonly WebAssembly?: WebAssemblyApi };
  compiled ??= api ? compile(api) : "none";
  if (!api || compiled === "none") return undefined;
  const odd = { read: readNothing };
  const readOdd: ReadOdd = (column, offset, row) => odd.read(column, offset, row);
  try {
    return { wasm: new api.Instance(compiled, { columns: { readOdd } }).exports, odd };
  } catch {
    // Each instance reserves some GiB of addresses, which a process may not have. JavaScript then reads everything,
    // only slower.
    return undefined;
  }
}

let compiled: object | "none" | undefined;

/** A policy may forbid compiling, and a bundle of the library may omit the file: JavaScript then reads everything. */
function compile(api: WebAssemblyApi): object | "none" {
  try {
    // The built file, even if this module runs from source in a test. It is not located by the package's name, because
    // a bundle would get the file of another version.
    return new api.Module(readFileSync(new URL("../../../dist/tables/wasm/records.wasm", import.meta.url)));
  } catch {
    return "none";
  }
}
