import { spawn } from "node:child_process";
import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { cpSync, readdirSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import {
  ApiError,
  ArgumentError,
  AuthError,
  connect,
  fromRecords,
  NetworkError,
  openSnapshot,
  pull,
  type Snapshot,
  SnapshotError,
  type Source,
} from "../../../src/index.js";
import { startService } from "../../../src/service/start-service.js";
import { openStore } from "../../../src/snapshot/serve/open-store.js";
import { writeSample } from "../../support/asked-sample.js";
import { findPython } from "../../support/python.js";
import { change, dataset, feature } from "../../support/records.js";
import { site } from "../moving-service.js";
import { pruneLater } from "../prune-later.js";
import { sameAnswers } from "../same-answers.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();
const sample = join(folder, "sample.snapshot");
let caches = 0;
/** A folder of its own, so that nothing was fetched before. */
const newCache = () => join(folder, `cache-${++caches}`);
const tables = [
  "sites",
  "operations",
  "blocks",
  "datasets",
  "property_definitions",
  "layer_features",
  "property_changes",
  "gone_features",
];

/** What was asked for, and what is answered in place of a file. */
interface Web extends AsyncDisposable {
  readonly url: string;
  readonly asked: string[];
  readonly requests: IncomingMessage[];
  /** Answers a request itself, or leaves it. */
  instead: (path: string, response: ServerResponse, request: IncomingMessage) => boolean;
}

async function serve(root: string): Promise<Web> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname).slice(1);
    web.requests.push(request);
    if (web.instead(path, response, request)) return;
    const found = statSync(join(root, path), { throwIfNoEntry: false });
    if (!found?.isFile()) {
      response.writeHead(404).end("<h1>Not found</h1>");
      return;
    }
    web.asked.push(path);
    response.end(readFileSync(join(root, path)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const web: Web = {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    asked: [],
    requests: [],
    instead: () => false,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return web;
}

let web: Web;
let local: Snapshot;

beforeAll(async () => {
  await writeSample(sample, { features: 1000 });
  web = await serve(folder);
  local = await openSnapshot(sample);
});
afterEach(() => {
  web.instead = () => false;
  web.asked.length = 0;
  web.requests.length = 0;
  vi.unstubAllEnvs();
});
afterAll(async () => {
  await local.close();
  await web[Symbol.asyncDispose]();
});

const open: Snapshot[] = [];
/** Closed when the test is over. */
async function opened(opening: Promise<Snapshot>): Promise<Snapshot> {
  const snapshot = await opening;
  open.push(snapshot);
  return snapshot;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((snapshot) => snapshot.close()));
});

const openSample = (options = {}) =>
  openSnapshot(`${web.url}/sample.snapshot`, { cache: newCache(), retries: 0, ...options });

describe("a snapshot that lies elsewhere answers like the live API", () => {
  let live: Source;
  let offline: Snapshot;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    const store = await openStore(sample);
    const service = await startService({ store, apiKeys: [{ key: "k" }] });
    live = connect({ baseUrl: service.url, apiKey: "k" });
    offline = await openSample();
    stop = async () => {
      await service.close();
      await store.close();
    };
  });
  afterAll(async () => {
    await offline.close();
    await live.close();
    await stop();
  });
  sameAnswers(() => ({ live, offline }));
});

