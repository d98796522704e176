import { describe, expect, it } from "vitest";
import { LazyTable } from "../../../src/history/lazy/lazy-table.js";

/** An answer that records its calls. */
function noted(table: () => Promise<string> = async () => "a table") {
  const done: string[] = [];
  const answer = new LazyTable<string>("questions.asOf()", {
    table: () => {
      done.push("table");
      return table();
    },
    writeTo: async (target) => void done.push(`copy ${target}`),
    toSQL: async (dialect) => `SELECT of ${dialect}`,
  });
  return { answer, done };
}

describe("an answer", () => {
  it("is requested once, when it is awaited", async () => {
    const { answer, done } = noted();
    expect(done).toEqual([]);
    expect(await answer).toBe("a table");
    expect(await Promise.all([answer, answer.then((table) => table.length)])).toEqual(["a table", 7]);
    expect(done).toEqual(["table"]);
  });

  it("is requested again after a failure", async () => {
    const answers = [Promise.reject(new Error("no")), Promise.resolve("a table")];
    const { answer, done } = noted(() => answers.shift() as Promise<string>);
    await expect(answer).rejects.toThrow("no");
    expect(await answer).toBe("a table");
    expect(done).toEqual(["table", "table"]);
  });

  it("is stored and written by the engine", async () => {
    const { answer, done } = noted();
    await answer.writeTo("x.parquet");
    expect(await answer.toSQL("spark")).toBe("SELECT of spark");
    expect(await answer.toSQL()).toBe("SELECT of undefined");
    expect(done).toEqual(["copy x.parquet"]);
  });

  it("rejects and settles as a promise does", async () => {
    const { answer } = noted(() => Promise.reject(new Error("no")));
    await expect(answer).rejects.toThrow("no");
    expect(await answer.catch((error) => String(error))).toBe("Error: no");
    const settled: string[] = [];
    const note = () => void settled.push("settled");
    await expect(answer.finally(note)).rejects.toThrow("no");
    expect(await noted().answer.finally(note)).toBe("a table");
    expect(await noted().answer.catch(() => "never")).toBe("a table");
    expect(settled).toHaveLength(2);
  });
});
