import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** Address of the cluster's state; the first request starts the cluster. */
    trinoDoor: string;
  }
}

const SCRIPT = join(import.meta.dirname, "../../scripts/trino.mjs");

/**
 * Provides one Trino for all test files, started by the first request. `SITEFRAME_TEST_TRINO` is a file with the output of
 * `npm run trino -- --json` of a running cluster to use instead.
 */
export default async function trinoDoor(project: TestProject): Promise<() => Promise<void>> {
  const running = process.env["SITEFRAME_TEST_TRINO"];
  const cluster = running === undefined ? new TestCluster() : undefined;
  const server = createServer(async (_, response) => {
    try {
      const state = cluster ? await cluster.state() : lastLine(readFileSync(running ?? "", "utf8"));
      response.end(state);
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  project.provide("trinoDoor", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.close();
    await cluster?.stop();
  };
}

/** The script's own process, with a folder that is removed at the end. */
class TestCluster {
  #child: ChildProcess | undefined;
  #files = "";
  #state: Promise<string> | undefined;

  /** The last line of the script. */
  state(): Promise<string> {
    this.#state ??= this.#start();
    return this.#state;
  }

  #start(): Promise<string> {
    this.#files = realpathSync(mkdtempSync(join(tmpdir(), "siteframe-trino-")));
    const args = [SCRIPT, "--json", "--files", this.#files];
    // An unusual time zone: no answer may depend on the time zone of an engine.
    const env = { ...process.env, TZ: "America/St_Johns" };
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], env });
    this.#child = child;
    return new Promise((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`npm run trino ended with ${code}`)));
      createInterface({ input: child.stdout }).on("line", (line) => {
        this.#state = Promise.resolve(line);
        resolve(line);
      });
    });
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    if (child.exitCode === null) {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    rmSync(this.#files, { recursive: true, force: true });
  }
}

function lastLine(text: string): string {
  return text.trim().split("\n").pop() ?? "";
}
