import { getEventListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { inspect } from "node:util";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArgumentError, EngineError, SiteframeError } from "../../../../src/core/errors.js";
import { trino } from "../../../../src/history/questions/engine/trino.js";
import type { TrinoOptions } from "../../../../src/history/questions/engine/trino-options.js";
import { randomRuns } from "../../../support/random-runs.js";
import { type Fault, type Played, type PlayedPage, playedTrino, refuse } from "./played-trino.js";

const PASSWORD = "correct-horse-battery";
const place = { catalog: "lake", schema: "sites" } as const;
const open = ({ server }: Pick<Played, "server">, options: Partial<TrinoOptions> = {}) =>
  trino({ server, ...place, ...options });

const columns = [
  { name: "id", type: "bigint" },
  { name: "v", type: "varchar(9)" },
];
const rows = (...data: readonly (readonly unknown[])[]): PlayedPage => ({ columns, data });

async function all(engine: ReturnType<typeof trino>, sql = "SELECT 1", signal?: AbortSignal): Promise<unknown[][]> {
  const found: unknown[][] = [];
  for await (const { rowCount, columns } of engine.query(sql, { signal })) {
    for (let row = 0; row < rowCount; row += 1) found.push(columns.map((column) => column[row]));
  }
  return found;
}

const thrown = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("a query", () => {
  it("is posted once and followed to its end; its rows come by columns", async () => {
    const played = await playedTrino([{}, {}, rows([1, "a"], [2, null]), { columns }, rows([3, "b"])]);
    const found = [];
    for await (const part of open(played).query("SELECT ü")) found.push(part);
    expect(found.map(({ rowCount }) => rowCount)).toEqual([2, 1]);
    expect(found.flatMap(({ columns }) => columns)).toEqual([[1, 2], ["a", null], [3], ["b"]]);
    expect(played.heard.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /v1/statement",
      ...[1, 2, 3, 4].map((page) => `GET /v1/statement/executing/q1/${page}`),
    ]);
    expect(played.heard[0]?.body).toBe("SELECT ü");
  });

  it("has headers with user, source, catalog, schema and session", async () => {
    const played = await playedTrino([{}, {}]);
    const session = { query_max_run_time: "10m", "lake.some_name": "a,b=ü" };
    await all(open(played, { user: "zoe", source: "night", session }));
    expect(played.heard[0]?.headers).toMatchObject({
      "x-trino-user": "zoe",
      "x-trino-source": "night",
      "x-trino-catalog": "lake",
      "x-trino-schema": "sites",
      "x-trino-session": "query_max_run_time=10m,lake.some_name=a%2Cb%3D%C3%BC",
      "x-trino-time-zone": "UTC",
    });
    expect(played.heard[1]?.headers["x-trino-user"]).toBe("zoe");
    expect(played.heard[0]?.headers).not.toHaveProperty("authorization");
  });

  it.each([
    [{ password: PASSWORD }, `Basic ${Buffer.from(`siteframe:${PASSWORD}`).toString("base64")}`],
    [{ token: PASSWORD }, `Bearer ${PASSWORD}`],
  ])("sends credentials with each request: %j", async (auth, authorization) => {
    const played = await playedTrino([{}, {}, {}]);
    await all(open(played, { auth }));
    expect(played.heard.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill(authorization));
  });

  it("uses the path of the server's address, and decompresses answers", async () => {
    const played = await playedTrino([rows([1, "a"])], ({ path }, response) => {
      if (path !== "/trino/v1/statement") return refuse(response, 404, path);
      const body = gzipSync(JSON.stringify({ id: "q", ...rows([1, "a"]) }));
      return refuse(response, 200, body, { "content-encoding": "gzip" });
    });
    expect(await all(open({ server: `${played.server}/trino/` }))).toEqual([[1, "a"]]);
  });

  it("fetches pages as its reader requests them, and is cancelled when the reader stops", async () => {
    const played = await playedTrino(Array.from({ length: 9 }, (_, n) => rows([n, "a"])));
    for await (const { columns } of open(played).query("SELECT 1")) {
      await delay(30);
      expect(played.heard).toHaveLength(Number(columns[0]?.[0]) + 1);
      if (columns[0]?.[0] === 2) break;
    }
    await expect
      .poll(() => played.heard.slice(3).map(({ method, path }) => `${method} ${path}`))
      .toEqual(["DELETE /v1/statement/executing/q1/3"]);
  });
});

