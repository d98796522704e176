import type { ResourceName } from "../../api/resources.js";
import type { Progress } from "../ask/read-options.js";

/** Adds up how far the parts of a read have come. */
export class ReadProgress {
  readonly #resource: ResourceName;
  readonly #parts: number;
  readonly #report: ((progress: Progress) => void) | undefined;
  readonly #totals = new Map<number, number>();
  #total = 0;
  #rows = 0;
  #bytes = 0;

  /** @param parts listings that the read consists of */
  constructor(resource: ResourceName, parts: number, report: ((progress: Progress) => void) | undefined) {
    this.#resource = resource;
    this.#parts = parts;
    this.#report = report;
  }

  /** Notes a page that arrived. */
  page(part: number, bytes: number, rowCount: number): void {
    this.#total += rowCount - (this.#totals.get(part) ?? 0);
    this.#totals.set(part, rowCount);
    this.#bytes += bytes;
  }

  /** Notes rows that are part of the result; negative when a part is read again. */
  rows(count: number): void {
    this.#rows += count;
    const known = this.#totals.size === this.#parts;
    const total = known ? this.#total : undefined;
    const ofKnown = this.#total === 0 ? 1 : Math.min(1, this.#rows / this.#total);
    const share = this.#parts === 0 ? 1 : (this.#totals.size / this.#parts) * ofKnown;
    this.#report?.({ resource: this.#resource, rows: this.#rows, total, share, bytes: this.#bytes });
  }
}
