import { readFileSync } from "node:fs";

/** What the readers of records in WebAssembly offer: see `assembly/`. Places are addresses in their memory. */
export interface RecordsWasm {
  readonly memory: { readonly buffer: ArrayBuffer };
  /** Gives back all memory. */
  releaseAll(): void;
  /** A block of memory of at least so many bytes. */
  allocate(bytes: number): number;
  newColumn(index: number, kind: number): number;
  /** Gives a column cells for more rows, and returns their place. */
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
  /** How many texts were added to all dictionaries by reading. */
  addedWords(): number;
  addWord(dictionary: number, text: number, length: number): void;
  lookups(dictionary: number): number;
  setLookups(dictionary: number, count: number): void;
  newState(): number;
  /** Adds a step, and returns where its literal is to be written. */
  newStep(from: number, length: number, column: number, next: number): number;
  setTexts(start: number, end: number, position: number): void;
  textsEnd(): number;
  setNumbers(start: number, end: number, position: number): void;
  numbersEnd(): number;
  readRecords(state: number, start: number, windowEnd: number, near: number, row: number, rows: number): number;
  rowsEnd(): number;
  missedAt(): number;
}

/** Reads an odd value of a column into a row, and returns the place behind it; 0 if it is malformed. */
export type ReadOdd = (column: number, place: number, row: number) => number;

/** As far as it is needed: Node's types do not tell of it. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: RecordsWasm };
}

/** Readers of a pool: what reads odd values for them is set whenever they are acquired. */
export interface PooledRecords {
  readonly wasm: RecordsWasm;
  readonly odd: { read: ReadOdd };
}

/** Readers that nobody uses: to make them anew takes longer than to use them again. */
let idle: PooledRecords | undefined;
/** With more memory they are not kept. */
const MOST_IDLE = 1 << 24;

/** Readers of records with memory of their own, of the pool or new; undefined where there is no WebAssembly. */
export function acquireRecords(readOdd: ReadOdd): PooledRecords | undefined {
  const found = idle ?? makeRecords();
  idle = undefined;
  if (found) found.odd.read = readOdd;
  return found;
}

/** Gives readers back to the pool. Nobody may look at their memory any more. */
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
  const readOdd: ReadOdd = (column, place, row) => odd.read(column, place, row);
  try {
    return { wasm: new api.Instance(compiled, { columns: { readOdd } }).exports, odd };
  } catch {
    // Each has some GiB of addresses set aside, which a process may not have left. Nothing is lost but speed.
    return undefined;
  }
}

let compiled: object | "none" | undefined;

/** A policy may forbid to compile, and who bundles the library may leave the file out: all is read in JavaScript then. */
function compile(api: WebAssemblyApi): object | "none" {
  try {
    // The built file, also when this one runs from source under a test. It is not found by the package's name: a bundle would
    // get that of another version.
    return new api.Module(readFileSync(new URL("../../../dist/tables/wasm/records.wasm", import.meta.url)));
  } catch {
    return "none";
  }
}
