// Answers of a server that speaks Trino's protocol.
import fc from "fast-check";
import { apiKey, person } from "../canary.mjs";
import { damagedBytes, damagedJson } from "../mutations.mjs";
import { serveCases } from "../serve-cases.mjs";
import { startWorker } from "../worker-target.mjs";

const columns = [
  { name: "id", type: "bigint", typeSignature: { rawType: "bigint", arguments: [] } },
  { name: "name", type: "varchar", typeSignature: { rawType: "varchar", arguments: [] } },
];
const pages = [
  { id: "q1", infoUri: "NEXT", nextUri: "NEXT", stats: { state: "QUEUED" } },
  {
    id: "q1",
    infoUri: "NEXT",
    nextUri: "NEXT",
    columns,
    data: [
      [1, person.name],
      [2, person.mail],
    ],
    stats: { state: "RUNNING" },
  },
  { id: "q1", infoUri: "NEXT", columns, data: [[3, "x"]], stats: { state: "FINISHED" } },
];
const failure = {
  id: "q1",
  stats: { state: "FAILED" },
  error: {
    message: `Cannot cast '${person.name}' to BIGINT`,
    errorCode: 1,
    errorName: "INVALID_CAST_ARGUMENT",
    errorType: "USER_ERROR",
    failureInfo: { type: "x", message: person.mail },
  },
};

const page = fc.oneof(...[...pages, failure].map((one) => damagedJson(one)));
const input = fc.record({
  answers: fc.array(
    fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...pages).map((one) => JSON.stringify(one)) },
      { weight: 5, arbitrary: page },
      { weight: 1, arbitrary: damagedBytes(Buffer.from(JSON.stringify(pages[1]))).map(String) },
    ),
    { minLength: 1, maxLength: 5 },
  ),
  status: fc.oneof(
    { weight: 10, arbitrary: fc.constant(200) },
    fc.constantFrom(204, 302, 400, 401, 429, 500, 502, 503),
  ),
  isEndless: fc.nat(5).map((number) => number === 0),
});

const given = (name, answers, more = {}) => ({
  name,
  input: {
    answers: answers.map((one) => (typeof one === "string" ? one : JSON.stringify(one))),
    status: 200,
    isEndless: false,
    ...more,
  },
});

export async function prepare() {
  let current;
  let asked = 0;
  const server = await serveCases((request, response) => {
    if (request.method === "DELETE") return response.writeHead(204).end();
    const { answers, status, isEndless } = current;
    const index = isEndless ? asked % answers.length : Math.min(asked, answers.length - 1);
    asked += 1;
    const next = `http://${request.headers.host}/v1/statement/executing/q1/${asked}`;
    response
      .writeHead(status, { "content-type": "application/json", location: next })
      .end(answers[index].replaceAll("NEXT", next));
  });
  return {
    corpus: [
      given("valid", pages),
      given("a failure that quotes a person", [pages[0], failure]),
      given("endless empty pages", [pages[0]], { isEndless: true }),
      given("endless rows", [pages[1]], { isEndless: true }),
      given("endless pages with empty rows", [{ ...pages[1], data: [] }], { isEndless: true }),
    ],
    arbitrary: input,
    start: () =>
      startWorker("trino", { url: server.url }, (one) => {
        [current, asked] = [one, 0];
        return {};
      }),
    close: () => server.close(),
  };
}

export async function attack({ url }) {
  const { trino } = await import("../../../dist/index.js");
  return async (_input, { attempt }) => {
    const engine = trino({
      server: url,
      catalog: "hive",
      schema: "sites",
      user: "attack",
      auth: undefined,
      retries: 0,
      timeoutMs: 2000,
      queryTimeoutMs: 2000,
    });
    try {
      await attempt(async () => {
        let rows = 0;
        // The caller decides how many rows to read, but not how many empty answers arrive.
        for await (const part of engine.query(`SELECT '${apiKey.length}'`)) {
          rows += part.rows?.length ?? part.rowCount ?? 1;
          if (rows > 10_000) break;
        }
      });
    } finally {
      await engine.close();
    }
  };
}
