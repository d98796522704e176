import { literalValues, tagOf, tags } from "./cell.js";
import type { GeometryHeap } from "./geometry-heap.js";
import { TextDictionary } from "./text-dictionary.js";
import type { TextHeap } from "./text-heap.js";
import { UuidHeap } from "./uuid-heap.js";

/** The heaps for the strings of one reader's columns. */
export interface TextHeaps {
  /** Strings of dictionaries. */
  readonly words: TextHeap;
  /** Other strings. */
  readonly texts: TextHeap;
}

/** The data of a column outside its cells: strings, dictionary, UUIDs, geometries. */
export class CellStore {
  /** Strings outside dictionaries. */
  readonly heap: TextHeap;
  readonly dictionary: TextDictionary;
  readonly uuids = new UuidHeap();
  readonly others: unknown[] = [];
  readonly geometries: GeometryHeap | undefined;

  constructor({ texts, words }: TextHeaps, geometries?: GeometryHeap) {
    this.heap = texts;
    this.dictionary = new TextDictionary(words);
    this.geometries = geometries;
  }

  /** Stores a value that has no other form, and returns its payload. */
  keepOther(value: unknown): number {
    return this.others.push(value) - 1;
  }

  /** The text of a cell with the tag `json`. */
  jsonText(high: number, payload: number): string {
    return this.heap.text(payload, high & 0xffff);
  }

  /** The value of a boxed cell; null if the record lacks the member. */
  value(high: number, payload: number): unknown {
    switch (tagOf(high)) {
      case tags.literal:
        return literalValues[payload];
      case tags.word:
        return this.dictionary.text(payload);
      case tags.text:
        return this.heap.text(payload, high & 0xffff);
      case tags.json:
        return JSON.parse(this.jsonText(high, payload));
      case tags.other:
        return this.others[payload];
      case tags.geometry:
        return this.geometries?.at(payload);
      case tags.uuid:
        return this.uuids.text(payload);
      default:
        return null;
    }
  }
}
