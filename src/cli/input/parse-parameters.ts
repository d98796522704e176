import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";

/**
 * Reads `name=value` pairs: a value that is JSON as JSON, any other as text.
 *
 * @throws ArgumentError for a pair without a name or an equals sign
 */
export function parseParameters(pairs: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(pairs.map(parsePair));
}

function parsePair(pair: string): readonly [string, unknown] {
  const equals = pair.indexOf("=");
  if (equals < 1) {
    throw new ArgumentError(`The parameter ${showValue(pair)} is no name=value pair.`, {
      hint: "Write -p site_id=12.",
    });
  }
  const text = pair.slice(equals + 1);
  try {
    return [pair.slice(0, equals), JSON.parse(text)];
  } catch {
    return [pair.slice(0, equals), text];
  }
}
