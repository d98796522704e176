// Pages of a service: bodies, statuses and encodings that are not what the specification allows.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { apiKey, person } from "../canary.mjs";
import { damagedBytes, damagedJson } from "../mutations.mjs";
import { serveCases } from "../serve-cases.mjs";
import { startWorker } from "../worker-target.mjs";
import { world } from "../world.mjs";

const resources = Object.keys(world);
const calls = [
  ...resources,
  "site",
  "layer",
  "history",
  "records",
  "pages",
  "pull",
  "redacted pull",
  "plain pull, then redacted pull",
];

const page = (resource, data = world[resource]) => ({
  data,
  pagination: { page: 1, pageSize: 10_000, rowCount: data.length, pageCount: 1 },
});

/** What a call reads. */
const readBy = (call) =>
  resources.includes(call)
    ? [call]
    : call === "site"
      ? ["sites", "datasets"]
      : call.endsWith("pull")
        ? resources
        : resources.slice(3);

const encodings = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync, identity: (body) => body };

const input = fc
  .constantFrom(...calls)
  .chain((call) => fc.tuple(fc.constant(call), fc.constantFrom(...readBy(call))))
  .chain(([call, resource]) =>
    fc.record({
      call: fc.constant(call),
      resource: fc.constant(resource),
      body: fc.oneof(
        { weight: 8, arbitrary: damagedJson(page(resource)).map((text) => Buffer.from(text)) },
        { weight: 1, arbitrary: damagedBytes(Buffer.from(JSON.stringify(page(resource)))) },
        {
          weight: 1,
          arbitrary: fc.constantFrom(
            Buffer.alloc(0),
            Buffer.from("<html>"),
            Buffer.from([0xff, 0xfe]),
            Buffer.from("null"),
          ),
        },
      ),
      status: fc.oneof(
        { weight: 12, arbitrary: fc.constant(200) },
        fc.constantFrom(204, 206, 301, 400, 401, 404, 429, 500, 999),
      ),
      encoding: fc.oneof(
        { weight: 8, arbitrary: fc.constant("identity") },
        fc.constantFrom(...Object.keys(encodings), "zstd", "none such"),
      ),
      isEncoded: fc.boolean(),
      strict: fc.boolean(),
      redact: fc.boolean(),
    }),
  );

const plain = {
  call: "sites",
  resource: "sites",
  status: 200,
  encoding: "identity",
  isEncoded: false,
  strict: true,
  redact: false,
};
const contact = world.operations[0];
const answer = (more) => Buffer.from(typeof more === "string" ? more : JSON.stringify(more));
const { pagination } = page("operations");

const corpus = [
  { name: "valid", input: { ...plain, body: answer(page("sites")) } },
  ...[
    ["one record instead of a list", { data: contact, pagination }],
    ["a string as an id", { data: [{ ...contact, id: person.mail }], pagination }],
    ["pagination is a string", { data: [], pagination: `asked by ${person.name}` }],
    ["a person's object as a status", { data: [{ ...contact, status: { by: person.name } }], pagination }],
  ].map(([name, body]) => ({
    name,
    input: { ...plain, call: "operations", resource: "operations", redact: true, body: answer(body) },
  })),
  ...["[", '{"a":'].map((open) => {
    const [feature] = world.layerFeatures;
    const value = open.repeat(100_000) + (open === "[" ? "]".repeat(100_000) : `1${"}".repeat(100_000)}`);
    const body = JSON.stringify(page("layerFeatures", [{ ...feature, properties: { STATUS: "deep" } }])).replace(
      '"deep"',
      value,
    );
    return {
      name: `a value of 100,000 ${open}`,
      input: { ...plain, call: "history", resource: "layerFeatures", body: answer(body) },
    };
  }),
  {
    name: "a redacted pull into a folder that was pulled plain",
    input: {
      ...plain,
      ...{ call: "plain pull, then redacted pull", resource: "operations", body: answer(page("operations")) },
    },
  },
  {
    name: "a redacted pull",
    input: { ...plain, call: "redacted pull", resource: "operations", body: answer(page("operations")) },
  },
  {
    name: "300 MB of spaces in gzip",
    input: { ...plain, encoding: "gzip", isEncoded: true, body: gzipSync(Buffer.alloc(300e6, " ")) },
  },
];

