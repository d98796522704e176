import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** A script that frames run. It is the same in every output, so that a frame can allow it, and nothing else, by its hash. */
export interface FrameScript {
  readonly code: string;
  /** As a content security policy names it. */
  readonly hash: string;
}

const names = ["chart", "map", "near-table", "far-table", "selection-line"] as const;

/** Of a table that may get more rows from a kernel `far-table`. */
export type FrameScriptName = (typeof names)[number];

const scripts = new Map<FrameScriptName, FrameScript>();

/** A script, read when the first output needs it. */
export function frameScript(name: FrameScriptName): FrameScript {
  const known = scripts.get(name);
  if (known) return known;
  // Bundled by the build from the modules in `frames/`, also where this one has not been built.
  const code = readFileSync(new URL(`../../../dist/tables/display/frames/${name}.js`, import.meta.url), "utf8");
  const script = { code, hash: `sha256-${createHash("sha256").update(code).digest("base64")}` };
  scripts.set(name, script);
  return script;
}

/** What a page allows that holds frames: a frame inherits the policy of its page. */
export function frameScriptHashes(): string {
  return names.map((name) => `'${frameScript(name).hash}'`).join(" ");
}
