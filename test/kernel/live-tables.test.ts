import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { frameFacts } from "../tables/display/frame-facts.js";
import { type Exchange, type Json, KernelClient } from "./support/kernel-client.js";

let kernel: KernelClient;

beforeAll(async () => {
  kernel = await KernelClient.start();
});
afterAll(() => kernel.close());

/** A table with the columns n and gap, which is null in every third row. */
const tableOf = (rows: number) =>
  `(await import("arquero")).table({ n: Array.from({ length: ${rows} }, (_, n) => n), gap: Array.from({ length: ${rows} }, (_, n) => n % 3 === 0 ? null : "t" + n % 20) })`;
const plain = { order: [], filter: [], find: { words: [], columns: [] } };
let comms = 0;

function nameIn({ outputs }: Exchange): string | undefined {
  const shown = outputs.find(({ type }) => type === "execute_result" || type === "display_data");
  return (frameFacts(String(shown?.content["data"]["text/html"])) as { readonly table?: string }).table;
}

/** Opens a comm as an output does. @returns the first message of the kernel, and a function for requests */
async function call(table: string | undefined, hello: object = {}) {
  comms += 1;
  const comm_id = `table-${comms}`;
  let read = kernel.broadcasts.length;
  const heard = async (): Promise<Json> => {
    const isIt = ({ type, content }: KernelClient["broadcasts"][number]) =>
      type === "comm_msg" && content["comm_id"] === comm_id;
    const found = await kernel.until((each) => kernel.broadcasts.indexOf(each) >= read && isIt(each));
    read = kernel.broadcasts.indexOf(found) + 1;
    return found.content["data"];
  };
  const envelope = { siteframe: "table", version: 1, table };
  const data = { ...envelope, type: "hello", ...hello };
  await kernel.send(kernel.create("comm_open", { comm_id, target_name: "siteframe.table", data }));
  const ask = async (question: object) => {
    await kernel.send(kernel.create("comm_msg", { comm_id, data: { ...envelope, type: "ask", ...question } }));
    return heard();
  };
  return { first: await heard(), ask };
}

describe("a table that is shown in a kernel", () => {
  test("can be requested before the session of the kernel has started", async () => {
    const fresh = await KernelClient.start();
    const data = { siteframe: "table", version: 1, type: "hello", table: "of the kernel before" };
    await fresh.send(fresh.create("comm_open", { comm_id: "early", target_name: "siteframe.table", data }));
    const first = await fresh.until(({ content }) => content["comm_id"] === "early");
    expect(first).toMatchObject({ type: "comm_msg", content: { data: { ...data, type: "gone" } } });
    await fresh.close();
  });

  test("returns rows that its output does not contain, and is sorted and filtered as a whole", async () => {
    const name = nameIn(await kernel.execute(`const long = ${tableOf(3000)};\nlong`));
    expect(name).toMatch(/^[0-9a-f-]{36}$/);
    const { first, ask } = await call(name);
    expect(first).toEqual({ siteframe: "table", version: 1, type: "hello", table: name });
    expect(await ask({ id: 1, rows: [2998, 3200], ...plain })).toEqual({
      ...{ siteframe: "table", version: 1, type: "answer", table: name, id: 1, rows: [2998, 3000], of: 3000, cut: 0 },
      cells: [
        { kind: "number", numbers: [2998, 2999] },
        { kind: "text", texts: ["t18", "t19"], codes: [0, 1] },
      ],
    });
    const filter = [{ column: 1, words: "T19" }];
    const last = await ask({ id: 2, rows: [0, 2], ...plain, order: [[0, -1]], filter });
    expect(last).toMatchObject({ id: 2, of: 100, cells: [{ numbers: [2999, 2959] }, { texts: ["t19"] }] });
  });

  test("has no name if its output contains all rows", async () => {
    expect(nameIn(await kernel.execute(tableOf(1000)))).toBeUndefined();
  });

  test("keeps its name, and has another name with other columns", async () => {
    const [first, again] = [nameIn(await kernel.execute("long")), nameIn(await kernel.execute("display(long)"))];
    const other = nameIn(await kernel.execute('display(long.select("n"))'));
    expect(again).toBe(first);
    expect(other).toBeDefined();
    expect(other).not.toBe(first);
  });

  test("refuses invalid requests, and answers the next request", async () => {
    const { ask } = await call(nameIn(await kernel.execute("long")));
    for (const wrong of [
      { rows: [5, 2] },
      { rows: [0, 1e9] },
      { rows: "all" },
      { order: [[2, 1]] },
      { filter: [{ column: 0, code: "process.exit()" }] },
      { find: { words: [7], columns: [0] } },
    ]) {
      const answer = await ask({ id: 3, rows: [0, 1], ...plain, ...wrong });
      expect(answer).toMatchObject({
        type: "refusal",
        id: 3,
        text: expect.stringMatching(/Invalid .* in a request for rows/),
      });
    }
    expect(await ask({ id: 4, rows: [0, 1], ...plain })).toMatchObject({ type: "answer", id: 4, of: 3000 });
  });

  test("is reported as gone after its garbage collection", async () => {
    const name = nameIn(await kernel.execute(tableOf(2000)));
    await kernel.execute(
      `const { setFlagsFromString } = await import("node:v8");\nconst { runInNewContext } = await import("node:vm");\nsetFlagsFromString("--expose-gc");\nconst collect = runInNewContext("gc") as () => void;\ncollect();`,
    );
    for (let turn = 0; turn < 3; turn += 1) await kernel.execute("collect(); new Uint8Array(1e7).length");
    // The table that was shown last is kept.
    expect((await call(name)).first["type"]).toBe("hello");
    await kernel.execute("long");
    await expect
      .poll(async () => {
        await kernel.execute("collect(); new Uint8Array(1e7).length");
        return (await call(name)).first["type"];
      })
      .toBe("gone");
    expect((await call(nameIn(await kernel.execute("long")))).first["type"]).toBe("hello");
    expect(await (await call(name)).ask({ id: 5, rows: [0, 1], ...plain })).toMatchObject({ type: "gone", id: 5 });
  });

  test("is reported as gone for unknown names", async () => {
    expect((await call("00000000-0000-4000-8000-000000000000")).first["type"]).toBe("gone");
    expect((await call(undefined)).first["type"]).toBe("gone");
  });
});
