import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, openSnapshot, pull, type Snapshot } from "../../src/index.js";
import type { LanguageEngine } from "../../src/kernel/engine/cell/language-engine.js";
import { createEngine } from "../../src/kernel/engine/create-engine.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { writeSmallCompany } from "../support/small-company.js";
import { RecordingSink } from "./engine/recording-sink.js";
import { useNodeConsole } from "./engine/run-cells.js";

/** A query that no machine completes. */
const endless = "SELECT count(*) AS n FROM range(1000000000) a, range(1000000000) b WHERE a.range + b.range = 7";

/** What happens before and after the interrupt. */
interface Moments {
  readonly begun?: Promise<unknown>;
  readonly after?: () => void;
}

describe("an interrupt of a cell ends", () => {
  const folder = temporaryFolder();
  /** Receives requests and never responds. */
  const server = createServer();
  let engine: LanguageEngine;
  let restoreConsole: () => void;
  let snapshot: Snapshot;

  beforeAll(async () => {
    restoreConsole = useNodeConsole();
    engine = await createEngine({ directory: folder });
    await once(server.listen(0, "127.0.0.1"), "listening");
    await writeSmallCompany(join(folder, "company"));
    snapshot = await openSnapshot(join(folder, "company"));
  });

  afterAll(async () => {
    engine.close();
    restoreConsole();
    server.closeAllConnections();
    server.close();
    await snapshot.close();
  });

  const source = () => {
    const { port } = server.address() as AddressInfo;
    return connect({ baseUrl: `http://127.0.0.1:${port}`, apiKey: "key", retries: 0 });
  };
  const requested = () => ({ begun: once(server, "request") });

  /** Interrupts a cell that waits for some work. Returns the error of the work. */
  async function interrupted(work: () => PromiseLike<unknown>, { begun, after }: Moments = {}): Promise<unknown> {
    const controller = new AbortController();
    let ended: Promise<unknown> = Promise.resolve();
    const started = new Promise<void>((resolve) => {
      const start = () => {
        ended = Promise.resolve(work()).then(
          () => "completed",
          (error: unknown) => error,
        );
        resolve();
        return ended;
      };
      Object.assign(globalThis, { start });
    });
    const code = "await Reflect.get(globalThis, 'start')()";
    const running = engine.execute(code, { sink: new RecordingSink(), signal: controller.signal });
    await Promise.all([started, begun]);
    controller.abort();
    expect(await running).toMatchObject({ status: "error", error: { ename: "AbortError" } });
    after?.();
    return ended;
  }

  const aborted = expect.objectContaining({ name: "AbortError", message: "The cell was interrupted." });

  test("a read, whose connection is closed", async () => {
    const closed = once(server, "connection").then(([socket]) => once(socket, "close"));
    expect(await interrupted(() => source().sites(), requested())).toEqual(aborted);
    await closed;
  });

  test("a pull", async () => {
    const pulled = () => pull(source(), join(folder, "pulled"), { showProgress: false });
    expect(await interrupted(pulled, requested())).toEqual(aborted);
  });

  test("a query of a snapshot", async () => {
    expect(await interrupted(() => snapshot.sql(endless))).toEqual(aborted);
    expect(await interrupted(() => snapshot.sql(endless, { sandbox: true }))).toEqual(aborted);
    expect((await snapshot.sql("SELECT 42 AS n")).get("n", 0)).toBe(42);
  });

  test("a query of a layer", async () => {
    const layer = await snapshot.layer({ site_id: 1 });
    expect(await interrupted(() => layer.sql(endless))).toEqual(aborted);
    expect((await layer.sql("SELECT 42 AS n")).get("n", 0)).toBe(42);
  });

  test("nothing that has another signal", async () => {
    const own = new AbortController();
    const sites = () => source().sites({}, { signal: own.signal });
    const after = () => own.abort(new Error("its own reason"));
    expect(await interrupted(sites, { ...requested(), after })).toEqual(new Error("its own reason"));
  });
});