describe("cells", () => {
  const typed = (type: string, ...cells: readonly string[]) => {
    const data = cells.map((cell) => `[${cell}]`).join(",");
    const text = `{"id":"q","columns":[{"name":"c","type":"${type}"}],"data":[${data}]}`;
    return playedTrino([], (_, response) => refuse(response, 200, text));
  };

  it.each([
    ["bigint", ["1", "null", "-9007199254740991", "9007199254740993"], [1, null, -9007199254740991, 9007199254740993n]],
    ["integer", ["7"], [7]],
    [
      "double",
      ["1.5", "1.0E20", '"NaN"', '"-Infinity"', "12345678901234567.5", "0.12345678901234567"],
      [1.5, 1e20, NaN, -Infinity, Number("12345678901234567.5"), Number("0.12345678901234567")],
    ],
    ["boolean", ["true", "null"], [true, null]],
    [
      "varchar",
      ['"[9007199254740993,1]"', '"\\\\\\"[9007199254740993]"'],
      ["[9007199254740993,1]", '\\"[9007199254740993]'],
    ],
    ["decimal(38,0)", ['"12"'], ["12"]],
  ])("of %s", async (type, cells, values) => {
    expect((await all(open(await typed(type, ...cells)))).map(([cell]) => cell)).toEqual(values);
  });

  it("that are integers are exact, next to any strings", async () => {
    const any = fc.record({
      id: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      text: fc.string({ unit: "binary" }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(any, { minLength: 1, maxLength: 5 }), async (list) => {
        const data = list.map(({ id, text }) => `[${id},${JSON.stringify(text)}]`).join(",");
        const text = `{"id":"q","columns":${JSON.stringify(columns)},"data":[${data}]}`;
        const played = await playedTrino([], (_, response) => refuse(response, 200, text));
        const found = await all(open(played));
        expect(found.map(([id, v]) => [BigInt(id as number), v])).toEqual(list.map(({ id, text }) => [id, text]));
        expect(found.every(([id]) => typeof id === "bigint" || Number.isSafeInteger(id))).toBe(true);
      }),
      { numRuns: randomRuns(40) },
    );
  });

  it.each([
    ["bigint", '"1"'],
    ["bigint", "1.5"],
    ["varchar(3)", "1"],
    ["boolean", "0"],
    ["double", '"many"'],
  ])("of %s do not hold %s", async (type, cell) => {
    expect(await thrown(all(open(await typed(type, "null", cell))))).toMatchObject({
      code: "ERR_PROTOCOL",
      path: "$.data[1][0]",
      facts: { query_id: "q", type: type.replace("(3)", "") },
    });
  });
});

const failing = (name: string, message = `it is ${name}`): PlayedPage => ({
  error: { errorName: name, errorType: "EXTERNAL", errorCode: 1, message },
});

describe("a query that fails", () => {
  it.each([
    ["SYNTAX_ERROR", "failed", "list of queries"],
    ["TABLE_NOT_FOUND", "failed", "siteframe ddl trino"],
    ["EXCEEDED_LOCAL_MEMORY_LIMIT", "memory", "query_max_memory"],
    ["CLUSTER_OUT_OF_MEMORY", "memory", "query_max_memory"],
    ["REMOTE_HOST_GONE", "worker-lost", "workers"],
    ["NO_NODES_AVAILABLE", "worker-lost", "workers"],
    ["EXCEEDED_TIME_LIMIT", "slow", "query_max_run_time"],
    ["PERMISSION_DENIED", "refused", "permission"],
    ["QUERY_QUEUE_FULL", "unreachable", "later"],
  ])("%s is %s", async (name, problem, hint) => {
    const played = await playedTrino([{}, rows([1, "a"]), failing(name)]);
    const error = await thrown(all(open(played)));
    expect(error).toMatchObject({
      code: "ERR_ENGINE",
      problem,
      queryId: "q1",
      engine: `Trino at ${played.server}`,
      message: expect.stringMatching(new RegExp(`query q1.*${name}: it is ${name}`)),
      hint: expect.stringContaining(hint),
      facts: { errorName: name, query_id: "q1" },
    });
    expect(played.cancelled()).toEqual([]);
  });

  it.each([
    ["INVALID_CAST_ARGUMENT", "Cannot cast 'Petra Muster' to BIGINT", "Cannot cast … to BIGINT"],
    ["INVALID_CAST_ARGUMENT", "Value cannot be cast to date: Petra Muster", "Value cannot be cast to date: …"],
    [
      "NUMERIC_VALUE_OUT_OF_RANGE",
      "bigint multiplication overflow: 1512345678 * 9",
      "bigint multiplication overflow: …",
    ],
    ["GENERIC_INTERNAL_ERROR", "Petra Muster", "…"],
  ])("because of a value does not quote it: %s, %s", async (name, message, shown) => {
    const played = await playedTrino([{}, failing(name, message)]);
    const error = await thrown(all(open(played)));
    expect(String(error)).toContain(`${name}: ${shown}`);
    expect(inspect(error, { depth: 20 })).not.toMatch(/Petra|1512345678/);
  });
});

/** The n-th request, and those after it if `on` is true, meets a fault. */
const from =
  (n: number, play: Fault, on = true): Fault =>
  (heard, response, count) => {
    const meets = heard.method !== "DELETE" && (on ? count >= n : count === n);
    return meets ? play(heard, response, count) : undefined;
  };
const status =
  (code: number, headers = {}): Fault =>
  (_, response) =>
    refuse(response, code, "busy", headers);
const reset: Fault = (_, response) => {
  response.socket?.resetAndDestroy();
  return true;
};
const broken: Fault = (_, response) => {
  response.writeHead(200, { "content-length": "9999" }).write('{"id":');
  setTimeout(() => response.destroy(), 5);
  return true;
};
const hang: Fault = () => true;
/** A short time would count what a busy machine takes for an answer as silence. */
const timeOf = (name: string) => (name === "silence" ? { timeoutMs: 1000 } : {});

describe("a request that fails once", () => {
  const faults: Readonly<Record<string, Fault>> = {
    429: status(429, { "retry-after": "0" }),
    502: status(502),
    503: status(503),
    504: status(504),
    "a reset": reset,
    "a body that breaks off": broken,
    "a page of a proxy": (_, response) => refuse(response, 200, "<html>wait</html>"),
    silence: hang,
  };
  it.each(Object.keys(faults).flatMap((fault) => [1, 3].map((n) => [fault, n] as const)))(
    "%s at request %i is sent again: no row is lost or twice",
    async (name, n) => {
      const played = await playedTrino([{}, rows([1, "a"]), rows([2, "b"])], from(n, faults[name] ?? hang, false));
      expect(await all(open(played, timeOf(name)))).toEqual([
        [1, "a"],
        [2, "b"],
      ]);
      expect(played.heard).toHaveLength(4);
    },
  );
});

describe("a request that always fails", () => {
  it.each([
    ["503", status(503), "unreachable", 2],
    ["429", status(429), "unreachable", 2],
    ["a reset", reset, "unreachable", 2],
    ["silence", hang, "slow", 2],
    ["401", status(401), "refused", 1],
    ["403", status(403), "refused", 1],
    ["404", status(404), "failed", 1],
    ["410", status(410), "failed", 1],
    ["500", status(500), "failed", 1],
    ["a redirect", status(307, { location: "https://elsewhere.example/x" }), "failed", 1],
  ] as const)("%s is one error, with the query's id once there is one", async (name, fault, problem, sent) => {
    for (const n of [1, 2]) {
      const played = await playedTrino([{}, {}, {}], from(n, fault));
      const error = await thrown(all(open(played, { retries: 1, ...timeOf(name) })));
      expect(error).toMatchObject({
        code: "ERR_ENGINE",
        problem,
        queryId: n === 1 ? undefined : "q1",
        hint: expect.any(String),
      });
      const isForgotten = n === 2 && (name === "404" || name === "410");
      expect(Reflect.get(Object(error), "hint").startsWith("The engine dropped the query")).toBe(isForgotten);
      expect(played.heard.filter(({ method }) => method !== "DELETE")).toHaveLength(n - 1 + sent);
      // A query that may still run is cancelled.
      expect(played.cancelled()).toHaveLength(n - 1);
    }
  });

  it("a missing server is an error with its address", async () => {
    // Nothing listens on port 1.
    const error = await thrown(all(open({ server: "http://127.0.0.1:1" }, { retries: 0 })));
    expect(error).toMatchObject({
      problem: "unreachable",
      message: "Trino at http://127.0.0.1:1 cannot be reached: connect ECONNREFUSED 127.0.0.1:1.",
    });
  });
});

describe("an answer that is not Trino's", () => {
  const elsewhere = { nextUri: "http://elsewhere.example/v1/statement/q1/1" };
  it.each<[string, unknown, string]>([
    ["an array", [], "$"],
    ["null", null, "$"],
    ["no id", { columns, data: [] }, "$.id"],
    ["an id that is a number", { id: 1 }, "$.id"],
    ["rows that are not an array", { id: "q1", columns, data: { encoding: "json+zstd" } }, "$.data"],
    ["a row that is too short", { id: "q1", columns, data: [[1, "a"], [1]] }, "$.data[1]"],
    ["rows without columns", { id: "q1", data: [[1]] }, "$.data[0]"],
    ["a column without a type", { id: "q1", columns: [{ name: "x" }] }, "$.columns[0].type"],
    ["an error that is a string", { id: "q1", error: "no" }, "$.error"],
    ["results at another address", { id: "q1", ...elsewhere }, "$.nextUri"],
    ["results at no address", { id: "q1", nextUri: "there" }, "$.nextUri"],
  ])("%s", async (_, answer, path) => {
    const played = await playedTrino(
      [{}, {}, {}],
      from(2, (_, response) => refuse(response, 200, JSON.stringify(answer))),
    );
    expect(await thrown(all(open(played, { auth: { password: PASSWORD } })))).toMatchObject({
      code: "ERR_PROTOCOL",
      path,
    });
    expect(played.cancelled()).toEqual(["/v1/statement/executing/q1/1"]);
  });

  const ada = "Ada Lovelace";
  it.each<[string, object | string]>([
    ["an id", { id: ada }],
    ["an address", { nextUri: ada }],
    ["an address at Trino", { nextUri: `/v1/${ada}` }],
    ["the name of an error", { error: { errorName: ada, errorType: ada, errorCode: 1, message: "" } }],
    ["a column's type", { columns: [columns[0], { name: ada, type: `bigint(${ada})` }], data: [[1, ada]] }],
    ["a cell", { columns, data: [[ada, ada]] }],
    ["everything", ada],
  ])("%s that is a person is not quoted", async (_, answer) => {
    const played = await playedTrino([{}, {}], ({ path, headers, method }, response) => {
      if (method !== "GET" || !path.endsWith("/1")) return undefined;
      const text = JSON.stringify(typeof answer === "string" ? answer : { id: "q1", ...answer });
      return refuse(response, 200, text.replace('"/v1/', `"http://${headers.host}/v1/`));
    });
    const error = await thrown(all(open(played)));
    expect(error).toBeInstanceOf(SiteframeError);
    expect(inspect(error)).not.toMatch(/Ada|Lovelace/);
  });

  it.each([
    ["a page for people", "<html>hello</html>"],
    ["half of it", '{"id":"q1"'],
    ["nothing", ""],
  ])("%s", async (_, body) => {
    const played = await playedTrino([], (_, response) => refuse(response, 200, body));
    expect(await thrown(all(open(played, { retries: 1 })))).toMatchObject({ code: "ERR_PROTOCOL", path: "$" });
  });

  it.each<[string, PlayedPage, string]>([
    ["rows of another query", { id: "q2", ...rows([2, "b"]) }, "$.id"],
    ["rows that lead back to earlier rows", { ...rows([2, "b"]), nextUri: "executing/q1/1" }, "$.nextUri"],
    ["rows that are followed by themselves", { ...rows([2, "b"]), nextUri: "executing/q1/2" }, "$.nextUri"],
    ["other columns than before", { columns: [{ name: "id", type: "bigint" }], data: [[1]] }, "$.columns"],
    ["the same columns in another order", { columns: [...columns].reverse(), data: [["b", 2]] }, "$.columns"],
    ["results outside of queries", { nextUri: "../../ui/api/kill" }, "$.nextUri"],
  ])("%s", async (_, { nextUri, ...page }, path) => {
    const played = await playedTrino([{}, rows([1, "a"]), page, {}], ({ headers, path }, response) => {
      if (nextUri === undefined || !path.endsWith("/2")) return undefined;
      const next = new URL(String(nextUri), `http://${headers.host}/v1/statement/`).href;
      return refuse(response, 200, JSON.stringify({ id: "q1", nextUri: next, ...page }));
    });
    expect(await thrown(all(open(played, { auth: { password: PASSWORD } })))).toMatchObject({
      code: "ERR_PROTOCOL",
      path,
      facts: { query_id: "q1" },
    });
    // Nothing but results is fetched, or deleted.
    expect(played.heard.filter(({ path }) => !path.startsWith("/v1/statement"))).toEqual([]);
  });

  it("is requested less often while it has no results", async () => {
    const asked: number[] = [];
    const stop = new AbortController();
    const played = await playedTrino([{}, {}], ({ path, headers, method }, response) => {
      if (method === "DELETE") return undefined;
      asked.push(performance.now());
      if (asked.length === 30) stop.abort(new Error("enough"));
      const next = `http://${headers.host}/v1/statement/queued/q1/${path.length}`;
      return refuse(response, 200, JSON.stringify({ id: "q1", nextUri: next }));
    });
    await expect(all(open(played), "SELECT 1", stop.signal)).rejects.toThrow("enough");
    const waits = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
    // A clock may be late, and never early: the last waits are of 2 to 512 ms and more, one after the other.
    expect(waits.at(-1)).toBeGreaterThan(400);
    expect(waits.at(-3)).toBeGreaterThan(100);
  });

  it("ends with the timeout", async () => {
    const played = await playedTrino([{}, {}], ({ headers, method }, response) => {
      if (method === "DELETE") return undefined;
      const nextUri = `http://${headers.host}/v1/statement/queued/q1/1`;
      return refuse(response, 200, JSON.stringify({ id: "q1", nextUri }));
    });
    const error = await thrown(all(open(played, { queryTimeoutMs: 300 })));
    expect(error).toMatchObject({
      code: "ERR_ENGINE",
      problem: "slow",
      queryId: "q1",
      message: expect.stringContaining("did not finish query q1 within 0.3 s."),
    });
    expect(played.cancelled()).toEqual(["/v1/statement/queued/q1/1"]);
  });

  it("has no more rows than allowed, in any number of pages", async () => {
    let count = 0;
    const played = await playedTrino([], ({ headers, method }, response) => {
      if (method === "DELETE") return refuse(response, 204, "");
      count += 1;
      const nextUri = `http://${headers.host}/v1/statement/executing/q1/${count}`;
      return refuse(response, 200, JSON.stringify({ id: "q1", nextUri, ...rows([count, "x".repeat(1000)]) }));
    });
    expect(await thrown(all(open(played, { maxResultBytes: 20_000 })))).toMatchObject({
      code: "ERR_PROTOCOL",
      path: "$.data",
      message: expect.stringContaining("more than 20000 bytes"),
    });
    expect(count).toBeLessThan(25);
  });

  it("is no longer than allowed, uncompressed", async () => {
    const bomb = gzipSync(JSON.stringify({ id: "q1", ...rows([1, "x".repeat(5_000_000)]) }));
    const played = await playedTrino([], (_, response) => refuse(response, 200, bomb, { "content-encoding": "gzip" }));
    expect(await thrown(all(open(played, { maxBodyBytes: 100_000 })))).toMatchObject({
      code: "ERR_PROTOCOL",
      message: expect.stringContaining("100000 bytes"),
    });
  });

  it("is no longer than allowed", async () => {
    const played = await playedTrino([rows([1, "x".repeat(5000)])]);
    expect(await thrown(all(open(played, { maxBodyBytes: 1000 })))).toMatchObject({
      code: "ERR_PROTOCOL",
      message: expect.stringContaining("1000 bytes"),
    });
    expect(played.heard).toHaveLength(1);
  });
});

describe("the secret", () => {
  const secrets = [
    PASSWORD,
    Buffer.from(`siteframe:${PASSWORD}`).toString("base64"),
    encodeURIComponent(PASSWORD),
  ].join(" ");
  it.each<[string, Fault]>([
    ["a refusal", (_, response) => refuse(response, 403, `no such key: ${secrets}`)],
    ["a failure", (_, response) => refuse(response, 503, secrets)],
    [
      "a query's error",
      (_, r) => refuse(r, 200, JSON.stringify({ id: "q", error: { errorName: secrets, message: secrets } })),
    ],
    ["an address", (_, r) => refuse(r, 200, JSON.stringify({ id: "q", nextUri: `http://${PASSWORD}.example/` }))],
    ["a redirect", (_, r) => refuse(r, 307, "", { location: `http://${PASSWORD}.example/` })],
  ])("is not in errors, events or inspections if the engine repeats it in %s", async (_, fault) => {
    const played = await playedTrino([], fault);
    const events: unknown[] = [];
    const auth = { password: PASSWORD };
    const engine = open(played, { retries: 1, auth, onRequest: (event) => events.push(event) });
    const error = await thrown(all(engine));
    expect(error).toBeInstanceOf(Error);
    expect(events.length).toBeGreaterThan(0);
    const shown = [engine, error, events].flatMap((value) => [
      inspect(value, { depth: 20, showHidden: true, maxStringLength: null }),
      JSON.stringify(value, Object.getOwnPropertyNames(Object(value))) ?? "",
      String(value),
    ]);
    expect(shown.filter((text) => text.includes(PASSWORD) || text.includes(secrets.split(" ")[1] ?? ""))).toEqual([]);
  });
});

describe("an abort", () => {
  const reason = new Error("enough");

  it("before it began sends nothing", async () => {
    const played = await playedTrino([{}]);
    expect(await thrown(all(open(played), "SELECT 1", AbortSignal.abort(reason)))).toBe(reason);
    expect(played.heard).toEqual([]);
  });

  it("while the engine works cancels the query there", async () => {
    const played = await playedTrino([{}, {}, {}], from(3, hang));
    const controller = new AbortController();
    const asked = thrown(all(open(played), "SELECT 1", controller.signal));
    await expect.poll(() => played.heard).toHaveLength(3);
    controller.abort(reason);
    expect(await asked).toBe(reason);
    expect(played.cancelled()).toEqual(["/v1/statement/executing/q1/2"]);
  });

  it("while its reader is busy cancels the query at once, and once", async () => {
    const played = await playedTrino([rows([1, "a"]), {}]);
    const controller = new AbortController();
    const results = open(played).query("SELECT 1", { signal: controller.signal })[Symbol.asyncIterator]();
    await results.next();
    controller.abort(reason);
    await expect.poll(played.cancelled).toHaveLength(1);
    expect(await thrown(results.next())).toBe(reason);
    expect(played.cancelled()).toHaveLength(1);
  });

  it("is the effect of close() on queries, and later queries are refused", async () => {
    const played = await playedTrino([{}, {}], from(2, hang));
    const engine = open(played);
    const asked = thrown(all(engine));
    await expect.poll(() => played.heard).toHaveLength(2);
    await engine.close();
    expect(await asked).toMatchObject({ code: "ERR_ARGUMENT", message: expect.stringContaining("closed") });
    await expect.poll(played.cancelled).toHaveLength(1);
    expect(await thrown(all(engine))).toBeInstanceOf(ArgumentError);
  });

  it("leaves no listener on the signal", async () => {
    const played = await playedTrino([{}, {}]);
    const { signal } = new AbortController();
    await all(open(played), "SELECT 1", signal);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

describe("storing", () => {
  const states =
    (state: string): Fault =>
    ({ method, body }, response) => {
      if (method !== "POST" || !body.includes("runtime.queries")) return undefined;
      const page = { id: "q2", columns: [{ name: "state", type: "varchar" }], data: [[state]] };
      return refuse(response, 200, JSON.stringify(page));
    };
  const posted = ({ heard }: Played) => heard.filter(({ method }) => method === "POST").map(({ body }) => body);

  it("is CREATE TABLE AS, its names quoted", async () => {
    const played = await playedTrino([{}, {}]);
    await open(played).store("SELECT 1 AS x -- one", 'lake.a "b".c');
    expect(posted(played)).toEqual(['CREATE TABLE "lake"."a ""b"""."c" AS\nSELECT 1 AS x -- one']);
  });

  it("puts several statements into one table, one after the other", async () => {
    const played = await playedTrino([{}, {}]);
    let asked = 0;
    function* statements() {
      for (const statement of ["WITH a AS (SELECT 1) SELECT * FROM a", "SELECT 2", "SELECT 3"]) {
        expect(posted(played)).toHaveLength(asked++);
        yield statement;
      }
    }
    await open(played).store(statements(), "t");
    expect(posted(played)).toEqual([
      'CREATE TABLE "t" AS\nWITH a AS (SELECT 1) SELECT * FROM a',
      'INSERT INTO "t"\nSELECT 2',
      'INSERT INTO "t"\nSELECT 3',
    ]);
  });

  it("writes instants as microseconds if the catalog has no timestamps", async () => {
    const answered: Fault = ({ method, body }, response) => {
      if (method !== "POST") return undefined;
      const { error } = failing("NOT_SUPPORTED");
      const columns = [
        { name: "id", type: "bigint" },
        { name: "at", type: "timestamp(6) with time zone" },
      ];
      const page = body.startsWith("SELECT") ? { columns } : body.includes("to_unixtime") ? {} : { error };
      return refuse(response, 200, JSON.stringify({ id: "q1", ...page }));
    };
    const played = await playedTrino([], answered);
    await open(played).store(["SELECT 1 AS id, now() AS at", "SELECT 2, now()"], "t");
    expect(posted(played)).toEqual([
      'CREATE TABLE "t" AS\nSELECT 1 AS id, now() AS at',
      "SELECT state FROM system.runtime.queries WHERE query_id = 'q1'",
      expect.stringMatching(/^SELECT \* FROM \(\nSELECT 1 .* LIMIT 0$/s),
      expect.stringMatching(/^CREATE TABLE "t" AS\nSELECT "id", .*to_unixtime.*SELECT 1 AS id, now/s),
      expect.stringMatching(/^INSERT INTO "t"\nSELECT "id", .*to_unixtime.*SELECT 2, now/s),
    ]);
  });

  /** Queries that create or drop are done at once. An INSERT has a second page, for which `then` is called. */
  const inserting =
    (then: Fault): Fault =>
    (heard, response, count) => {
      const { method, path, body } = heard;
      if (method === "GET" && path.includes("/insert/")) return then(heard, response, count);
      if (method !== "POST") return undefined;
      const next = { nextUri: `http://${heard.headers.host}/v1/statement/executing/insert/1` };
      const page = body.startsWith("INSERT") ? { id: "q7", ...next } : { id: "q1" };
      return states("FAILED")(heard, response, count) || refuse(response, 200, JSON.stringify({ stats: {}, ...page }));
    };

  it("leaves no table if a later statement fails", async () => {
    const fails = inserting((_, response) =>
      refuse(response, 200, JSON.stringify({ id: "q7", ...failing("EXCEEDED_LOCAL_MEMORY_LIMIT") })),
    );
    const played = await playedTrino([], fails);
    const error = await thrown(open(played).store(["SELECT 1", "SELECT 2", "SELECT 3"], "t"));
    expect(error).toMatchObject({ code: "ERR_ENGINE", problem: "memory", queryId: "q7" });
    expect(posted(played)).toEqual([
      'CREATE TABLE "t" AS\nSELECT 1',
      'INSERT INTO "t"\nSELECT 2',
      "SELECT state FROM system.runtime.queries WHERE query_id = 'q7'",
      'DROP TABLE IF EXISTS "t"',
    ]);
  });

  it("leaves no table if a later statement cannot be written", async () => {
    const played = await playedTrino([{}, {}]);
    function* statements() {
      yield "SELECT 1";
      throw new TypeError("no more");
    }
    await expect(open(played).store(statements(), "t")).rejects.toThrow("no more");
    expect(posted(played)).toEqual(['CREATE TABLE "t" AS\nSELECT 1', 'DROP TABLE IF EXISTS "t"']);
  });

  it("leaves no table if a later statement is aborted", async () => {
    const stop = new AbortController();
    const aborts = inserting(() => {
      stop.abort(new Error("enough"));
      return true;
    });
    const played = await playedTrino([], aborts);
    await expect(open(played).store(["SELECT 1", "SELECT 2"], "t", { signal: stop.signal })).rejects.toThrow("enough");
    expect(played.cancelled()).toHaveLength(1);
    expect(posted(played).at(-1)).toBe('DROP TABLE IF EXISTS "t"');
  });

  it.each(["", "a..b", "a.b.c.d"])("refuses the table name %j", async (name) => {
    const played = await playedTrino([]);
    const stored = Promise.resolve().then(() => open(played).store("SELECT 1", name));
    expect(await thrown(stored)).toBeInstanceOf(ArgumentError);
    expect(played.heard).toEqual([]);
  });

  it("drops a table that was finished although the request failed, and reports the failure", async () => {
    const played = await playedTrino([{}, {}, {}], (heard, response, count) => {
      if (count === 2) return refuse(response, 410, "gone");
      return states("FINISHED")(heard, response, count);
    });
    const error = await thrown(open(played, { retries: 0 }).store("SELECT 1", "t"));
    expect(error).toMatchObject({ code: "ERR_ENGINE", queryId: "q1" });
    expect(posted(played).pop()).toBe('DROP TABLE IF EXISTS "t"');
  });

  it("never drops an existing table", async () => {
    const played = await playedTrino([{}, failing("TABLE_ALREADY_EXISTS")], states("FAILED"));
    expect(await thrown(open(played).store("SELECT 1", "t"))).toBeInstanceOf(EngineError);
    expect(posted(played).filter((sql) => sql.includes("DROP"))).toEqual([]);
  });
});

describe("options", () => {
  const server = "http://127.0.0.1:1";
  it.each<[string, object]>([
    ["no server", { server: undefined }],
    ["an invalid server", { server: "trino" }],
    ["an empty server", { server: "" }],
    ["another protocol", { server: "ftp://trino.example" }],
    ["a password in the address", { server: `http://me:${PASSWORD}@127.0.0.1` }],
    ["a query in the address", { server: "http://127.0.0.1?catalog=x" }],
    ["no catalog", { catalog: undefined }],
    ["no schema", { schema: undefined }],
    ["a schema that breaks the header", { schema: "a\nb" }],
    ["a user that breaks the header", { user: "a\r\nx: y" }],
    ["an unknown option", { password: PASSWORD }],
    ["auth that is neither", { auth: { key: PASSWORD } }],
    ["auth that is both", { auth: { password: PASSWORD, token: PASSWORD } }],
    ["auth that is a string", { auth: PASSWORD }],
    ["a secret that breaks the header", { auth: { token: `${PASSWORD}\r\nx: y` } }],
    ["a secret over http", { server: "http://trino.example", auth: { password: PASSWORD } }],
    ["a session that is a string", { session: "a=b" }],
    ["a session's name that breaks out", { session: { "a=b,c": "d" } }],
    ["a timeout of nothing", { timeoutMs: 0 }],
  ])("%s is an ArgumentError that shows no secret", async (_, options) => {
    const error = await thrown((async () => trino({ server, ...place, ...options } as TrinoOptions))());
    expect(error).toBeInstanceOf(ArgumentError);
    expect(inspect(error, { showHidden: true })).not.toContain(PASSWORD);
    expect(String(error)).not.toContain(PASSWORD);
  });

  it("may have a secret over https, and over http on this machine", () => {
    for (const server of ["https://trino.example", "http://localhost:8080", "http://[::1]:8080"]) {
      expect(open({ server }, { auth: { token: PASSWORD } }).name).toBe(`Trino at ${server}`);
    }
  });

  it("tables are named with catalog and schema", () => {
    const { dialect } = open({ server }, { schema: 'a "b"' });
    expect(dialect.table("layer_features")).toBe('"lake"."a ""b"""."layer_features"');
  });
});
