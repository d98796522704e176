import type { CellSink, DisplayTarget } from "../../../src/kernel/engine/cell/language-engine.js";
import type { MimeBundle } from "../../../src/tables/display/mime-bundle.js";

export interface RecordedDisplay {
  readonly bundle: MimeBundle;
  readonly target: DisplayTarget | undefined;
}

/** A sink that remembers, in order, what a cell sent. */
export class RecordingSink implements CellSink {
  readonly events: (string | RecordedDisplay)[] = [];

  stream(name: "stdout" | "stderr", text: string): void {
    this.events.push(`${name}: ${text}`);
  }

  display(bundle: MimeBundle, target?: DisplayTarget): void {
    this.events.push({ bundle, target });
  }
}
