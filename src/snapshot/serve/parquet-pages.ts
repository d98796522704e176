/** A data page of a Parquet file: where its values end and how many there are. */
export interface DataPage {
  readonly values: number;
  /** Bytes of the header. */
  readonly headerBytes: number;
  /** Bytes after the header: levels, then values. */
  readonly bodyBytes: number;
}

const DATA_PAGE = 0;
const PLAIN = 0;
const I32 = 5;
const STRUCT = 12;

/**
 * Reads the header of a plain, uncompressed data page (Apache Parquet format, `PageHeader`, in Thrift's compact
 * protocol).
 *
 * @returns undefined if the page is of another kind
 */
export function readDataPage(bytes: Uint8Array): DataPage | undefined {
  const reader = new CompactReader(bytes);
  const header = reader.struct();
  const data = header.get(5);
  const bodyBytes = header.get(3);
  if (header.get(1) !== DATA_PAGE || !(data instanceof Map) || typeof bodyBytes !== "number") return undefined;
  const values = data.get(1);
  if (data.get(2) !== PLAIN || typeof values !== "number" || bodyBytes !== header.get(2)) return undefined;
  return { values, headerBytes: reader.position, bodyBytes };
}

type ThriftStruct = Map<number, number | ThriftStruct>;

/** As much of Thrift's compact protocol as a page header of DuckDB's uses: structures of 32-bit integers. */
class CompactReader {
  readonly #bytes: Uint8Array;
  position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  struct(): ThriftStruct {
    const fields: ThriftStruct = new Map();
    let id = 0;
    for (let head = this.#byte(); head !== 0; head = this.#byte()) {
      const step = head >> 4;
      id = step === 0 ? this.#integer() : id + step;
      const type = head & 15;
      if (type === STRUCT) fields.set(id, this.struct());
      else if (type === I32) fields.set(id, this.#integer());
      else return fields;
    }
    return fields;
  }

  #byte(): number {
    return this.#bytes[this.position++] ?? 0;
  }

  /** A zigzag varint. */
  #integer(): number {
    let value = 0;
    let shift = 0;
    for (let byte = this.#byte(); ; byte = this.#byte()) {
      value |= (byte & 127) << shift;
      shift += 7;
      if (byte < 128) return (value >>> 1) ^ -(value & 1);
    }
  }
}
