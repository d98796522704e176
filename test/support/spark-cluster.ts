import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { reservePort } from "../../scripts/ports/reserve-port.mjs";
import type { Engine } from "../../src/history/questions/engine/engine.js";
import { sparkDialect } from "../../src/history/questions/sql/dialect/spark-dialect.js";
import type { Python } from "./python.js";

const SCRIPT = join(import.meta.dirname, "python", "ask_spark.py");
const WORKERS = ["one", "two"];

/** Rows of Spark, with instants as microseconds since 1970. */
export interface SparkRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** A standalone cluster of Spark: a driver, a master, and two workers with one core each. */
export class SparkCluster {
  readonly #folder: string;
  readonly #driver: ChildProcess;
  readonly #daemons: readonly ChildProcess[];
  readonly #answers: AsyncIterator<string>;
  /** The driver runs one statement at a time. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(folder: string, driver: ChildProcess, daemons: readonly ChildProcess[]) {
    this.#folder = folder;
    this.#driver = driver;
    this.#daemons = daemons;
    this.#answers = createInterface({ input: driver.stdout ?? process.stdin })[Symbol.asyncIterator]();
  }

  /** Starts the cluster, and waits for both workers. */
  static async start({ program, env }: Python): Promise<SparkCluster> {
    const find = "import pyspark; print(pyspark.__path__[0])";
    const home = execFileSync(program, ["-c", find], { encoding: "utf8" }).trim();
    const folder = mkdtempSync(join(tmpdir(), "siteframe-spark-"));
    const own = {
      SPARK_HOME: home,
      SPARK_LOCAL_DIRS: folder,
      SPARK_LOCAL_IP: "127.0.0.1",
      SPARK_DAEMON_MEMORY: "256m",
      // The cluster lives only for minutes: optimized compilation would not pay off.
      JAVA_TOOL_OPTIONS: "-XX:TieredStopAtLevel=1",
    };
    const options: SpawnOptions = { cwd: folder, env: { ...env, ...own, PYSPARK_PYTHON: program, TZ: "UTC" } };
    const port = String(await reservePort());
    const address = `spark://127.0.0.1:${port}`;
    const daemon = (name: string, ...args: readonly string[]) => {
      const command = [`org.apache.spark.deploy.${name}`, "--host", "127.0.0.1", "--webui-port", "0", ...args];
      return spawn(join(home, "bin", "spark-class"), command, { ...options, stdio: "ignore" });
    };
    const master = daemon("master.Master", "--port", port);
    const workers = WORKERS.map((name) =>
      daemon("worker.Worker", "--cores", "1", "--memory", "1g", "--work-dir", join(folder, name), address),
    );
    const args = [SCRIPT, address, String(WORKERS.length)];
    const driver = spawn(program, args, { ...options, stdio: ["pipe", "pipe", "ignore"] });
    const cluster = new SparkCluster(folder, driver, [...workers, master]);
    try {
      const { executors } = await cluster.#next();
      if (executors !== WORKERS.length) throw new Error(`Spark has ${String(executors)} executors`);
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** An engine over declared tables. */
  engine(): Engine {
    const rows = (sql: string) => this.rows(sql);
    return {
      name: "Spark",
      dialect: sparkDialect,
      async *query(sql) {
        const found = await rows(sql);
        const columns = found.columns.map((_, column) => found.rows.map((row) => row[column]));
        yield { rowCount: found.rows.length, columns };
      },
      store: () => Promise.reject(new Error("Spark stores nothing here")),
      close: () => Promise.resolve(),
    };
  }

  /** Returns the rows of one statement. */
  async rows(sql: string): Promise<SparkRows> {
    const asked = this.#last.then(() => {
      this.#driver.stdin?.write(`${JSON.stringify(sql)}\n`);
      return this.#next();
    });
    this.#last = asked.catch(() => undefined);
    const { error, columns = [], rows = [] } = await asked;
    if (error !== undefined) throw new Error(`${error}\n${sql}`);
    return { columns, rows };
  }

  async stop(): Promise<void> {
    for (const child of [this.#driver, ...this.#daemons]) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    // Processes of the driver may still write files.
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }

  async #next(): Promise<Partial<SparkRows> & { readonly executors?: number; readonly error?: string }> {
    const { value, done } = await this.#answers.next();
    if (done) throw new Error("Spark's driver has ended");
    return JSON.parse(value);
  }
}
