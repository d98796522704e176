import { displaySymbol } from "./display-symbol.js";
import type { MimeBundle } from "./mime-bundle.js";

/** Source text of a document format, which shows itself. */
export class Markup {
  readonly mime: string;
  readonly source: string;

  constructor(mime: string, source: string) {
    this.mime = mime;
    this.source = source;
  }

  [displaySymbol](): MimeBundle {
    return { [this.mime]: this.source, "text/plain": this.source };
  }

  toString(): string {
    return this.source;
  }
}
