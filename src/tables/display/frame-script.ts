import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** A script that frames run. It is the same in every output, so that a frame can allow it, and nothing else, by its hash. */
export interface FrameScript {
  readonly code: string;
  /** As a content security policy names it. */
  readonly hash: string;
}

/** The scripts, and the files in `frames/` that each is put together from. */
const parts = {
  chart: ["read-facts", "forms", "tip", "legend", "chart-tells", "chart"],
  map: [
    ...["read-facts", "forms", "tip", "legend", "map-shapes", "map-drawing", "map-canvases", "map-values"],
    ...["map-furniture", "map-player", "map-pointer", "map-keys", "map"],
  ],
  table: ["read-facts", "table-columns", "table-heads", "table-rows", "table-grid", "table-out", "table"],
  /** A table that may get more rows from a kernel. */
  farTable: [
    ...["read-facts", "table-columns", "table-heads", "table-line", "table-rows", "table-far-rows"],
    ...["table-grid", "table-out", "table"],
  ],
} as const;

export type FrameScriptName = keyof typeof parts;

const scripts = new Map<FrameScriptName, FrameScript>();

/** A script, read when the first output needs it. */
export function frameScript(name: FrameScriptName): FrameScript {
  const known = scripts.get(name);
  if (known) return known;
  const files = parts[name].map((part) => readFileSync(new URL(`./frames/${part}.js`, import.meta.url), "utf8").trim());
  const code = files.join("\n");
  const script = { code, hash: `sha256-${createHash("sha256").update(code).digest("base64")}` };
  scripts.set(name, script);
  return script;
}

/** What a page allows that holds frames: a frame inherits the policy of its page. */
export function frameScriptHashes(): string {
  return (Object.keys(parts) as FrameScriptName[]).map((name) => `'${frameScript(name).hash}'`).join(" ");
}
