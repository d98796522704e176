/**
 * How long a `Retry-After` header asks to wait, in milliseconds.
 *
 * @param header seconds, or an HTTP date
 * @param now milliseconds since 1970
 * @returns undefined if there is no header or it makes no sense
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
