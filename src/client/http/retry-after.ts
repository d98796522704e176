/**
 * How long `Retry-After` headers ask to wait, in milliseconds: the longest, where a service and a proxy sent one each.
 *
 * @param header seconds, or an HTTP date
 * @param now milliseconds since 1970
 * @returns undefined if there is no header or none makes sense
 */
export function retryAfterMs(header: string | readonly string[] | undefined, now: number): number | undefined {
  const waits = [header ?? []].flat().flatMap((text) => waitOf(text.trim(), now) ?? []);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

function waitOf(text: string, now: number): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
