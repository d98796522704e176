import type { Dialect } from "../dialect/dialect.js";

/** A time bucket of dates, which may be subdivided: finds the index of a time among the dates. */
interface Bucket {
  /** The subdivided bucket of the previous level that it is part of. */
  readonly node: number;
  /** Its index in there. */
  readonly bucket: bigint;
  /** Number of dates before it. */
  readonly base: number;
  /** Its date, if it has only one. */
  readonly date: bigint | undefined;
  /** If it has several dates: its number as a subdivided bucket, its first microsecond, and the width of its parts. */
  readonly cut: { readonly node: number; readonly fromUs: bigint; readonly widthUs: bigint } | undefined;
}

/** A period that is divided into buckets, with its dates. */
interface Period {
  readonly level: number;
  readonly node: number;
  /** Index of its first date, and of the first date after it. */
  readonly first: number;
  readonly end: number;
  readonly fromUs: bigint;
  /** Excluded. */
  readonly toUs: bigint;
}

/** Maximum number of buckets per date, up to which equally spaced dates each get their own bucket. */
const MOST_PER_DATE = 8n;

/**
 * Finds in SQL the first of some dates that sees a time. Engines take minutes to compare each change with each of a
 * thousand dates, so time is divided into equal buckets, which an equality join can find. A bucket with several dates
 * is subdivided until each has at most one. Engines with a suitable function need no buckets.
 */
export class DatePlaces {
  readonly #dialect: Dialect;
  readonly #datesUs: readonly bigint[];
  readonly #countLess: ((us: string) => string) | undefined;
  readonly #levels: Bucket[][] = [];
  readonly #firstUs: bigint;
  readonly #lastUs: bigint;
  readonly #widthUs: bigint;

  /** @param datesUs ascending, distinct */
  constructor(dialect: Dialect, datesUs: readonly number[]) {
    this.#dialect = dialect;
    this.#datesUs = datesUs.map(BigInt);
    this.#firstUs = this.#datesUs[0] as bigint;
    this.#lastUs = this.#datesUs.at(-1) as bigint;
    const period = { fromUs: this.#firstUs, toUs: this.#lastUs + 1n };
    this.#widthUs = this.#datesUs.length > 1 ? widthOf(this.#datesUs, period.toUs - period.fromUs) : 1n;
    this.#countLess = dialect.countLess(this.#datesUs);
    if (this.#datesUs.length > 1 && !this.#countLess)
      this.#cut({ ...period, level: 0, node: 0, first: 0, end: this.#datesUs.length }, this.#widthUs);
  }

  /** The members of `WITH` that `joins()` uses. */
  members(): string[] {
    return this.#levels.map((buckets, level) =>
      this.#dialect.relation(
        `grid${level}`,
        ["node", "bucket", "base", "t", "cut", "cut_from", "cut_width"],
        buckets.map(({ node, bucket, base, date, cut }, row) => {
          const cells = [node, bucket, base, date, cut?.node, cut?.fromUs, cut?.widthUs];
          // The first row sets the types.
          return cells.map((cell) => (row === 0 ? this.#dialect.cast(literal(cell), "bigint") : literal(cell)));
        }),
      ),
    );
  }

  /**
   * The joins after `FROM` that `place()` needs.
   *
   * @param us microseconds, an expression
   * @param alias of the joined tables: a letter
   */
  joins(us: string, alias: string): string {
    return this.#levels
      .map((_, level) => {
        const [current, before] = [`${alias}${level}`, `${alias}${level - 1}`];
        const [node, from, width] =
          level === 0
            ? ["0", String(this.#firstUs), String(this.#widthUs)]
            : [`${before}.cut`, `${before}.cut_from`, `${before}.cut_width`];
        const bucket = this.#dialect.quotient(`(${us} - ${bracketed(from)})`, width);
        return `\n  LEFT JOIN grid${level} ${current} ON ${current}.node = ${node} AND ${current}.bucket = ${bucket}`;
      })
      .join("");
  }

  /** Index of the first date at or after a time, from 0; the number of dates for a time after all, and for null. */
  indexOf(us: string, alias: string): string {
    if (!this.#countLess) return this.#placeInGrid(us, alias);
    return `coalesce(${this.#countLess(us)}, ${this.#datesUs.length})`;
  }

  #placeInGrid(us: string, alias: string): string {
    const levels = this.#levels.map((_, level) => `${alias}${level}`).reverse();
    const cases = levels.map(
      (level) => `WHEN ${level}.bucket IS NOT NULL THEN ${level}.base + CASE WHEN ${us} > ${level}.t THEN 1 ELSE 0 END`,
    );
    return `CASE WHEN ${us} <= ${this.#firstUs} THEN 0 WHEN ${us} <= ${this.#lastUs} THEN ${
      cases.length === 0 ? "0" : `CASE ${cases.join(" ")} END`
    } ELSE ${this.#datesUs.length} END`;
  }

  #cut({ level, node, first, end, fromUs, toUs }: Period, widthUs: bigint): void {
    this.#levels[level] ??= [];
    const buckets = this.#levels[level];
    let next = first;
    for (let bucket = 0n; fromUs + bucket * widthUs < toUs; bucket += 1n) {
      const [startUs, base] = [fromUs + bucket * widthUs, next];
      while (next < end && (this.#datesUs[next] as bigint) < startUs + widthUs) next += 1;
      const dates = next - base;
      const part = { level: level + 1, first: base, end: next, fromUs: startUs, toUs: startUs + widthUs };
      const cut = dates > 1 ? this.#cutUp(part) : undefined;
      buckets.push({ node, bucket, base, date: dates === 1 ? this.#datesUs[base] : undefined, cut });
    }
  }

  #cutUp(part: Omit<Period, "node">): Bucket["cut"] {
    const node = (this.#levels[part.level]?.at(-1)?.node ?? -1) + 1;
    const widthUs = widthOf(this.#datesUs.slice(part.first, part.end), part.toUs - part.fromUs);
    this.#cut({ ...part, node }, widthUs);
    return { node, fromUs: part.fromUs, widthUs };
  }
}

/** Width of the buckets of a period: each with at most one date, if this does not make too many. */
function widthOf(datesUs: readonly bigint[], spanUs: bigint): bigint {
  const least = datesUs.slice(1).reduce((narrowest, date, index) => {
    const gap = date - (datesUs[index] as bigint);
    return gap < narrowest ? gap : narrowest;
  }, spanUs);
  const most = MOST_PER_DATE * BigInt(datesUs.length);
  const even = spanUs / most + 1n;
  return least > even ? least : even;
}

function literal(number: bigint | number | undefined): string {
  return String(number ?? "NULL");
}

function bracketed(number: string): string {
  return number.startsWith("-") ? `(${number})` : number;
}
