import type { History, Layer } from "../../layer/layer.js";
import type { Source } from "../../source/source.js";

/** A layer and its history. */
interface ReadLayer {
  readonly layer: Layer;
  readonly history: () => Promise<History>;
}

interface Entry {
  readonly read: Promise<ReadLayer>;
  readonly atMs: number;
}

const MOST_LAYERS = 4;
/** A service is read again after a minute; a snapshot never changes. */
const FRESH_MS = 60_000;

/** The layers of a source that were asked for lately, so that several questions read one once. */
export class LayerCache {
  readonly #source: Source;
  readonly #redact: boolean;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();

  constructor(source: Source, redact: boolean, now: () => number = Date.now) {
    this.#source = source;
    this.#redact = redact;
    this.#now = now;
  }

  /**
   * A layer of a site.
   *
   * @throws ArgumentError for a site, layer or time zone that is not there
   */
  layer(site: string | number, name: string, timeZone = "UTC"): Promise<ReadLayer> {
    const key = JSON.stringify([site, name, timeZone]);
    const known = this.#entries.get(key);
    this.#entries.delete(key);
    const isFresh = known && (this.#source.provenance || this.#now() - known.atMs < FRESH_MS);
    const entry = isFresh ? known : { read: this.#read(site, name, timeZone), atMs: this.#now() };
    this.#entries.set(key, entry);
    for (const oldest of [...this.#entries.keys()].slice(0, -MOST_LAYERS)) this.#entries.delete(oldest);
    entry.read.catch(() => {
      // It may have taken so long that the layer is read anew by now.
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    });
    return entry.read;
  }

  async #read(site: string | number, name: string, timeZone: string): Promise<ReadLayer> {
    const options = { progress: false, redact: this.#redact } as const;
    const found = await this.#source.site(site, options);
    const layer = await found.layer(name, options);
    let history: Promise<History> | undefined;
    return {
      layer,
      history: () => {
        history ??= layer.history({ ...options, timeZone }).catch((error: unknown) => {
          history = undefined;
          throw error;
        });
        return history;
      },
    };
  }
}
