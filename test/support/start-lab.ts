import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { reservePort } from "../../scripts/ports/reserve-port.mjs";
import type { Python } from "./python.js";

/** A running JupyterLab. */
export interface Lab {
  readonly url: string;
  /** Stops the JupyterLab and its kernels. */
  stop(): Promise<void>;
}

/**
 * Starts a JupyterLab without a password.
 *
 * @param folder folder of the notebooks
 */
export async function startLab({ program, env }: Python, folder: string): Promise<Lab> {
  await waitForCompletions(env);
  // With port 0, the server looks for a free port, closes it and listens on it later, when it may be in use.
  const port = await reservePort();
  const options = [
    `--port=${port}`,
    "--ServerApp.ip=127.0.0.1",
    "--ServerApp.port_retries=0",
    "--no-browser",
    "--allow-root",
    "--IdentityProvider.token=",
    "--ServerApp.password=",
    `--ServerApp.root_dir=${folder}`,
  ];
  const lab = spawn(program, ["-m", "jupyterlab", ...options], { env, stdio: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  const answers = () =>
    fetch(`${url}/api`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await answers())) {
    if (lab.exitCode !== null) throw new Error(`JupyterLab ended with exit code ${lab.exitCode}.`);
    await pause(200);
  }
  const stop = async () => {
    if (lab.exitCode !== null) return;
    const ended = once(lab, "exit");
    lab.kill("SIGTERM");
    // JupyterLab may wait for a starting kernel, which then ends by itself.
    const patience = setTimeout(() => lab.kill("SIGKILL"), 10_000);
    await ended;
    clearTimeout(patience);
  };
  return { url, stop };
}

/** Raises the limit of one second for completions, which is too short if many tests run at once. */
async function waitForCompletions(env: NodeJS.ProcessEnv): Promise<void> {
  const config = env["JUPYTER_CONFIG_DIR"];
  if (!config) throw new Error("JUPYTER_CONFIG_DIR is not set");
  const settings = join(config, "lab", "user-settings", "@jupyterlab", "completer-extension");
  await mkdir(settings, { recursive: true });
  await writeFile(join(settings, "manager.jupyterlab-settings"), JSON.stringify({ providerTimeout: 30_000 }));
}
