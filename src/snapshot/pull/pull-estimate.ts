import { resources } from "../../api/resources.js";

/** What is left of a whole pull, as far as it can be told. */
export interface PullRemainder {
  /** Layer features that are still to be read. */
  readonly rows: number;
  /** Requests to come, at least: for pages of features, and for their log. */
  readonly requests: number;
  /** Milliseconds at the speed so far; undefined until something is done. */
  readonly ms: number | undefined;
}

interface SiteCount {
  total: number;
  done: number;
}

/** Counts what a pull has done and what is to come. Steps that an interrupted pull had done cost no time. */
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
   * @param pageRows rows of a page of features
   * @param isFirst whether the log of every feature will be asked for
   */
  constructor(pageRows: number, isFirst: boolean, clock: () => number = () => performance.now()) {
    this.#pageRows = pageRows;
    this.#isFirst = isFirst;
    this.#clock = clock;
  }

  /** Notes how many features a site has. */
  expectFeatures(site: number | null, total: number): void {
    this.#sites.set(site, { total, done: 0 });
  }

  /** Features of the next site begin. */
  startFeatures(): void {
    this.#since = this.#clock();
  }

  /** Notes how many features of a site have come. */
  tookFeatures(site: number | null, done: number, total: number | undefined): void {
    const count = this.#sites.get(site) ?? { total: done, done: 0 };
    this.#sites.set(site, count);
    this.#features.rows += done - count.done;
    count.done = done;
    count.total = Math.max(total ?? count.total, done);
    this.#features.ms += this.#lap();
  }

  /** All features of a site have come, now or in the pull that is continued. */
  endFeatures(site: number | null): void {
    const count = this.#sites.get(site);
    if (count) count.done = count.total;
  }

  /** Notes the requests for the log that a pass will make. */
  startLog(requests: number): void {
    this.#logToGo = requests;
    this.#since = this.#clock();
  }

  /** Notes requests for the log; those of a step that was done before are not `sent`. */
  tookLog(requests: number, sent: boolean): void {
    this.#logToGo = Math.max(0, (this.#logToGo ?? 0) - requests);
    const ms = this.#lap();
    if (!sent) return;
    this.#log.requests += requests;
    this.#log.ms += ms;
  }

  /** What is left; undefined before the features were counted. */
  toGo(): PullRemainder | undefined {
    if (this.#sites.size === 0) return undefined;
    const counts = [...this.#sites.values()];
    const total = counts.reduce((sum, site) => sum + site.total, 0);
    const rows = counts.reduce((sum, site) => sum + site.total - site.done, 0);
    const pages = counts.reduce((sum, site) => sum + Math.ceil((site.total - site.done) / this.#pageRows), 0);
    const log = this.#logToGo ?? Math.ceil(total / (this.#isFirst ? 1 : AUDIT_EVERY) / LOG_FEATURES);
    return { rows, requests: pages + log, ms: this.#remainingMs(rows, log) };
  }

  /** Until the log is read, a request for it is expected to take as long as a page of features. */
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

/** The API takes the log of at most this many features in one request. Specification: Limits. */
export const LOG_FEATURES = resources.propertyChanges.endpoint.filters.layer_feature_id.maxValues;

/** Of the requests for the log of features that look untouched, one in so many is made. */
export const AUDIT_EVERY = 100;
