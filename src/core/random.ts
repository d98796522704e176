/** A list with at least one item. */
export type NonEmpty<T> = readonly [T, ...T[]];

/** Pseudo-random numbers, the same on every machine (Mulberry32). */
export class Random {
  #state: number;

  constructor(state: number) {
    this.#state = state | 0;
  }

  /** A number in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 4294967296;
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  /** A whole number from `low` to `high`, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: NonEmpty<T>): T {
    return list[Math.floor(this.next() * list.length)] ?? list[0];
  }
}

/** Independent streams of random numbers, one for each index, by seed and name. */
export function randomStreams(seed: number, name: string): (index: number) => Random {
  let hash = mix(seed);
  for (const character of name) hash = mix(hash ^ (character.codePointAt(0) ?? 0));
  return (index) => new Random(mix(hash ^ mix(index)));
}

/** A bijection of the 32-bit integers that leaves no visible pattern (the finaliser of MurmurHash3). */
export function mix(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
