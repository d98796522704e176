import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";

const GRACE_MS = 15_000;

/** One JVM that runs a node of the cluster. */
export class NodeProcess {
  #home;
  #command;
  #log;
  #child;
  #ended;
  #stopping = false;

  /**
   * @param {{ name: string, folder: string, args: readonly string[], core?: number }} node `core` is
   *   the only core that it may use
   * @param {string} home where Trino is
   * @param {string} javaHome
   */
  constructor({ name, folder, args, core }, home, javaHome) {
    this.name = name;
    this.#home = home;
    const java = join(javaHome, "bin", "java");
    const server = [...args, "-cp", join(home, "lib", "*"), "io.trino.server.TrinoServer"];
    this.#command = core === undefined ? [java, ...server] : ["taskset", "-c", String(core), java, ...server];
    this.#log = join(folder, "node.log");
  }

  get pid() {
    return this.#child?.pid;
  }

  /** @param {() => void} onEnd called when it ended unexpectedly */
  start(onEnd) {
    const log = openSync(this.#log, "a");
    // Trino looks for its plugins where it runs. Detached: an interrupt from a terminal is for us, who end it in order.
    const options = { cwd: this.#home, stdio: ["ignore", log, log], detached: true };
    const [program, ...args] = this.#command;
    this.#child = spawn(program, args, options);
    closeSync(log);
    this.#ended = new Promise((resolve) => {
      this.#child.once("error", resolve);
      this.#child.once("exit", resolve);
    }).then(() => {
      if (!this.#stopping) onEnd();
    });
  }

  /** The last lines that it wrote. */
  lastWords() {
    return readFileSync(this.#log, "utf8").split("\n").slice(-30).join("\n");
  }

  async stop() {
    this.#stopping = true;
    this.#child?.kill("SIGTERM");
    const last = setTimeout(() => this.#child?.kill("SIGKILL"), GRACE_MS);
    await this.#ended;
    clearTimeout(last);
  }
}
