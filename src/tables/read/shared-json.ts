/** Different texts after which it shows whether they come again. */
const TRIAL = 5000;
/** Different texts whose values are remembered. */
const MOST = 100_000;

/**
 * Reads JSON texts of arrays and objects, of which many come more than once: their value is then the same object. Where
 * few do, it stops looking.
 */
export function sharedJson(): (text: string) => unknown {
  const known = new Map<string, unknown>();
  let repeated = 0;
  let isWorthIt = true;
  return (text) => {
    const same = isWorthIt ? known.get(text) : undefined;
    if (same !== undefined) {
      repeated += 1;
      return same;
    }
    const value: unknown = JSON.parse(text);
    if (isWorthIt && known.size < MOST) known.set(text, value);
    if (known.size === TRIAL && repeated < TRIAL) {
      isWorthIt = false;
      known.clear();
    }
    return value;
  };
}
