import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadSdk } from "../../../src/cli/mcp/serve-mcp.js";
import { connect, openSnapshot, pull, type Snapshot } from "../../../src/index.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { type SampleService, startSampleService } from "../../support/sample-service.js";
import { type Answer, ask, callTool, resourceText } from "./connect-client.js";

const path = join(temporaryFolder(), "acme.snapshot");
const opened: Client[] = [];
let service: SampleService;
let snapshot: Snapshot;
let client: Client;

async function started(...args: readonly string[]): Promise<Client> {
  const env = { ...process.env, SITEFRAME_BASE_URL: service.url, SITEFRAME_API_KEY: service.apiKey };
  const made = new Client({ name: "test", version: "1" });
  const known = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  const transport = {
    command: process.execPath,
    args: ["dist/cli/main.js", "mcp", ...args],
    env: Object.fromEntries(known),
  };
  await made.connect(new StdioClientTransport(transport));
  opened.push(made);
  return made;
}

const call = (name: string, given: Readonly<Record<string, unknown>> = {}, of = client): Promise<Answer> =>
  ask(of, name, given);

const llano = { site: "Llano Verde Solar Park", layer: "PUNCH_LIST_ITEMS" };
const plain = (rows: readonly object[]) => JSON.parse(JSON.stringify(rows.map((row) => Object.values(row))));

beforeAll(async () => {
  service = await startSampleService();
  const live = connect({ baseUrl: service.url, apiKey: service.apiKey });
  await pull(live, path);
  await live.close();
  snapshot = await openSnapshot(path);
  client = await started("--snapshot", path, "--limit", "100");
});

afterAll(async () => {
  await Promise.all(opened.map((one) => one.close()));
  await snapshot.close();
  await service.close();
});

describe("a server for a snapshot over standard input and output", () => {
  it("lists read-only tools with their schemas", async () => {
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names.slice(0, 3)).toEqual(["sites", "layers", "describe"]);
    expect(names).toContain("sql");
    for (const tool of tools) expect(tool.annotations).toMatchObject({ readOnlyHint: true, openWorldHint: false });
    const asOf = tools.find(({ name }) => name === "asOf");
    expect(asOf?.inputSchema).toMatchObject({ required: ["site", "layer", "at"], additionalProperties: false });
    expect(client.getInstructions()).toContain("provenance.readAt");
  });

  it("returns the same as the library, with provenance and diagnostics", async () => {
    const layer = await (await snapshot.site(llano.site)).layer(llano.layer);
    const answers = {
      sites: [await call("sites"), await snapshot.sites()],
      describe: [await call("describe", llano), layer.describe()],
    } as const;
    for (const [name, [answer, table]] of Object.entries(answers)) {
      expect(answer.columns, name).toEqual(table.columnNames());
      expect(answer.rows, name).toEqual(plain(table.objects()));
      expect(answer.provenance, name).toMatchObject({ generation: 1, origin: { kind: "snapshot", name: path } });
    }
    expect(answers.describe[0].diagnostics.map(({ code }) => code)).toEqual(
      [...new Map(layer.diagnostics.map((one) => [one.message, one.code])).values()].slice(0, 20),
    );
    const late = await call("asOf", { ...llano, at: "2999-01-01", limit: 1 });
    expect(late.diagnostics.map(({ code }) => code)).toContain("date-after-read");
  });

  it("returns the requested rows and columns, page by page", async () => {
    const history = await (await snapshot.site(llano.site)).history(llano.layer);
    const closed = history
      .asOf("2025-06-30")
      .filter((row) => row.STATUS === "CLOSED")
      .array("id");
    const wanted = { ...llano, at: "2025-06-30", where: { STATUS: ["CLOSED"] }, columns: ["STATUS"], limit: 2 };
    const first = await call("asOf", wanted);
    expect(first).toMatchObject({ columns: ["id", "visible_id", "STATUS"], rowCount: closed.length, nextOffset: 2 });
    const second = await call("asOf", { ...wanted, offset: 2 });
    expect([...first.rows, ...second.rows].map(([id]) => id)).toEqual(Array.from(closed).slice(0, 4));
    const whole = await call("asOf", { ...llano, at: "2025-06-30", limit: 9999 });
    expect(whole.rows.length).toBeLessThanOrEqual(100);
    expect(whole.columns).not.toContain("geometry");
    expect((await call("asOf", { ...wanted, columns: ["geometry"], limit: 1 })).columns).toContain("geometry");
    const known = await call("asOf", { ...wanted, knownAt: "2025-01-01" });
    expect(known.rowCount).not.toBe(first.rowCount);
  });

  it("draws figures, and returns the glossary, from the build", async () => {
    const { content } = await callTool(client, "figure", { kind: "burnDown", ...llano, column: "STATUS" });
    expect(content.map(({ type }) => type)).toEqual(["text", "image"]);
    expect(await resourceText(client, "siteframe://glossary")).toMatch(/^# Glossary/);
  });

  it("returns durations in working time", async () => {
    const history = await (await snapshot.site(llano.site)).history(llano.layer);
    const calendar = { timeZone: "Europe/Madrid", hours: "08:00-17:00", weekend: ["saturday", "sunday"] };
    const { columns, rows } = await call("durations", { ...llano, column: "STATUS", calendar, limit: 1 });
    const [wanted = {}] = history.durations("STATUS", { calendar }).objects();
    const [row = []] = rows;
    expect(Object.fromEntries(columns.map((name, index) => [name, row[index]]))).toMatchObject(
      Object.fromEntries(Object.entries(wanted).filter(([name]) => ["days", "hours"].includes(name))),
    );
    await expect(call("durations", { ...llano, column: "STATUS", calendar: {} })).rejects.toThrow(
      "`timeZone` is missing",
    );
  });

  it("suggests corrections of invalid arguments", async () => {
    await expect(call("asof", llano)).rejects.toThrow('Unknown tool "asof". Did you mean "asOf"?');
    await expect(call("asOf", llano)).rejects.toThrow("asOf needs the option at: a string.");
    await expect(call("asOf", { ...llano, att: "2025-06-30" })).rejects.toThrow("Did you mean at?");
    const layer = call("describe", { ...llano, layer: "PUNCHLIST_ITEMS" });
    await expect(layer).rejects.toThrow('Did you mean "PUNCH_LIST_ITEMS"?');
    await expect(call("asOf", { ...llano, at: "2025-02-30" })).rejects.toThrow("invalid time");
    const columns = call("asOf", { ...llano, at: "2025-06-30", columns: ["STATSU"] });
    await expect(columns).rejects.toThrow('Did you mean "STATUS"?');
    await expect(call("counts", { ...llano, column: "STATUS" })).rejects.toThrow(
      "needs dates, or from, until and every",
    );
  });
});

