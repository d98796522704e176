const defaultLimit = 5_000_000;

/** Cuts the text that one cell prints, which is kept in the notebook, with a note where it ends. */
export class StreamLimit {
  #left: number;
  readonly #limit: number;

  constructor(limit = defaultLimit) {
    this.#limit = limit;
    this.#left = limit;
  }

  /** What of `text` is still to be shown. */
  cut(text: string): string {
    if (this.#left < 0) return "";
    this.#left -= text.length;
    if (this.#left >= 0) return text;
    const shown = text.slice(0, text.length + this.#left);
    return `${shown}\n… more output of this cell is not shown: it is longer than ${this.#limit} characters\n`;
  }
}