describe("what is fetched", () => {
  it("is what is needed, and once", async () => {
    const cache = newCache();
    const address = `${web.url}/sample.snapshot/`;
    const asked = () => web.asked.splice(0).map((path) => path.replace("sample.snapshot/", ""));
    const ofSite = (paths: readonly string[]) => new Set(paths.map((path) => path.replace(/part-.*/, "")));
    {
      const snapshot = await opened(openSnapshot(address, { cache }));
      expect(asked()).toEqual(["manifest.json"]);
      expect(snapshot.origin.name).toBe(address.slice(0, -1));
      const layer = await snapshot.layer({ site_id: 102 });
      expect(ofSite(asked())).toEqual(
        new Set([
          "files/columns/datasets/",
          "files/columns/layer_features/site_id=102/",
          "files/columns/property_definitions/",
        ]),
      );
      await layer.history();
      expect(ofSite(asked())).toEqual(new Set(["files/columns/property_changes/site_id=102/"]));
      await snapshot.sql("SELECT name FROM sites");
      expect(ofSite(asked())).toEqual(new Set(["files/sites/"]));
      await snapshot.sql("SELECT max(id) FROM layer_features WHERE site_id = 103");
      expect(ofSite(asked())).toEqual(new Set(["files/layer_features/site_id=103/"]));
      await snapshot.sql("SELECT max(id) FROM layer_features");
      const rest = ofSite(asked());
      expect(rest.has("files/layer_features/site_id=103/")).toBe(false);
      expect(rest.has("files/layer_features/site_id=101/")).toBe(true);
    }
    const again = await opened(openSnapshot(address, { cache }));
    await (await again.layer({ site_id: 102 })).history();
    await again.sql("SELECT max(id) FROM layer_features");
    expect(asked()).toEqual(["manifest.json"]);
  });

  it("is fetched once where several ask at the same time", async () => {
    const snapshot = await opened(openSample());
    const asked = await Promise.all(
      Array.from({ length: 8 }, (_, index) => (index % 2 ? snapshot.sites() : snapshot.layer({ site_id: 1 }))),
    );
    expect(asked).toHaveLength(8);
    expect(web.asked).toEqual([...new Set(web.asked)]);
  });

  it("is the same table before and behind", async () => {
    const snapshot = await opened(openSample());
    const columns = async (from: Snapshot, table: string) =>
      (await from.sql(`SELECT column_name, column_type FROM (DESCRIBE ${table})`)).objects();
    for (const table of tables) expect(await columns(snapshot, table), table).toEqual(await columns(local, table));
    expect(web.asked.filter((path) => path.endsWith(".parquet"))).toEqual([]);
    for (const table of tables) {
      const query = `SELECT * FROM ${table} ORDER BY ALL`;
      expect((await snapshot.sql(query)).objects(), table).toEqual((await local.sql(query)).objects());
      expect(await columns(snapshot, table), table).toEqual(await columns(local, table));
    }
  });

  it.each([
    "FROM (SHOW TABLES)",
    "SELECT count(*) FROM TRENCHES",
    "SELECT site_id, count(*), min(id), max(value) FROM property_changes WHERE site_id IN (101, 103) GROUP BY ALL ORDER BY ALL",
    "SELECT * FROM PUNCH_LIST_ITEMS_AT('2025-06-30') ORDER BY id",
    "SELECT s.name, count(f.id) FROM sites s LEFT JOIN layer_features f ON f.site_id = s.id GROUP BY ALL ORDER BY ALL",
    "SELECT count(*) FROM layer_features WHERE site_id = (SELECT max(id) FROM sites)",
    "SELECT count(*) FROM layer_features WHERE site_id IS NULL",
    "SELECT id FROM layer_features LIMIT 3",
    "SELECT site_id, min(row), max(row) FROM property_changes GROUP BY ALL ORDER BY ALL",
  ])("answers %s", async (query) => {
    const snapshot = await openSample();
    expect((await snapshot.sql(query)).objects()).toEqual((await local.sql(query)).objects());
    await snapshot.close();
  });

  it("answers in a sandbox, which fetches nothing itself", async () => {
    const snapshot = await opened(openSample());
    for (const query of [
      "SELECT * FROM PUNCH_LIST_ITEMS_AT('2025-06-30') ORDER BY id",
      "SELECT site_id, count(*) FROM layer_features GROUP BY ALL ORDER BY ALL",
    ]) {
      const expected = (await local.sql(query)).objects();
      expect((await snapshot.sql(query, { sandbox: true })).objects()).toEqual(expected);
    }
  });

  it("answers questions on the engine", async () => {
    const snapshot = await opened(openSample());
    const [here, there] = await Promise.all(
      [local, snapshot].map((each) => each.questions({ semantic_type: "PUNCH_LIST_ITEMS" })),
    );
    for (const ask of [here, there]) expect((await ask?.asOf("2025-06-30"))?.numRows()).toBeGreaterThan(0);
    expect((await there?.asOf("2025-06-30"))?.objects()).toEqual((await here?.asOf("2025-06-30"))?.objects());
    expect((await there?.changes())?.objects()).toEqual((await here?.changes())?.objects());
    await Promise.all([here?.close(), there?.close()]);
  });

  it("is kept from other users of the machine, and removed when nobody reads it any more", async () => {
    const cache = newCache();
    const first = await opened(openSnapshot(`${web.url}/sample.snapshot`, { cache }));
    await first.sites();
    const [name] = readdirSync(cache);
    const own = join(cache, String(name));
    if (process.platform !== "win32") expect(statSync(own).mode & 0o077).toBe(0);
    const old = join(own, "files", "columns", "sites", "part-0123456789abcdef.columns");
    writeFileSync(old, "old");
    utimesSync(old, 1, 1);
    writeFileSync(`${old}.new`, "new");
    const second = await opened(openSnapshot(`${web.url}/sample.snapshot`, { cache }));
    expect(readdirSync(join(own, "files", "columns", "sites"))).not.toContain("part-0123456789abcdef.columns");
    expect(readdirSync(join(own, "files", "columns", "sites"))).toContain("part-0123456789abcdef.columns.new");
    expect((await second.sites()).numRows()).toBe((await first.sites()).numRows());
  });

  it("is fetched anew where it was cut short on the disk", async () => {
    const cache = newCache();
    {
      const first = await opened(openSnapshot(`${web.url}/sample.snapshot`, { cache }));
      await first.sites();
    }
    const [name] = readdirSync(cache);
    const own = join(cache, String(name), "files", "columns", "sites");
    truncateSync(join(own, String(readdirSync(own)[0])), 10);
    const again = await opened(openSnapshot(`${web.url}/sample.snapshot`, { cache }));
    expect((await again.sites()).objects()).toEqual((await local.sites()).objects());
  });
});