describe("SQL", () => {
  it("runs one SELECT with a limited number of rows", async () => {
    const query = "SELECT id FROM PUNCH_LIST_ITEMS ORDER BY id DESC; -- the newest";
    const first = await call("sql", { query, limit: 2 });
    expect(first).toMatchObject({ columns: ["id"], nextOffset: 2, provenance: { generation: 1 } });
    const both = [...first.rows, ...(await call("sql", { query, limit: 2, offset: 2 })).rows].map(([id]) => Number(id));
    expect(both).toEqual([...both].sort((a, b) => b - a));
    expect(await call("sql", { query: "SHOW TABLES" })).toMatchObject({ rowCount: expect.any(Number) });
    expect((await call("sql", { query: "SELECT * FROM range(100000)", limit: 9999 })).rows).toHaveLength(100);
    expect(
      (await call("sql", { query: "SELECT count(*)::INTEGER AS n FROM TRENCHES_AT('2025-06-30')" })).rows,
    ).toHaveLength(1);
    const [geometry] = (await call("sql", { query: "SELECT geometry, id FROM TRENCHES LIMIT 1" })).rows;
    expect(geometry).toEqual([expect.stringContaining('"coordinates"'), expect.any(Number)]);
    expect((await call("sql", { query: "SELECT * FROM TRENCHES LIMIT 1" })).columns).not.toContain("geometry");
    const big = await call("sql", { query: "SELECT repeat('x', 5000) AS long, 9007199254740993 AS big" });
    expect(big.rows).toEqual([[expect.stringMatching(/^x{2000}… \(5000 characters\)$/), "9007199254740993"]]);
  });

  it.each([
    ["files", `SELECT * FROM read_text('${process.cwd()}/package.json')`],
    ["the network", "SELECT * FROM read_csv('https://example.com/a.csv')"],
    ["other statements", "CREATE TABLE t AS SELECT 1"],
    ["several statements that end the bounds", "SELECT 1) LIMIT 1; SELECT (2"],
    ["settings", "SET enable_external_access = true"],
    ["extensions", "INSTALL httpfs"],
  ])("refuses %s", async (_, query) => {
    await expect(call("sql", { query })).rejects.toThrow();
  });

  it("refuses a query without a statement", async () => {
    for (const query of ["-- sites", "/* sites */ ;", " ", ";"]) {
      await expect(call("sql", { query })).rejects.toThrow(/^sql\(\): the query (is empty|has only comments)/);
    }
  });

  it("returns bytes as SQL shows them, also in lists and structs", async () => {
    const query =
      "SELECT 'a\\x00b\\xFF'::BLOB AS one, ['\\xAA'::BLOB, NULL] AS many, {'b': '\\x22'::BLOB} AS inner, '0101'::BIT AS bits";
    expect((await call("sql", { query })).rows).toEqual([["a\\x00b\\xFF", ["\\xAA", null], { b: "\\x22" }, "0101"]]);
  });

  it("refuses results that are too large, before they are sent", async () => {
    const query = "SELECT repeat('x', 60000000) AS a FROM range(5)";
    await expect(call("sql", { query })).rejects.toThrow("sql(): the result has more than 200 MB of values.");
    const columns = Array.from({ length: 1001 }, (_, name) => `${name} AS c${name}`).join(", ");
    await expect(call("sql", { query: `SELECT ${columns}` })).rejects.toThrow(
      "The answer has 1001 columns; the maximum is 1000.",
    );
  });

  it("skips rows before it reads them", async () => {
    const query = "FROM range(1000000) t(i) ORDER BY i";
    const last = await call("sql", { query, offset: 999_998, limit: 5 });
    expect(last).toMatchObject({ rows: [[999_998], [999_999]], rowCount: 1_000_000 });
    expect(last.nextOffset).toBeUndefined();
    const behind = await call("sql", { query: "SELECT 1 AS one", offset: 5 });
    expect([behind.rows, behind.rowCount]).toEqual([[], undefined]);
  });

  it("stops at its time limit, also while the database computes a large value", async () => {
    const hasty = await started("--snapshot", path, "--timeout", "2");
    // Opening files is part of the first query.
    await call("sql", { query: "SELECT 1 AS one" }, hasty).catch(() => undefined);
    const query = "SELECT len(list_sort(range(20000000))) AS n";
    const whole = call("sql", { query }).catch(() => undefined);
    const sorted = call("sql", { query }, hasty);
    expect(await Promise.race([sorted.catch(() => "at the limit"), whole.then(() => "when all was done")])).toBe(
      "at the limit",
    );
    await expect(sorted).rejects.toThrow("longer than 2 s");
    // It answers while the database is still busy.
    expect((await call("sites", {}, hasty)).rows.length).toBeGreaterThan(0);
    await whole;
  });

  it("ends a query that takes too long, and runs the next query", async () => {
    const query = "SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b";
    // Long enough for a simple query on a busy machine.
    const hasty = await started("--snapshot", path, "--timeout", "5");
    await expect(call("sql", { query }, hasty)).rejects.toThrow("sql: the query took longer than 5 s.");
    await expect
      .poll(() => call("sql", { query: "SELECT 1 AS one" }, hasty).catch(String))
      .toMatchObject({ rows: [[1]] });
  });
});

