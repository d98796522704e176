import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** A script that frames run. It is the same in every output, so that a frame can allow it, and nothing else, by its hash. */
export interface FrameScript {
  readonly code: string;
  /** As a content security policy names it. */
  readonly hash: string;
}

/** The scripts, by the names of their files in `frames/`. */
const frameScriptNames = ["chart"] as const;
export type FrameScriptName = (typeof frameScriptNames)[number];

const scripts = new Map<FrameScriptName, FrameScript>();

/** The hashes of all scripts: the policy of a page that shows outputs holds for the frames in it, too. */
export function frameScriptHashes(): readonly string[] {
  return frameScriptNames.map((name) => frameScript(name).hash);
}

/** A script, read when the first output needs it. */
export function frameScript(name: FrameScriptName): FrameScript {
  const known = scripts.get(name);
  if (known) return known;
  const code = readFileSync(new URL(`./frames/${name}.js`, import.meta.url), "utf8").trim();
  const script = { code, hash: `sha256-${createHash("sha256").update(code).digest("base64")}` };
  scripts.set(name, script);
  return script;
}
