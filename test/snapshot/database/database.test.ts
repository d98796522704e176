import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Database } from "../../../src/snapshot/database/database.js";
import { readGeneration } from "../../../src/snapshot/folder/manifest-file.js";
import { writeSnapshot } from "../../../src/snapshot/write/write-snapshot.js";
import { temporaryFolder } from "../temporary-folder.js";

const path = join(temporaryFolder(), "empty.snapshot");
const ENDLESS = "FROM range(1_000_000_000) a, range(1_000_000_000) b";
let database: Database;

beforeAll(async () => {
  await writeSnapshot(path, {});
  database = await Database.open(path, await readGeneration(path));
});

afterAll(() => database.close());

/** Aborts after so many milliseconds. */
function leavingAfter(ms: number): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error("left")), ms);
  return controller.signal;
}

describe("an aborted statement", () => {
  it("is interrupted", async () => {
    const endless = database.rows(`SELECT sum(hash(a.range, b.range)) ${ENDLESS}`, [], leavingAfter(50));
    await expect(endless).rejects.toThrow("left");
  });

  it("is interrupted when it runs after others", async () => {
    // More than the threads that statements run on.
    const asked = Array.from({ length: 12 }, (_, n) =>
      database.rows(`SELECT sum(hash(a.range, b.range)) ${ENDLESS}`, [], leavingAfter(n < 8 ? 400 : 20)),
    );
    for (const ended of await Promise.allSettled(asked)) {
      expect(ended).toEqual({ status: "rejected", reason: new Error("left") });
    }
  });

  it("is interrupted if it was aborted before it had a connection", async () => {
    const leaving = new AbortController();
    // Ends by itself, if late.
    const some = "SELECT sum(hash(a.range, b.range)) FROM range(200_000) a, range(1_000) b";
    const chunks = async () => {
      for await (const _ of database.chunks(some, [], { signal: leaving.signal }));
    };
    const answer = async () => {
      for await (const _ of database.answer(some, leaving.signal));
    };
    const statements = [database.rows(some, [], leaving.signal), chunks(), answer()];
    leaving.abort(new Error("left"));
    for (const ended of await Promise.allSettled(statements)) {
      expect(ended).toEqual({ status: "rejected", reason: new Error("left") });
    }
  });

  it("returns no more chunks", async () => {
    const leaving = new AbortController();
    let chunks = 0;
    const read = async () => {
      for await (const _ of database.chunks("FROM range(1_000_000_000)", [], { signal: leaving.signal })) {
        if (++chunks === 3) leaving.abort(new Error("left"));
      }
    };
    await expect(read()).rejects.toThrow("left");
    expect(chunks).toBe(3);
  });

  it("does not start", async () => {
    const signal = AbortSignal.abort(new Error("left"));
    await expect(database.rows("SELECT nonsense", [], signal)).rejects.toThrow("left");
  });
});

describe("a statement that fails after it returned rows", () => {
  it("causes an error with the reason", async () => {
    let rows = 0;
    const read = async () => {
      const late = "SELECT CASE WHEN i = ?::INTEGER THEN error('no more') ELSE '' END AS v FROM range(200_000) t(i)";
      for await (const chunk of database.chunks(late, ["150000"])) rows += chunk.rowCount;
    };
    await expect(read()).rejects.toMatchObject({
      code: "ERR_SNAPSHOT",
      message: expect.stringContaining("no more"),
    });
    expect(rows).toBeGreaterThan(0);
  });
});

describe("a statement without enough memory", () => {
  it("is repeated on one thread, and later statements run on all threads", async () => {
    const many = await Database.open(path, await readGeneration(path), { threads: 3 });
    const threads: number[] = [];
    const work = (fails: (thread: number) => boolean) =>
      many.useForQuery(async (connection) => {
        const [[count]] = (await (await connection.run("SELECT current_setting('threads')")).getRows()) as [[bigint]];
        threads.push(Number(count));
        if (fails(Number(count))) throw new Error("Out of Memory Error: failed to allocate data of size 32.0 KiB");
        return "done";
      });
    expect(await work((count) => count > 1)).toBe("done");
    await expect(work(() => true)).rejects.toThrow("Out of Memory");
    expect(await work(() => false)).toBe("done");
    expect(threads).toEqual([3, 1, 3, 1, 3]);
    many.close();
  });
});
