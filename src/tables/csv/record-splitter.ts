import { ascii, type JsonBytes } from "../json/scan-json.js";

/** What the splitter says of records that are not written as usual: they are for DuckDB. */
export const ODD = -1;

/** Fields whose places are kept at once: they stay in the processor's cache. */
const PLACES = 1 << 14;

const { quote, lineFeed, carriageReturn } = ascii;

/**
 * Splits records of CSV by their bytes. It takes what leaves no doubt: so many fields in each record, quotes only around a
 * whole field, no zero byte. Empty lines are skipped.
 */
export class RecordSplitter {
  readonly width: number;
  /** Where each field begins, behind its quote, record after record. */
  readonly starts: Int32Array;
  /** Where each field ends; where quotes in it are written twice, the complement of that. */
  readonly ends: Int32Array;
  /** Where the records that were split end. */
  rest = 0;
  hasQuotes = false;
  hasDoubled = false;
  /** The ends of lines that there were. */
  hasLineFeeds = false;
  hasReturns = false;
  readonly #delimiter: number;
  /** Four times. */
  readonly #delimiters: number;
  /** 1 for what a field without quotes does not have. */
  readonly #stops = new Uint8Array(256);

  /** @param width fields in each record: two at least, since a line of one may be empty */
  constructor(delimiter: number, width: number) {
    this.#delimiter = delimiter;
    this.#delimiters = delimiter * ONES;
    this.width = width;
    const records = Math.max(1, Math.floor(PLACES / width));
    this.starts = new Int32Array(records * width);
    this.ends = new Int32Array(records * width);
    for (const byte of [0, quote, lineFeed, carriageReturn, delimiter]) this.#stops[byte] = 1;
  }

  /**
   * Splits whole records from `start` on, as many as there is room for.
   *
   * @param end there is a zero byte, and some more bytes whatever they are
   * @returns how many, or `ODD`
   */
  split(json: JsonBytes, start: number, end: number): number {
    const { width, starts } = this;
    const { bytes } = json;
    const delimiter = this.#delimiter;
    let p = start;
    let place = 0;
    let records = 0;
    this.rest = start;
    while (place < starts.length) {
      const first = place;
      for (;;) {
        const after = bytes[p] === quote ? this.#quoted(json, p, place) : this.#plain(json, p, place);
        if (after < 0) return ~after === end ? records : ODD;
        p = after;
        place += 1;
        if (bytes[p] !== delimiter) break;
        if (place === first + width) return ODD;
        p += 1;
      }
      const behind = this.#behindLine(bytes, p);
      if (behind < 0) return ~behind === end ? records : ODD;
      if (place === first + width) records += 1;
      else if (place === first + 1 && p === this.rest) place = first;
      else return ODD;
      p = behind;
      this.rest = p;
    }
    return records;
  }

  /** The place behind the end of a line, or the complement of that where it should be. */
  #behindLine(bytes: Uint8Array, p: number): number {
    const isReturn = bytes[p] === carriageReturn;
    const feed = isReturn ? p + 1 : p;
    if (bytes[feed] !== lineFeed) return ~feed;
    if (isReturn) this.hasReturns = true;
    else this.hasLineFeeds = true;
    return feed + 1;
  }

  /** Reads a field without quotes: the place behind it. */
  #plain({ bytes, view }: JsonBytes, start: number, place: number): number {
    const stops = this.#stops;
    let p = start;
    for (;;) {
      p = nextMark(view, p, this.#delimiters, CONTROLS_AND_QUOTES);
      if (stops[bytes[p] as number] === 1) break;
      p += 1;
    }
    this.starts[place] = start;
    this.ends[place] = p;
    return p;
  }

  /** Reads a field in quotes: the place behind it, or the complement of that of the zero byte. */
  #quoted({ bytes, view }: JsonBytes, start: number, place: number): number {
    let isDoubled = false;
    let p = start + 1;
    for (;;) {
      p = nextMark(view, p, QUOTES, ONES);
      if (bytes[p] === 0) return ~p;
      if (bytes[p + 1] !== quote) break;
      isDoubled = true;
      p += 2;
    }
    this.starts[place] = start + 1;
    this.ends[place] = isDoubled ? ~p : p;
    this.hasQuotes = true;
    if (isDoubled) this.hasDoubled = true;
    return p + 1;
  }
}

const ONES = 0x01010101;
const HIGH_BITS = 0x80808080 | 0;
const QUOTES = quote * ONES;
/** Every byte below is looked at: quotes and what ends lines are, and few others in texts but spaces. */
const CONTROLS_AND_QUOTES = (quote + 1) * ONES;

/**
 * Place of the next byte that is a mark or below a limit, which both are given four times in a word. Four bytes at once, as
 * `scanPlain` does it.
 */
function nextMark(view: DataView, start: number, marks: number, limits: number): number {
  for (let p = start; ; p += 4) {
    const word = view.getInt32(p, true);
    const other = word ^ marks;
    const found = (((word - limits) & ~word) | ((other - ONES) & ~other)) & HIGH_BITS;
    // The lowest bit is that of the first such byte.
    if (found !== 0) return p + ((31 - Math.clz32(found & -found)) >> 3);
  }
}
