// Calls of `siteframe mcp` that are drawn from the schemas of its tools, with extreme values.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import fc from "fast-check";
import { damagedJson, hostileText, oddJson } from "../mutations.mjs";
import { untypedProblems } from "../untyped.mjs";
import { watchOutput } from "../watch-output.mjs";
import { columns } from "../world.mjs";
import { writeSnapshot } from "./snapshots.mjs";

const main = join(import.meta.dirname, "../../../dist/cli/main.js");
const dates = fc.oneof(
  { weight: 6, arbitrary: fc.nat(60).map((day) => new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(0, 10)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "9999-12-31",
      "0001-01-01",
      "+275760-09-13T00:00:00Z",
      "-271820-01-01T00:00:00Z",
      "2024-02-30",
    ),
  },
);
const words = {
  site: fc.constantFrom(101, "Harrow Moor", 101, "101"),
  layer: fc.constantFrom("PUNCH_LIST_ITEMS", "Tickets"),
  column: fc.constantFrom(...columns),
  columns: fc.array(fc.constantFrom(...columns, "id", "created_at"), { maxLength: 4 }),
  query: fc.constantFrom(
    "SELECT * FROM layer_features",
    "SELECT 1",
    "SELECT * FROM range(1000000000)",
    "SELECT repeat('x', 1000000000)",
    "ATTACH '/etc/passwd'",
    "SELECT CAST(value AS INT) FROM PUNCH_LIST_ITEMS",
    "SELECT CAST(contact_name AS INT) FROM operations",
  ),
};
const many = [0, 1, 3, 500, 3000];
const from2024 = (day) => new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(0, 10);
words.buckets = fc.constantFrom(...many, 20_000).map((count) => Array.from({ length: count }, (_, index) => index + 1));
words.dates = fc.oneof(
  fc.constantFrom(...many, 20_000).map((count) => Array.from({ length: count }, (_, day) => from2024(day))),
  fc.record({ from: dates, until: dates, every: fc.constantFrom("day", "week", "month", "hour", "year") }),
);

/** Arguments that a schema allows, and some that it does not. */
function drawValue(schema, name = "") {
  const valid = allowed(schema, name);
  return fc.oneof(
    { weight: 14, arbitrary: valid },
    { weight: 1, arbitrary: oddJson.map(parseShort) },
    { weight: 1, arbitrary: hostileText },
  );
}

/** Deep values are passed as JSON: they cannot be serialized again. */
function parseShort(text) {
  if (text.length > 5000) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function allowed(schema = {}, name = "") {
  if (Object.hasOwn(words, name)) return words[name];
  if (/date|^at$|from|until|^to$|known/i.test(name) && schema.type !== "array" && schema.type !== "object")
    return dates;
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return fc.oneof(...either.map((one) => allowed(one, name)));
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case "object":
      return objectOf(schema);
    case "array":
      return fc
        .tuple(
          fc.constantFrom(...many),
          fc.array(allowed(schema.items, name.replace(/s$/, "")), { minLength: 1, maxLength: 4 }),
        )
        .map(([count, some]) => arrayOf(count, some));
    case "integer":
    case "number":
      return fc.oneof(
        { weight: 4, arbitrary: fc.nat(20) },
        fc.constantFrom(-1, 1e9, 9007199254740991, 1e308, 0.5, schema.maximum ?? 100, schema.minimum ?? 0),
      );
    case "boolean":
      return fc.boolean();
    default:
      return fc.oneof(
        {
          weight: 3,
          arbitrary: fc.constantFrom("OPEN", "DONE", "IN_PROGRESS", ...columns, "week", "day", "Europe/Berlin"),
        },
        { weight: 1, arbitrary: dates },
        { weight: 1, arbitrary: hostileText },
      );
  }
}

/** The most characters of a list in a call: strings of V8 have at most half a billion. */
const MOST = 10_000_000;

/** Long lists have different dates and numbers. */
function arrayOf(count, some) {
  const most = Math.ceil((MOST * some.length) / JSON.stringify(some).length);
  const length = Math.min(count, typeof some[0] === "object" ? 20 : count, most);
  return Array.from({ length }, (_, index) => {
    const one = some[index % some.length];
    if (typeof one === "number") return one + index;
    if (typeof one === "string" && /^2\d{3}-\d\d-\d\d$/.test(one))
      return new Date(Date.parse(one) + index * 864e5 || 0).toISOString().slice(0, 10);
    return one;
  });
}

