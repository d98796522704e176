import type { Ids, PageDecoder } from "../../client/page/page-decoder.js";
import { compareUuids, UUID_WORDS, uuidText } from "../../core/uuid.js";
import { finishPage } from "./assemble-pages.js";
import { type ChangeColumns, changeColumnsOfBytes } from "./change-columns.js";
import { columnDecoder } from "./decode-columns.js";
import { RecordReader } from "./record-reader.js";

/** Number of distinct strings before it is decided whether they repeat. */
const TRIAL = 5000;
/** Maximum number of distinct strings whose values are kept. */
const MOST = 100_000;

/**
 * Parses JSON strings of arrays and objects, which often repeat: repeated strings get the same object. Stops the
 * lookups if few repeat.
 */
export function sharedJson(): (text: string) => unknown {
  const values = new Map<string, unknown>();
  let repeated = 0;
  let isWorthIt = true;
  return (text) => {
    const same = isWorthIt ? values.get(text) : undefined;
    if (same !== undefined) {
      repeated += 1;
      return same;
    }
    const value: unknown = JSON.parse(text);
    if (isWorthIt && values.size < MOST) values.set(text, value);
    if (values.size === TRIAL && repeated < TRIAL) {
      isWorthIt = false;
      values.clear();
    }
    return value;
  };
}

/** A decoder that packs the property changes of each page, and discards everything else. */
export function changeDecoder(): PageDecoder<ChangeColumns> {
  const reader = new RecordReader("propertyChanges");
  const decode = columnDecoder(reader, "view");
  const readJson = sharedJson();
  return (body, context) => {
    try {
      const { content: page, pagination } = decode(body, context);
      const content = changeColumnsOfBytes(finishPage(reader, page), readJson);
      return { content, ids: new UuidIds(content.ids), pagination };
    } finally {
      reader.restart();
      reader.release();
    }
  };
}

/** The ids of packed changes. */
class UuidIds implements Ids {
  readonly length: number;
  readonly #words: Uint32Array;
  /** For all rows; cached because paging needs it more than once. */
  #isAscending: boolean | undefined;

  constructor(words: Uint32Array) {
    this.length = words.length / UUID_WORDS;
    this.#words = words;
  }

  at(row: number): string | undefined {
    return row >= 0 && row < this.length ? uuidText(this.#words, row * UUID_WORDS) : undefined;
  }

  isAscending(start: number, end: number): boolean {
    if (start > 0 || end < this.length) return this.#areAscending(start, end);
    this.#isAscending ??= this.#areAscending(start, end);
    return this.#isAscending;
  }

  #areAscending(start: number, end: number): boolean {
    for (let row = start + 1; row < end; row += 1) {
      if (compareUuids(this.#words, (row - 1) * UUID_WORDS, this.#words, row * UUID_WORDS) >= 0) return false;
    }
    return true;
  }
}
