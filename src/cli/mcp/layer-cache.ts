import type { History, Layer } from "../../layer/layer.js";
import type { Source } from "../../source/source.js";
import { RecentCache } from "./recent-cache.js";

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
