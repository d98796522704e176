import type { MimeBundle } from "../../display/bundle/mime-bundle.js";

/** A bundle as it can travel: values show themselves, and may hold what is no JSON. */
export function plainBundle(bundle: MimeBundle): MimeBundle {
  const formats = Object.entries(bundle).map(([mime, value]) => [mime, plainValue(value)] as const);
  return Object.fromEntries(formats.filter(([, value]) => value !== undefined));
}

function plainValue(value: unknown): unknown {
  if (typeof value === "string") return value;
  try {
    const json: string | undefined = JSON.stringify(value);
    return json === undefined ? undefined : JSON.parse(json);
  } catch {
    return undefined;
  }
}
