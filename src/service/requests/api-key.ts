import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";

/** A key that the service accepts. */
export interface ApiKey {
  /** The key itself: visible ASCII without `=`. */
  readonly key: string;
  /** Sites that the key is limited to; every site if absent. */
  readonly siteIds?: readonly number[];
}

/**
 * Reads a key as the command line takes it: `KEY`, or `KEY=12,15` for a key limited to sites 12 and 15.
 *
 * @throws ArgumentError; its message does not hold the key
 */
export function parseApiKey(text: string): ApiKey {
  const equals = text.indexOf("=");
  if (equals < 0) return checkApiKey({ key: text });
  return checkApiKey({
    key: text.slice(0, equals),
    siteIds: text
      .slice(equals + 1)
      .split(",")
      .map(readSiteId),
  });
}

/**
 * Returns the key if it can be sent in a header and its sites are integers.
 *
 * @throws ArgumentError; its message does not hold the key
 */
export function checkApiKey(apiKey: ApiKey): ApiKey {
  if (!/^[!-<>-~]+$/.test(apiKey.key)) {
    throw new ArgumentError("An API key must be visible ASCII characters other than =, at least one.", {
      hint: "Limit a key to sites with KEY=12,15.",
    });
  }
  const bad = apiKey.siteIds?.find((siteId) => !Number.isSafeInteger(siteId));
  if (bad === undefined) return apiKey;
  throw new ArgumentError(`An API key takes integer site ids, but got ${showValue(bad)}.`);
}

function readSiteId(text: string): number {
  const siteId = /^\d{1,16}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(siteId)) return siteId;
  // A key that holds a = would be shown here in part, so the text is not.
  throw new ArgumentError("After = an API key takes site ids with commas between them.", {
    hint: "Write KEY=12,15; the key itself must not hold a =.",
  });
}
