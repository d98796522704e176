import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { packageFolder } from "../../core/package-folder.js";

/** A request to the painting thread. */
export interface ToPaint {
  readonly id: number;
  readonly svg: string;
}

/** Its response: a PNG in base64, or the reason for a failure. */
export type Painted = { readonly id: number; readonly png: string } | { readonly id: number; readonly failure: string };

interface Waiting {
  readonly resolve: (png: string) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Renders SVGs as images in a thread, while cells run in their processes. The thread starts on demand and is shared by all
 * notebooks of this process, since its renderer and fonts take a tenth of a second to load.
 */
class Painter {
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | undefined;
  #count = 0;

  /** @returns a PNG in base64 */
  paint(svg: string): Promise<string> {
    const thread = this.#thread ?? this.#start();
    const id = ++this.#count;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      thread.ref();
      thread.postMessage({ id, svg } satisfies ToPaint);
    });
  }

  #start(): Worker {
    // Always the built program, also when this file runs from source under a test.
    const thread = new Worker(join(packageFolder, "dist", "notebook", "run", "painter-main.js"));
    this.#thread = thread;
    thread.on("message", (painted: Painted) => {
      const waiting = this.#waiting.get(painted.id);
      this.#waiting.delete(painted.id);
      if ("png" in painted) waiting?.resolve(painted.png);
      else waiting?.reject(new Error(painted.failure));
      if (this.#waiting.size === 0) thread.unref();
    });
    thread.on("error", (error) => {
      this.#thread = undefined;
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    });
    return thread;
  }
}

const painter = new Painter();

/** An SVG as a PNG in base64, painted in a separate thread. */
export function paint(svg: string): Promise<string> {
  return painter.paint(svg);
}