describe("files that the server sends coded", () => {
  const codings: Readonly<Record<string, (body: Buffer) => Buffer>> = {
    gzip: gzipSync,
    "X-GZIP": gzipSync,
    br: brotliCompressSync,
    deflate: deflateSync,
    "gzip, br": (body) => brotliCompressSync(gzipSync(body)),
    "identity, gzip": gzipSync,
    "aws-chunked": (body) => body,
  };
  const send = (coding: string, change: (body: Buffer) => Buffer, files = /./) => {
    web.instead = (path, response) => {
      if (!files.test(path)) return false;
      response.writeHead(200, { "content-encoding": coding }).end(change(readFileSync(join(folder, path))));
      return true;
    };
  };

  it.each(Object.entries(codings))("are decoded: %s", async (coding, encode) => {
    send(coding, encode);
    const snapshot = await opened(openSample());
    const query = "SELECT * FROM layer_features ORDER BY ALL";
    expect((await snapshot.sites()).objects()).toEqual((await local.sites()).objects());
    expect((await snapshot.sql(query)).objects()).toEqual((await local.sql(query)).objects());
  });

  it.each([["manifest.json"], ["files/columns/sites/"]])(
    "are errors if the coding of %s is unknown or wrong",
    async (path) => {
      const read = async () => (await opened(openSample())).sites();
      const files = new RegExp(path);
      send("zstd", (body) => body, files);
      await expect(read()).rejects.toMatchObject({
        name: "NetworkError",
        message: expect.stringContaining('unknown content coding "zstd"'),
      });
      send("gzip", (body) => body, files);
      await expect(read()).rejects.toBeInstanceOf(NetworkError);
      send("gzip", (body) => gzipSync(body).subarray(0, 50), files);
      await expect(read()).rejects.toBeInstanceOf(NetworkError);
    },
  );

  it("are given up as soon as they are longer than the manifest says", async () => {
    const snapshot = await opened(openSample());
    send("gzip", (body) => gzipSync(Buffer.alloc(body.length + 100_000_000)), /columns\/sites\//);
    await expect(snapshot.sites()).rejects.toThrow(/has more than the \d+ bytes that the manifest says/);
  });
});

const python = findPython("http.server");

it.skipIf(!python)("is read from Python's http.server, which closes each connection", async () => {
  const code = `import http.server as h, sys
s = h.ThreadingHTTPServer(("127.0.0.1", 0), h.SimpleHTTPRequestHandler)
print(s.server_port, flush=True)
s.serve_forever()`;
  const server = spawn(python?.program ?? "", ["-c", code], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
  try {
    const [port] = await once(server.stdout, "data");
    for (let round = 0; round < 5; round += 1) {
      const address = `http://127.0.0.1:${String(port).trim()}/sample.snapshot`;
      const snapshot = await opened(openSnapshot(address, { cache: newCache(), retries: 0 }));
      const query = "SELECT count(*) AS n FROM layer_features";
      expect((await snapshot.sql(query)).objects()).toEqual((await local.sql(query)).objects());
    }
  } finally {
    server.kill();
    await once(server, "exit");
  }
});

describe("a state that changes", () => {
  const records = (status: string) =>
    fromRecords({
      sites: [site(1)],
      datasets: [dataset(1, { site_id: 1 })],
      layerFeatures: [1, 2].map((id) => feature(id, { site_id: 1, properties: { STATUS: status } })),
      propertyChanges: [change(1)],
    });

  it("is noticed at the next opening, and where files of the one that is read are gone", async () => {
    const path = join(folder, "moving.snapshot");
    const address = `${web.url}/moving.snapshot`;
    const cache = newCache();
    await pull(records("OPEN"), path);
    const first = await opened(openSnapshot(address, { cache }));
    const held = await opened(openSnapshot(address, { cache: newCache() }));
    const status = async (from: Snapshot) => (await from.layer({ site_id: 1 })).table.array("STATUS");
    expect(await status(first)).toEqual(["OPEN", "OPEN"]);
    await pull(records("DONE"), path);
    expect(await status(held)).toEqual(["OPEN", "OPEN"]);
    const second = await opened(openSnapshot(address, { cache }));
    expect([first.generation, second.generation]).toEqual([1, 2]);
    expect(await status(second)).toEqual(["DONE", "DONE"]);
    expect(await status(first)).toEqual(["OPEN", "OPEN"]);
    const earlier = await opened(openSnapshot(address, { generation: 1, cache: newCache() }));
    expect(await status(earlier)).toEqual(["OPEN", "OPEN"]);
    await expect(openSnapshot(address, { generation: 7, cache })).rejects.toThrow(/holds no generation 7/);
    const late = await opened(openSnapshot(address, { generation: 1, cache: newCache() }));
    await pruneLater(path, 1);
    await expect(late.layer({ site_id: 1 })).rejects.toThrow(
      /has generation 2 now, and files of generation 1, which you read, are gone/,
    );
  });
});

describe("a server that", () => {
  const first = (change: (response: ServerResponse, body: Buffer) => void, path = /columns\/sites\//) => {
    web.instead = (asked, response) => {
      if (!path.test(asked)) return false;
      change(response, readFileSync(join(folder, asked)));
      return true;
    };
  };

  it("gives something else of the same length", async () => {
    const snapshot = await opened(openSample());
    first((response, body) => response.end(Buffer.alloc(body.length)));
    await expect(snapshot.sites()).rejects.toThrow(/is not what the manifest says: its sha256 is another one/);
    await expect(snapshot.sites()).rejects.toBeInstanceOf(SnapshotError);
    web.instead = () => false;
    expect((await snapshot.sites()).objects()).toEqual((await local.sites()).objects());
  });

  it("gives more, without end", async () => {
    const snapshot = await opened(openSample());
    first((response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(100_000)));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    });
    await expect(snapshot.sites()).rejects.toThrow(/has more than the \d+ bytes that the manifest says/);
  });

  it("cuts off", async () => {
    const snapshot = await opened(openSample());
    first((response, body) => response.end(body.subarray(0, 100)));
    await expect(snapshot.sites()).rejects.toThrow(/brought no whole file: it ended after 100 of \d+ bytes/);
    first((response, body) => {
      response.writeHead(200, { "content-length": body.length }).write(body.subarray(0, 100), () => response.destroy());
    });
    const error = await snapshot.sites().catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(NetworkError);
  });

  it("is silent, or slow", async () => {
    const snapshot = await opened(openSample({ timeoutMs: 2000 }));
    first(() => {});
    await expect(snapshot.sites()).rejects.toBeInstanceOf(NetworkError);
    first((response, body) => {
      response.writeHead(200, { "content-length": body.length });
      let sent = 0;
      const timer = setInterval(() => {
        if (response.destroyed) clearInterval(timer);
        else response.write(body.subarray(sent, ++sent));
      }, 20);
    });
    const error = await snapshot.sites().catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(NetworkError);
    expect(String(error)).toMatch(/did not come within 2000 ms, and 16 kB a second/);
  });

  it("fails at first is asked again", async () => {
    const snapshot = await opened(openSample({ retries: 2 }));
    let failures = 2;
    web.instead = (path, response) => {
      if (!path.includes("columns/sites/") || failures-- <= 0) return false;
      response.writeHead(503, { "retry-after": "0" }).end();
      return true;
    };
    expect((await snapshot.sites()).numRows()).toBe((await local.sites()).numRows());
  });

  it("refuses", async () => {
    web.instead = (_, response) => Boolean(response.writeHead(401).end());
    await expect(openSample()).rejects.toBeInstanceOf(AuthError);
    web.instead = (_, response) => Boolean(response.writeHead(403).end());
    const refused = await openSample().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ApiError);
    expect(String(refused)).toMatch(/was answered 403\. Give what lets you in as the option headers/);
    web.instead = (_, response) => Boolean(response.writeHead(503, { "retry-after": "3600" }).end());
    await expect(openSample()).rejects.toMatchObject({
      hint: "It asks to be left alone for 60 minutes. Ask again then.",
      facts: { status: 503, attempts: 1, retryAfterMs: 3_600_000 },
    });
    web.instead = (_, response) =>
      Boolean(response.writeHead(302, { location: "https://elsewhere.example.com/x" }).end());
    await expect(openSample()).rejects.toMatchObject({
      hint: expect.stringMatching(
        /not followed, because the key would travel with them\. It points to https:\/\/elsewhere\.example\.com/,
      ),
    });
  });

  it("lets in who gives headers", async () => {
    web.instead = (_, response, { headers }) =>
      headers.authorization !== "Bearer abc" && Boolean(response.writeHead(401).end());
    const snapshot = await opened(openSample({ headers: { authorization: "Bearer abc" } }));
    expect((await snapshot.sites()).numRows()).toBeGreaterThan(0);
  });

  it("has no snapshot, or a page for people", async () => {
    await expect(openSnapshot(`${web.url}/none`, { cache: newCache() })).rejects.toThrow(
      /There is no snapshot at http.*: manifest\.json is not there/,
    );
    web.instead = (_, response) => Boolean(response.end("<!doctype html><p>Welcome</p>"));
    await expect(openSample()).rejects.toThrow(/There is no snapshot at http.*: manifest\.json is an HTML page/);
  });

  it("is not there", async () => {
    await expect(openSnapshot("http://127.0.0.1:9/x", { cache: newCache(), retries: 0 })).rejects.toBeInstanceOf(
      NetworkError,
    );
  });

  it("lacks a file", async () => {
    const snapshot = await opened(openSample());
    web.instead = (path, response) => path.includes("columns/sites/") && Boolean(response.writeHead(404).end());
    await expect(snapshot.sites()).rejects.toThrow(/columns\/sites\/part-\w+\.columns is missing/);
  });
});

