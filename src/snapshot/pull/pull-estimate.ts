import { resources } from "../../api/resources.js";

/** Rest of a whole pull, as far as it is known. */
export interface PullRemainder {
  /** Layer features that are not read yet. */
  readonly rows: number;
  /** Minimum count of remaining requests, for pages of features and for their log. */
  readonly requests: number;
  /** Milliseconds at the current speed; undefined at the start. */
  readonly ms: number | undefined;
}

interface SiteCount {
  total: number;
  done: number;
}

/** Estimates the rest of a pull. Steps of an interrupted pull cost no time. */
export class PullEstimate {
  readonly #pageRows: number;
  readonly #isFirst: boolean;
  readonly #clock: () => number;
  readonly #sites = new Map<number | null, SiteCount>();
  readonly #features = { rows: 0, ms: 0 };
  readonly #log = { requests: 0, ms: 0 };
  #logToGo: number | undefined;
  #since: number | undefined;

  /**
   * @param pageRows rows in a page of features
   * @param isFirst whether the log of every feature will be read
   */
  constructor(pageRows: number, isFirst: boolean, clock: () => number = () => performance.now()) {
    this.#pageRows = pageRows;
    this.#isFirst = isFirst;
    this.#clock = clock;
  }

  /** Sets the count of features of a site. */
  expectFeatures(site: number | null, total: number): void {
    this.#sites.set(site, { total, done: 0 });
  }

  /** Starts the features of the next site. */
  startFeatures(): void {
    this.#since = this.#clock();
  }

  /** Sets the count of features of a site that were read. */
  tookFeatures(site: number | null, done: number, total: number | undefined): void {
    const count = this.#sites.get(site) ?? { total: done, done: 0 };
    this.#sites.set(site, count);
    this.#features.rows += done - count.done;
    count.done = done;
    count.total = Math.max(total ?? count.total, done);
    this.#features.ms += this.#lap();
  }

  /** Ends the features of a site, read now or in the continued pull. */
  endFeatures(site: number | null): void {
    const count = this.#sites.get(site);
    if (count) count.done = count.total;
  }

  /** Sets the count of requests for the log in a pass. */
  startLog(requests: number): void {
    this.#logToGo = requests;
    this.#since = this.#clock();
  }

  /** Counts requests for the log; those of an earlier attempt are not `sent`. */
  tookLog(requests: number, sent: boolean): void {
    this.#logToGo = Math.max(0, (this.#logToGo ?? 0) - requests);
    const ms = this.#lap();
    if (!sent) return;
    this.#log.requests += requests;
    this.#log.ms += ms;
  }

  /** The rest; undefined until the features are counted. */
  toGo(): PullRemainder | undefined {
    if (this.#sites.size === 0) return undefined;
    const counts = [...this.#sites.values()];
    const total = counts.reduce((sum, site) => sum + site.total, 0);
    const rows = counts.reduce((sum, site) => sum + site.total - site.done, 0);
    const pages = counts.reduce((sum, site) => sum + Math.ceil((site.total - site.done) / this.#pageRows), 0);
    const log = this.#logToGo ?? Math.ceil(total / (this.#isFirst ? 1 : AUDIT_EVERY) / LOG_FEATURES);
    return { rows, requests: pages + log, ms: this.#remainingMs(rows, log) };
  }

  /** Until the log is read, a request for it is expected to need the same time as a page of features. */
  #remainingMs(rows: number, log: number): number | undefined {
    const ofRow = this.#features.rows > 0 ? this.#features.ms / this.#features.rows : undefined;
    const ofPage = ofRow === undefined ? undefined : ofRow * this.#pageRows;
    const ofRequest = this.#log.requests > 0 ? this.#log.ms / this.#log.requests : ofPage;
    if ((rows > 0 && ofRow === undefined) || (log > 0 && ofRequest === undefined)) return undefined;
    return rows * (ofRow ?? 0) + log * (ofRequest ?? 0);
  }

  #lap(): number {
    const now = this.#clock();
    const ms = now - (this.#since ?? now);
    this.#since = now;
    return ms;
  }
}

/** Maximum count of features per request for the log. Specification: Limits. */
export const LOG_FEATURES = resources.propertyChanges.endpoint.filters.layer_feature_id.maxValues;

/** One in this many requests for the log of seemingly unchanged features is sent. */
export const AUDIT_EVERY = 100;