export async function prepare(folder) {
  let current = corpus[0].input;
  const server = await serveCases((request, response) => {
    const name = new URL(request.url, "http://x").pathname.slice(1);
    if (name !== current.resource) {
      const filled = name === "propertyChanges" || world[name] ? page(name) : undefined;
      return response
        .writeHead(filled ? 200 : 404, { "content-type": "application/json" })
        .end(JSON.stringify(filled ?? {}));
    }
    const { status, body, encoding, isEncoded } = current;
    const encode = encodings[encoding] ?? ((bytes) => bytes);
    response.writeHead(status, {
      "content-type": "application/json",
      ...(encoding === "identity" ? {} : { "content-encoding": encoding }),
      ...(status === 301 ? { location: "http://127.0.0.1:1/elsewhere" } : {}),
    });
    response.end(isEncoded ? body : encode(body));
  });
  return {
    corpus,
    arbitrary: input,
    start: () =>
      startWorker("pages", { url: server.url, folder }, (given) => {
        current = given;
        const { body, ...call } = given;
        return { ...call, hasKey: body.includes(apiKey) };
      }),
    close: () => server.close(),
  };
}

export async function attack({ url, folder }) {
  const { connect, pull, show } = await import("../../../dist/index.js");
  const target = join(folder, "pulled.snapshot");
  const source = connect({ baseUrl: url, apiKey, showProgress: false });
  return async ({ call, strict, redact, hasKey }, { attempt, problem }) => {
    // A smaller limit than by default: a body beyond it is asked for again in smaller pages, five times.
    const options = { retries: 0, timeoutMs: 3000, maxBodyBytes: 50_000_000, strict, redact };
    const scope = { site_id: 101 };
    const params = {
      layerFeatures: scope,
      blocks: { operation_id: 201 },
      propertyChanges: { layer_feature_id: [501] },
    };
    if (call.endsWith("pull")) {
      rmSync(target, { recursive: true, force: true });
      const isRedacted = call !== "pull";
      if (call === "plain pull, then redacted pull")
        await attempt(() => pull(source, target, { ...options, redact: false }));
      const report = await attempt(() => pull(source, target, { ...options, redact: isRedacted }));
      // A pull that was refused leaves the folder as it was.
      for (let generation = report?.generation ?? 0; generation > 0; generation -= 1) {
        const people = await attempt(() => peopleIn(target, generation));
        if (isRedacted && people?.includes(person.mail))
          problem(`generation ${generation} of a redacted snapshot has a mail address`);
      }
      // A service that answers with the key as a value has its values stored.
      if (hasKey) return;
      for (const name of filesOf(target)) if (readFileSync(name).includes(apiKey)) problem(`the key is in ${name}`);
      return;
    }
    const read = await attempt(() => {
      switch (call) {
        case "site":
          return source.site("Harrow Moor", options);
        case "layer":
        case "layerFeatures":
          return source.layer(scope, options);
        case "history":
          return source.history(scope, options);
        case "records":
          return all(source.records("layerFeatures", scope, options));
        case "pages":
          return all(source.pages("propertyChanges", { layer_feature_id: [501, 502] }, options));
        default:
          return source.table(call, params[call] ?? {}, options);
      }
    });
    if (!read) return;
    if (call === "layer") {
      await attempt(() => read.toCSV());
      await attempt(() => read.describe());
      await attempt(() => show(read));
    } else if (call === "history") {
      await attempt(() => read.counts("STATUS", ["2024-01-05", "2024-02-05"]));
      await attempt(() => read.asOf("2024-02-01"));
      await attempt(() => read.changes());
    }
  };
}

/** The personal data in a generation. */
async function peopleIn(folder, generation) {
  const { openSnapshot } = await import("../../../dist/index.js");
  const snapshot = await openSnapshot(folder, { generation });
  try {
    return JSON.stringify((await snapshot.sql("SELECT contact_name, contact_mail, record FROM operations")).objects());
  } finally {
    await snapshot.close();
  }
}

async function all(rows) {
  const read = [];
  for await (const row of rows) {
    read.push(row);
    if (read.length > 10_000) break;
  }
  return read;
}

function filesOf(folder) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  } catch {
    return [];
  }
}