it("a server for the live service has no SQL, and replaces user ids with --redact", async () => {
  const live = await started("--redact");
  const { tools } = await live.listTools();
  expect(tools.map(({ name }) => name)).not.toContain("sql");
  const states = await call("states", { ...llano, at: "2025-06-30", where: { state: "logged" }, limit: 5 }, live);
  expect(states.provenance).toMatchObject({ origin: { kind: "live", name: expect.stringContaining(service.url) } });
  const open = await call("states", { ...llano, at: "2025-06-30", where: { state: "logged" }, limit: 5 });
  const user = open.columns.indexOf("user_id");
  expect(states.rows.map((row) => row[0])).toEqual(open.rows.map((row) => row[0]));
  expect(states.rows.map((row) => row[user])).not.toEqual(open.rows.map((row) => row[user]));
});

it("a missing SDK is reported with the command to install it", async () => {
  const absent = Object.assign(new Error("Cannot find package '@modelcontextprotocol/server' imported from x"), {
    code: "ERR_MODULE_NOT_FOUND",
  });
  await expect(loadSdk(() => Promise.reject(absent))).rejects.toMatchObject({
    name: "DependencyError",
    hint: expect.stringContaining("npm install @modelcontextprotocol/server@2"),
  });
  const other = new Error("broken");
  await expect(loadSdk(() => Promise.reject(other))).rejects.toBe(other);
});