it.each<[string, (snapshot: Snapshot, controller: AbortController) => unknown, string]>([
  ["it is closed", (snapshot) => snapshot.close(), "was closed"],
  ["its signal is aborted", (_, controller) => controller.abort(new Error("enough")), "enough"],
])("ends what is under way when %s", async (_, end, message) => {
  const snapshot = await openSample();
  const controller = new AbortController();
  web.instead = (path) => {
    const isHeld = path.includes("columns/");
    if (isHeld) void end(snapshot, controller);
    return isHeld;
  };
  await expect(snapshot.sites({}, { signal: controller.signal })).rejects.toThrow(message);
  await snapshot.close();
});

it.each([
  ["https://ada:secret@example.com/x", /holds a user name or password/],
  ["https://example.com/x?sig=secret", /holds a query or fragment/],
  ["ftp://example.com/x", /is "ftp:", not https:, http: or s3:/],
  ["gs://bucket/x", /is "gs:", not https:, http: or s3:/],
  ["s3://Bucket_/x", /is no name of a bucket/],
  ["s3://bucket/50%", /has a % that begins no character/],
])("refuses %s and repeats no secret", async (address, message) => {
  const error = await openSnapshot(address, { cache: newCache() }).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(ArgumentError);
  expect(String(error)).toMatch(message);
  expect(JSON.stringify([String(error), (error as ArgumentError).facts])).not.toContain("secret");
});

