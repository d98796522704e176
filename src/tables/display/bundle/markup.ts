import { cutText } from "../text/cut-text.js";
import { displaySymbol } from "./display-symbol.js";
import type { MimeBundle } from "./mime-bundle.js";
import { withNamespace } from "./svg-namespace.js";

/** Source text of a document format, which shows itself. */
export class Markup {
  readonly mime: string;
  readonly source: string;

  constructor(mime: string, source: string) {
    this.mime = mime;
    this.source = source;
  }

  [displaySymbol](): MimeBundle {
    const source = this.mime === "image/svg+xml" ? withNamespace(this.source.trimStart()) : this.source;
    return { [this.mime]: source, "text/plain": cutText(this.source) };
  }

  toString(): string {
    return this.source;
  }
}
