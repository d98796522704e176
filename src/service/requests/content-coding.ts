import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const compressors = {
  br: promisify(brotliCompress),
  gzip: promisify(gzip),
} as const;

/** How a body is compressed. */
export type ContentCoding = "identity" | "gzip" | "br";

/** In order of preference among codings that the client likes equally. */
const preferred: readonly ContentCoding[] = ["br", "gzip", "identity"];

/**
 * Returns the preferred coding of an `Accept-Encoding` header. Identity if it accepts none of the service's codings: a
 * body that the client may still be able to read is more useful than a 406 (RFC 9110, 12.5.3).
 */
export function negotiateCoding(acceptEncoding: string | undefined): ContentCoding {
  if (acceptEncoding === undefined) return "identity";
  const weights = readWeights(acceptEncoding);
  const rest = weights.get("*");
  const weight = (coding: ContentCoding) => {
    const own = weights.get(coding) ?? (coding === "gzip" ? weights.get("x-gzip") : undefined);
    if (own !== undefined) return own;
    // Identity is acceptable without being listed, but any listed coding is preferred.
    return rest ?? (coding === "identity" ? Number.MIN_VALUE : 0);
  };
  const best = preferred.reduce((a, b) => (weight(b) > weight(a) ? b : a));
  return weight(best) > 0 ? best : "identity";
}

function readWeights(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const item of header.toLowerCase().split(",")) {
    const [coding = "", ...parameters] = item.split(";").map((part) => part.trim());
    const quality = parameters.find((parameter) => /^q\s*=/.test(parameter));
    const weight = quality === undefined ? 1 : Number(quality.slice(quality.indexOf("=") + 1));
    if (coding !== "") weights.set(coding, weight >= 0 && weight <= 1 ? weight : 0);
  }
  return weights;
}

/** Compresses a body at the fastest level: the service is mostly read over loopback and local networks. */
export async function compress(
  coding: Exclude<ContentCoding, "identity">,
  body: readonly Uint8Array[],
): Promise<Uint8Array> {
  const whole = Buffer.concat(body);
  if (coding === "gzip") return compressors.gzip(whole, { level: constants.Z_BEST_SPEED });
  return compressors.br(whole, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_SIZE_HINT]: whole.byteLength },
  });
}