it("refuses options of addresses for a folder, and headers for S3", async () => {
  await expect(openSnapshot(sample, { cache: folder })).rejects.toThrow(/cache mean nothing for a folder/);
  await expect(openSnapshot("s3://bucket/x", { headers: { a: "b" }, cache: newCache() })).rejects.toThrow(
    /headers are not sent to S3/,
  );
});

it("says where an address is taken and where it is not", async () => {
  const { verifySnapshot } = await import("../../../src/index.js");
  await expect(verifySnapshot(`${web.url}/sample.snapshot`)).rejects.toMatchObject({
    hint: expect.stringContaining("openSnapshot(), siteframe sql and siteframe mcp take an address"),
  });
});

it("opens file: addresses", async () => {
  const snapshot = await opened(openSnapshot(new URL(`file://${sample}`).href));
  expect((await snapshot.sites()).numRows()).toBeGreaterThan(0);
});

describe("S3", () => {
  const secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

  /** The signature of a request as its server works it out. */
  function isSigned({ headers, method, url = "" }: IncomingMessage): boolean {
    const [, date, region, signed, signature] =
      /Credential=AKIDEXAMPLE\/(\d+)\/([\w-]+)\/s3\/aws4_request, ?SignedHeaders=([\w;-]+), ?Signature=(\w+)/.exec(
        headers.authorization ?? "",
      ) ?? [];
    const names = (signed ?? "").split(";");
    if (!["host", "x-amz-content-sha256", "x-amz-date", "x-amz-security-token"].every((name) => names.includes(name))) {
      return false;
    }
    const encoded = decodeURIComponent(url)
      .split("/")
      .map((part) => encodeURIComponent(part))
      .join("/");
    const canonical = [
      method,
      encoded,
      "",
      ...names.map((name) => `${name}:${headers[name]}`),
      "",
      signed,
      headers["x-amz-content-sha256"],
    ].join("\n");
    const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
    const key = [String(region), "s3", "aws4_request"].reduce<Buffer>(hmac, hmac(`AWS4${secret}`, String(date)));
    const scope = `${date}/${region}/s3/aws4_request`;
    const toSign = [
      "AWS4-HMAC-SHA256",
      headers["x-amz-date"],
      scope,
      createHash("sha256").update(canonical).digest("hex"),
    ];
    return hmac(key, toSign.join("\n")).toString("hex") === signature;
  }

  it("is asked with signed requests", async () => {
    cpSync(sample, join(folder, "bucket.of-acme", "past", "sample.snapshot"), { recursive: true });
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", secret);
    vi.stubEnv("AWS_SESSION_TOKEN", "token/+=");
    vi.stubEnv("AWS_REGION", "eu-central-1");
    vi.stubEnv("AWS_ENDPOINT_URL", web.url);
    const snapshot = await opened(openSnapshot("s3://bucket.of-acme/past/sample.snapshot", { cache: newCache() }));
    expect((await snapshot.layer({ site_id: 101 })).rowCount).toBe((await local.layer({ site_id: 101 })).rowCount);
    expect(snapshot.origin.name).toBe("s3://bucket.of-acme/past/sample.snapshot");
    expect(web.requests.length).toBeGreaterThan(3);
    expect(web.requests.filter((request) => !isSigned(request)).map(({ url }) => url)).toEqual([]);
    expect(web.requests.some(({ url }) => url?.includes("site_id"))).toBe(true);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "wrong");
    web.requests.length = 0;
    const other = await opened(openSnapshot("s3://bucket.of-acme/past/sample.snapshot", { cache: newCache() }));
    expect(other.generation).toBe(1);
    expect(web.requests.some(isSigned)).toBe(false);
  });

  it("is asked without a signature where there are no credentials, and profiles need their package", async () => {
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"]) vi.stubEnv(name, "");
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", join(folder, "none"));
    vi.stubEnv("AWS_ENDPOINT_URL", web.url);
    cpSync(sample, join(folder, "public", "sample.snapshot"), { recursive: true });
    const snapshot = await opened(openSnapshot("s3://public/sample.snapshot", { cache: newCache() }));
    expect(snapshot.generation).toBe(1);
    expect(web.requests.every(({ headers }) => headers.authorization === undefined)).toBe(true);
    vi.stubEnv("AWS_PROFILE", "acme");
    await expect(openSnapshot("s3://public/sample.snapshot", { cache: newCache() })).rejects.toThrow(
      /profiles of AWS need @aws-sdk\/credential-provider-node/,
    );
  });
});
