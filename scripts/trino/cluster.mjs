import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { reservePort } from "../ports/reserve-port.mjs";
import { askTrino } from "./ask-trino.mjs";
import { NodeProcess } from "./node-process.mjs";
import { writeNode } from "./write-node.mjs";

const START_MS = 600_000;
const POLL_MS = 500;
/**
 * The coordinator looks for nodes every five seconds and starts to monitor new ones as often. It treats a monitored
 * node as failed until the node has answered for five seconds. All nodes may therefore be active, and none a moment
 * later.
 */
const STEADY_MS = 11_000;

let clusters = 0;

/** A coordinator and workers on loopback, each in a separate JVM. A worker that ends is restarted. */
export class Cluster {
  #options;
  #say;
  #nodes = [];
  #folder;
  #failure;
  #isUp = false;
  #server = "";

  /**
   * @param {{ home: string, javaHome: string, files: string, workers: number, heapMb: number, isPinned?: boolean }}
   *   options `files` is the folder that tables may lie in: Trino calls it `local:///`; `isPinned` gives each worker one
   *   core, and the coordinator that of the first, by Linux's `taskset`
   * @param {(text: string) => void} say
   */
  constructor(options, say) {
    this.#options = options;
    this.#say = say;
    clusters += 1;
    this.#folder = join(options.files, ".cache", `trino-${process.pid}-${clusters}`);
  }

  /**
   * Starts the nodes and waits until all of them are up.
   *
   * @param {() => void} onWhole called then, and whenever all are up again
   */
  async start(onWhole = () => {}) {
    const { home, javaHome, files, workers, heapMb, isPinned } = this.#options;
    const [metastore, staging] = ["metastore", "staging"].map((name) => join(this.#folder, name));
    mkdirSync(metastore, { recursive: true });
    const names = ["coordinator", ...Array.from({ length: workers }, (_, index) => `worker${index + 1}`)];
    this.#server = `http://127.0.0.1:${await reservePort()}`;
    this.#nodes = names.map((name, index) => {
      const folder = join(this.#folder, name);
      const place = { name, folder, isCoordinator: index === 0, coordinator: this.#server };
      const args = writeNode({ ...place, heapMb, memoryMb: heapMb * workers, files, metastore, staging });
      const core = isPinned ? Math.max(index - 1, 0) : undefined;
      return new NodeProcess({ name, folder, args, core }, home, javaHome);
    });
    const whole = async () => {
      await this.#untilWhole();
      onWhole();
    };
    for (const node of this.#nodes) this.#launch(node, whole);
    await whole();
    this.#isUp = true;
  }

  /** Its address and its processes. */
  get state() {
    const nodes = this.#nodes.map(({ name, pid }) => ({ name, pid }));
    return { server: this.#server, catalog: "hive", files: this.#options.files, nodes };
  }

  async stop() {
    await Promise.all(this.#nodes.map((node) => node.stop()));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #launch(node, whole) {
    node.start(() => {
      if (!this.#isUp || node.name === "coordinator") {
        this.#failure = new Error(`${node.name} ended:\n${node.lastWords()}`);
        return;
      }
      this.#say(`${node.name} ended and is started again`);
      this.#launch(node, whole);
      whole().catch((error) => this.#say(error.message));
    });
  }

  async #works(sql) {
    return askTrino(this.#server, sql).then(
      () => true,
      () => false,
    );
  }

  async #untilWhole() {
    const nodes = "SELECT count(*) FROM system.runtime.nodes WHERE state = 'active'";
    // An announced node does not get work immediately.
    const work = "SELECT count(*) FROM UNNEST(sequence(1, 1000)) AS t(n)";
    const end = Date.now() + START_MS;
    let wholeSince;
    while (Date.now() < end) {
      if (this.#failure) throw this.#failure;
      const [row] = await askTrino(this.#server, nodes).catch(() => []);
      const isWhole = row?.[0] === this.#nodes.length && (await this.#works(work));
      wholeSince = isWhole ? (wholeSince ?? Date.now()) : undefined;
      if (isWhole && Date.now() - wholeSince >= STEADY_MS) return;
      await delay(POLL_MS);
    }
    throw new Error(`not all of ${this.#nodes.length} nodes were up after ${START_MS / 60_000} minutes`);
  }
}
