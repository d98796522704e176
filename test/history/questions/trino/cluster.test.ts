import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../snapshot/temporary-folder.js";
import { hasTrino } from "../../../support/trino-cluster.js";

const SCRIPT = join(import.meta.dirname, "../../../../scripts/trino.mjs");

describe.skipIf(!hasTrino())("npm run trino", () => {
  const folder = temporaryFolder();
  const left = () => readdirSync(folder, { recursive: true }).map(String);
  const nodes = () => left().filter((file) => file.endsWith("node.log"));

  it.each(["SIGTERM", "SIGKILL"] as const)("ends its nodes when its parent ends by %s", async (signal) => {
    // npm starts a shell between us, too.
    const command = `"${process.execPath}" "${SCRIPT}" --json --files "${folder}" & echo started; wait`;
    const parent = spawn("sh", ["-c", command], { stdio: "ignore" });
    await expect.poll(nodes, { timeout: 60_000 }).toHaveLength(3);
    parent.kill(signal);
    // A cluster removes its folder after its last node.
    await expect.poll(() => left().filter((file) => file.includes("trino-")), { timeout: 90_000 }).toEqual([]);
  });
});