function objectOf({ properties = {}, required = [] }) {
  const names = Object.keys(properties);
  return fc
    .record(Object.fromEntries(names.map((name) => [name, fc.tuple(drawValue(properties[name], name), fc.nat(3))])))
    .map((drawn) =>
      Object.fromEntries(
        Object.entries(drawn).flatMap(([name, [value, chance]]) =>
          required.includes(name) || ["site", "layer", "column"].includes(name) || chance === 0 ? [[name, value]] : [],
        ),
      ),
    );
}

const day = (count) => new Date(1.2e12 + count * 864e5).toISOString().slice(0, 10);
const tickets = { site: 101, layer: "PUNCH_LIST_ITEMS", column: "STATUS" };
const call = (name, given) => ({ method: "tools/call", params: { name, arguments: given } });

export async function prepare(folder) {
  const snapshot = writeSnapshot(folder);
  const first = await startServer(snapshot);
  const { tools } = (await first.request({ method: "tools/list", params: {} })).result;
  const { resourceTemplates } = (await first.request({ method: "resources/templates/list", params: {} })).result;
  const { prompts } = (await first.request({ method: "prompts/list", params: {} })).result;
  await first.stop();
  const uris = resourceTemplates.map(({ uriTemplate }) => uriTemplate);
  const toolCall = fc
    .constantFrom(...tools)
    .chain(({ name, inputSchema }) => objectOf(inputSchema).map((given) => call(name, given)));
  const others = [
    { method: "resources/read", params: { uri: uris[0] ?? "siteframe://sites" } },
    { method: "prompts/get", params: { name: prompts[0]?.name ?? "x", arguments: { site: "101" } } },
    {
      method: "completion/complete",
      params: {
        ref: { type: "ref/prompt", name: prompts[0]?.name ?? "x" },
        argument: { name: "site", value: "H" },
        context: { arguments: {} },
      },
    },
    call("layers", { site: 101 }),
  ];
  const manyOf = (make) => Array.from({ length: 3000 }, (_, index) => make(index));
  return {
    corpus: [
      { name: "valid", input: { request: call("sites", {}) } },
      {
        name: "aging at 3,000 dates with 3,000 buckets",
        input: {
          request: call("aging", {
            ...tickets,
            open: ["OPEN"],
            buckets: manyOf((index) => index + 1),
            dates: manyOf(day),
          }),
        },
      },
      {
        name: "durations until 9999",
        input: {
          request: call("durations", { ...tickets, calendar: { timeZone: "Europe/Berlin" }, until: "9999-12-31" }),
        },
      },
    ],
    arbitrary: fc.oneof(
      { weight: 8, arbitrary: toolCall.map((request) => ({ request })) },
      {
        weight: 1,
        arbitrary: fc
          .constantFrom(...others)
          .chain((one) => damagedJson({ jsonrpc: "2.0", id: "ID", ...one }))
          .map((text) => ({ text })),
      },
    ),
    typed: (input) => JSON.stringify(input),
    start: () => startServer(snapshot),
  };
}

async function startServer(snapshot) {
  const child = spawn(process.execPath, [main, "mcp", "--snapshot", snapshot, "--timeout", "3"], { stdio: "pipe" });
  child.stdin.on("error", () => undefined);
  const output = watchOutput(child, ["stderr"]);
  const ended = once(child, "exit").then(([code, signal]) => `the server ended with ${signal ?? code}`);
  const waiting = new Map();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const answer = JSON.parse(line);
    waiting.get(answer.id)?.(answer);
  });
  let count = 0;
  const request = (one) => {
    count += 1;
    const id = count;
    const answer = new Promise((resolve) => waiting.set(id, resolve));
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...one })}\n`);
    return answer;
  };
  await Promise.race([
    request({
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "attack", version: "1" } },
    }),
    ended,
  ]);
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  await request(call("sites", {}));
  await request(call("counts", { ...tickets, dates: ["2024-01-05"] }));
  return {
    pid: child.pid,
    ended,
    output,
    request,
    async ask({ request: one, text }) {
      if (text !== undefined) {
        child.stdin.write(`${text.replaceAll("\n", " ").replace('"ID"', String(-1))}\n`);
        await request({ method: "ping" });
        return {};
      }
      const { result, error } = await request(one);
      const told = error ? JSON.stringify(error) : result.isError ? JSON.stringify(result) : "";
      return { messages: [told], problems: untypedProblems(told) };
    },
    stop() {
      child.kill("SIGKILL");
      return ended;
    },
  };
}
