/** A text of so many characters is embedded whole. */
const WHOLE = 2000;
/** All texts of a table together; those that come after them are short. */
const TOGETHER = 4_000_000;
const SHORT = 100;

/** Cuts the texts of one table so that they stay small together, and counts how many it has cut. */
export class TextBudget {
  #left = TOGETHER;
  #cut = 0;

  get cut(): number {
    return this.#cut;
  }

  fit(text: string): string {
    const most = this.#left > 0 ? WHOLE : SHORT;
    const isLong = text.length > most;
    if (isLong) this.#cut += 1;
    const fitted = isLong ? `${text.slice(0, most - 1)}…` : text;
    this.#left -= fitted.length;
    return fitted;
  }
}
