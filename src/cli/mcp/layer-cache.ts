import type { History, Layer } from "../../layer/layer.js";
import type { Source } from "../../source/source.js";

/** A layer and its history. */
interface ReadLayer {
  readonly layer: Layer;
  readonly history: () => Promise<History>;
}

const MOST_LAYERS = 4;

/** Recently read layers of a source, so that several questions read a layer once. Snapshots never change. */
export class LayerCache {
  readonly #source: Source;
  readonly #redact: boolean;
  readonly #layers: RecentCache<ReadLayer>;

  constructor(source: Source, redact: boolean, now?: () => number) {
    this.#source = source;
    this.#redact = redact;
    this.#layers = new RecentCache(MOST_LAYERS, () => source.provenance !== undefined, now);
  }

  /**
   * Returns a layer of a site.
   *
   * @throws ArgumentError for an unknown site, layer or time zone
   */
  layer(site: string | number, name: string, timeZone = "UTC"): Promise<ReadLayer> {
    return this.#layers.get(JSON.stringify([site, name, timeZone]), () => this.#read(site, name, timeZone));
  }

  async #read(site: string | number, name: string, timeZone: string): Promise<ReadLayer> {
    const options = { showProgress: false, redact: this.#redact } as const;
    const siteHandle = await this.#source.site(site, options);
    const layer = await siteHandle.layer(name, options);
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

interface Entry<T> {
  readonly made: Promise<T>;
  readonly atMs: number;
}

/** Values that can become outdated are made again after a minute. */
const FRESH_MS = 60_000;

/** Recent results, so that several questions share one. Failed results are made again. */
export class RecentCache<T> {
  readonly #most: number;
  readonly #isFixed: () => boolean;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry<T>>();

  /**
   * @param most maximum count of results
   * @param isFixed whether results never become outdated
   */
  constructor(most: number, isFixed: () => boolean, now: () => number = Date.now) {
    this.#most = most;
    this.#isFixed = isFixed;
    this.#now = now;
  }

  /** Returns the result of a key, else the result of `make`. */
  get(key: string, make: () => Promise<T>): Promise<T> {
    const cached = this.#entries.get(key);
    this.#entries.delete(key);
    const isFresh = cached && (this.#isFixed() || this.#now() - cached.atMs < FRESH_MS);
    const entry = isFresh ? cached : { made: make(), atMs: this.#now() };
    this.#entries.set(key, entry);
    for (const oldest of [...this.#entries.keys()].slice(0, -this.#most)) this.#entries.delete(oldest);
    entry.made.catch(() => {
      // The entry may have been replaced meanwhile.
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    });
    return entry.made;
  }
}
