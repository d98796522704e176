import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/**
 * A script that frames run. It is the same in every output, so that a frame can allow only this script, by its hash.
 */
export interface FrameScript {
  readonly code: string;
  /** In the syntax of a content security policy. */
  readonly hash: string;
}

const names = ["chart", "map", "near-table", "far-table", "selection-line"] as const;

/** `far-table`: for a table that may load more rows from a kernel. */
export type FrameScriptName = (typeof names)[number];

const scripts = new Map<FrameScriptName, FrameScript>();

/** Returns a script, which is loaded on first use. */
export function frameScript(name: FrameScriptName): FrameScript {
  const cached = scripts.get(name);
  if (cached) return cached;
  // Bundled by the build from the modules in `src/browser`, even if this module has not been built.
  const code = readFileSync(new URL(`../../../dist/browser/${name}.js`, import.meta.url), "utf8");
  const script = { code, hash: `sha256-${createHash("sha256").update(code).digest("base64")}` };
  scripts.set(name, script);
  return script;
}

/** Source list for the policy of pages that contain frames, which inherit that policy. */
export function frameScriptHashes(): string {
  return names.map((name) => `'${frameScript(name).hash}'`).join(" ");
}
