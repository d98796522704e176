import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Starts the service of made-up features in a process of its own. */
export async function startServer(rows, latencyMs) {
  const path = fileURLToPath(new URL("server.mjs", import.meta.url));
  const child = spawn(process.execPath, [path, String(rows), String(latencyMs)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(child.stdout, "data");
  return { url: String(line).trim(), stop: () => child.kill() };
}
