import { spawn } from "node:child_process";
import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import {
  ArgumentError,
  AuthError,
  fromRecords,
  NetworkError,
  type OpenSnapshotOptions,
  openSnapshot,
  pull,
  type Snapshot,
  SnapshotError,
  verifySnapshot,
} from "../../../src/index.js";
import { tableSchemas } from "../../../src/snapshot/format/table-schema.js";
import { writeSample } from "../../support/asked-sample.js";
import { findPython } from "../../support/python.js";
import { change, dataset, feature } from "../../support/records.js";
import { site } from "../moving-service.js";
import { openedSnapshot } from "../opened-snapshot.js";
import { pruneLater } from "../prune-later.js";
import { sameAnswers } from "../same-answers.js";
import { type ServedFolder, serveFolder } from "../serve-folder.js";
import { temporaryFolder, temporaryPaths } from "../temporary-folder.js";

const folder = temporaryFolder();
const sample = join(folder, "sample.snapshot");
/** A new folder, so that nothing was fetched before. */
const newCache = temporaryPaths(folder);
let web: ServedFolder;
let local: Snapshot;

beforeAll(async () => {
  await writeSample(sample, { features: 1000 });
  web = await serveFolder(folder);
  local = await openSnapshot(sample);
  return async () => {
    await local.close();
    await web[Symbol.asyncDispose]();
  };
});
afterEach(() => {
  web.instead = () => false;
  web.sent.length = 0;
  web.requests.length = 0;
  vi.unstubAllEnvs();
});
const addressOf = (name: string) => `${web.url}/${name}.snapshot`;
const openSample = (options: OpenSnapshotOptions = {}) =>
  openedSnapshot(addressOf("sample"), { cacheDirectory: newCache(), retries: 0, ...options });

describe("a remote snapshot returns the same as the live API", () => {
  sameAnswers(async (live) => {
    await pull(live, join(folder, "pulled.snapshot"));
    return openSnapshot(addressOf("pulled"), { cacheDirectory: newCache() });
  });
});

describe("the fetched files", () => {
  it("are the needed files, once", async () => {
    const cache = newCache();
    const address = `${addressOf("sample")}/`;
    /** The folders of the files that were sent since the last call. */
    const folders = () =>
      [...new Set(web.sent.splice(0).map((path) => path.replace(/^sample\.snapshot\/|part-.*/g, "")))].sort();
    const snapshot = await openedSnapshot(address, { cacheDirectory: cache });
    expect(folders()).toEqual(["manifest.json"]);
    expect(snapshot.origin.name).toBe(address.slice(0, -1));
    const layer = await snapshot.layer({ site_id: 102 });
    expect(folders()).toEqual([
      "files/columns/datasets/",
      "files/columns/layer_features/site_id=102/",
      "files/columns/property_definitions/",
    ]);
    await layer.history();
    expect(folders()).toEqual(["files/columns/property_changes/site_id=102/"]);
    await snapshot.sql("SELECT name FROM sites");
    expect(folders()).toEqual(["files/sites/"]);
    await snapshot.sql("SELECT max(id) FROM layer_features WHERE site_id = 103");
    expect(folders()).toEqual(["files/layer_features/site_id=103/"]);
    await snapshot.sql("SELECT max(id) FROM layer_features");
    const rest = folders();
    expect(rest).not.toContain("files/layer_features/site_id=103/");
    expect(rest).toContain("files/layer_features/site_id=101/");
    const again = await openedSnapshot(address, { cacheDirectory: cache });
    await (await again.layer({ site_id: 102 })).history();
    await again.sql("SELECT max(id) FROM layer_features");
    expect(folders()).toEqual(["manifest.json"]);
  });

  it("are fetched once for concurrent reads", async () => {
    const snapshot = await openSample();
    await Promise.all([1, 2, 3, 4].flatMap(() => [snapshot.sites(), snapshot.layer({ site_id: 101 })]));
    expect(web.sent).toEqual([...new Set(web.sent)]);
  });

  it("have tables with the same columns before and after", async () => {
    const snapshot = await openSample();
    const tables = tableSchemas.map(({ name }) => name);
    const columns = async (from: Snapshot, table: string) =>
      (await from.sql(`SELECT column_name, column_type FROM (DESCRIBE ${table})`)).objects();
    for (const table of tables) expect(await columns(snapshot, table), table).toEqual(await columns(local, table));
    expect(web.sent.filter((path) => path.endsWith(".parquet"))).toEqual([]);
    for (const table of tables) {
      const query = `SELECT * FROM ${table} ORDER BY ALL`;
      expect((await snapshot.sql(query)).objects(), table).toEqual((await local.sql(query)).objects());
      expect(await columns(snapshot, table), table).toEqual(await columns(local, table));
    }
  });

  it.each([
    "FROM (SHOW TABLES)",
    "SELECT site_id, count(*), min(id), max(value) FROM property_changes WHERE site_id IN (101, 103) GROUP BY ALL ORDER BY ALL",
    "SELECT * FROM PUNCH_LIST_ITEMS_AT('2025-06-30') ORDER BY id",
    "SELECT s.name, count(f.id) FROM sites s LEFT JOIN layer_features f ON f.site_id = s.id GROUP BY ALL ORDER BY ALL",
    "SELECT count(*) FROM layer_features WHERE site_id = (SELECT max(id) FROM sites)",
    "SELECT count(*) FROM layer_features WHERE site_id IS NULL",
    "SELECT id FROM layer_features LIMIT 3",
    "SELECT site_id, min(row), max(row) FROM property_changes GROUP BY ALL ORDER BY ALL",
  ])("are enough for %s", async (query) => {
    const snapshot = await openSample();
    expect((await snapshot.sql(query)).objects()).toEqual((await local.sql(query)).objects());
  });

  it("are enough for a sandbox, which fetches nothing itself", async () => {
    const snapshot = await openSample();
    for (const query of [
      "SELECT * FROM PUNCH_LIST_ITEMS_AT('2025-06-30') ORDER BY id",
      "SELECT site_id, count(*) FROM layer_features GROUP BY ALL ORDER BY ALL",
    ]) {
      const expected = (await local.sql(query)).objects();
      expect((await snapshot.sql(query, { sandbox: true })).objects()).toEqual(expected);
    }
  });

  it("are enough for questions on an engine", async () => {
    const [expected, found] = await Promise.all(
      [local, await openSample()].map(async (snapshot) => {
        await using questions = await snapshot.lazyHistory({ semantic_type: "PUNCH_LIST_ITEMS" });
        return [(await questions.asOf("2025-06-30")).objects(), (await questions.changes()).objects()] as const;
      }),
    );
    expect(expected?.[0].length).toBeGreaterThan(0);
    expect(found).toEqual(expected);
  });

  it("are private to the user, and removed when they are no longer read", async () => {
    const cache = newCache();
    const first = await openSample({ cacheDirectory: cache });
    await first.sites();
    const own = join(cache, String(readdirSync(cache)[0]));
    if (process.platform !== "win32") expect(statSync(own).mode & 0o077).toBe(0);
    const old = join(own, "files", "columns", "sites", "part-0123456789abcdef.columns");
    writeFileSync(old, "old");
    utimesSync(old, 1, 1);
    writeFileSync(`${old}.new`, "new");
    const second = await openSample({ cacheDirectory: cache });
    expect([existsSync(old), existsSync(`${old}.new`)]).toEqual([false, true]);
    expect((await second.sites()).numRows()).toBe((await first.sites()).numRows());
  });

  it("are fetched again if they were cut on the disk", async () => {
    const cache = newCache();
    await (await openSample({ cacheDirectory: cache })).sites();
    const own = join(cache, String(readdirSync(cache)[0]), "files", "columns", "sites");
    truncateSync(join(own, String(readdirSync(own)[0])), 10);
    const again = await openSample({ cacheDirectory: cache });
    expect((await again.sites()).objects()).toEqual((await local.sites()).objects());
  });
});

describe("files with a content coding", () => {
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
    const snapshot = await openSample();
    const query = "SELECT * FROM layer_features ORDER BY ALL";
    expect((await snapshot.sites()).objects()).toEqual((await local.sites()).objects());
    expect((await snapshot.sql(query)).objects()).toEqual((await local.sql(query)).objects());
  });

  it.each([["manifest.json"], ["files/columns/sites/"]])(
    "are errors if the coding of %s is unknown or wrong",
    async (path) => {
      const read = async () => (await openSample()).sites();
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

  it("are refused as soon as they are longer than in the manifest", async () => {
    const snapshot = await openSample();
    send("gzip", (body) => gzipSync(Buffer.alloc(body.length + 100_000_000)), /columns\/sites\//);
    await expect(snapshot.sites()).rejects.toThrow(/has more than the \d+ bytes in the manifest/);
  });
});

const python = findPython("http.server");

it.skipIf(!python)("a snapshot is read from Python's http.server, which closes each connection", async () => {
  const code = `import http.server as h, sys
s = h.ThreadingHTTPServer(("127.0.0.1", 0), h.SimpleHTTPRequestHandler)
print(s.server_port, flush=True)
s.serve_forever()`;
  const server = spawn(python?.program ?? "", ["-c", code], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
  try {
    const [port] = await once(server.stdout, "data");
    for (let round = 0; round < 5; round += 1) {
      const address = `http://127.0.0.1:${String(port).trim()}/sample.snapshot`;
      const snapshot = await openedSnapshot(address, { cacheDirectory: newCache(), retries: 0 });
      const query = "SELECT count(*) AS n FROM layer_features";
      expect((await snapshot.sql(query)).objects()).toEqual((await local.sql(query)).objects());
    }
  } finally {
    server.kill();
    await once(server, "exit");
  }
});

describe("a new generation", () => {
  const records = (status: string) =>
    fromRecords({
      sites: [site(1)],
      datasets: [dataset(1, { site_id: 1 })],
      layerFeatures: [1, 2].map((id) => feature(id, { site_id: 1, properties: { STATUS: status } })),
      propertyChanges: [change(1)],
    });

  it("is read at the next opening, and reported if files of the earlier generation are gone", async () => {
    const path = join(folder, "moving.snapshot");
    const address = addressOf("moving");
    const cache = newCache();
    await pull(records("OPEN"), path);
    const first = await openedSnapshot(address, { cacheDirectory: cache });
    const held = await openedSnapshot(address, { cacheDirectory: newCache() });
    const status = async (from: Snapshot) => (await from.layer({ site_id: 1 })).table.array("STATUS");
    expect(await status(first)).toEqual(["OPEN", "OPEN"]);
    await pull(records("DONE"), path);
    expect(await status(held)).toEqual(["OPEN", "OPEN"]);
    const second = await openedSnapshot(address, { cacheDirectory: cache });
    expect([first.generation, second.generation]).toEqual([1, 2]);
    expect(await status(second)).toEqual(["DONE", "DONE"]);
    expect(await status(first)).toEqual(["OPEN", "OPEN"]);
    const earlier = await openedSnapshot(address, { generation: 1, cacheDirectory: newCache() });
    expect(await status(earlier)).toEqual(["OPEN", "OPEN"]);
    await expect(openSnapshot(address, { generation: 7, cacheDirectory: cache })).rejects.toThrow(
      /has no generation 7/,
    );
    const late = await openedSnapshot(address, { generation: 1, cacheDirectory: newCache() });
    await pruneLater(path, 1);
    await expect(late.layer({ site_id: 1 })).rejects.toThrow(
      /now has generation 2, and files of the opened generation 1 are gone/,
    );
  });
});

describe("a server that", () => {
  const sendSites = (send: (response: ServerResponse, body: Buffer) => void) => {
    web.instead = (path, response) => {
      if (!path.includes("columns/sites/")) return false;
      send(response, readFileSync(join(folder, path)));
      return true;
    };
  };

  it("sends another file of the same length", async () => {
    const snapshot = await openSample();
    sendSites((response, body) => response.end(Buffer.alloc(body.length)));
    await expect(snapshot.sites()).rejects.toThrow(/differs from the manifest: its sha256 is different/);
    await expect(snapshot.sites()).rejects.toBeInstanceOf(SnapshotError);
    web.instead = () => false;
    expect((await snapshot.sites()).objects()).toEqual((await local.sites()).objects());
  });

  it("sends bytes without end", async () => {
    const snapshot = await openSample();
    sendSites((response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(100_000)));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    });
    await expect(snapshot.sites()).rejects.toThrow(/has more than the \d+ bytes in the manifest/);
  });

  it("cuts the file", async () => {
    const snapshot = await openSample();
    sendSites((response, body) => response.end(body.subarray(0, 100)));
    await expect(snapshot.sites()).rejects.toThrow(/failed: it ended after 100 of \d+ bytes/);
    sendSites((response, body) => {
      response.writeHead(200, { "content-length": body.length }).write(body.subarray(0, 100), () => response.destroy());
    });
    await expect(snapshot.sites()).rejects.toBeInstanceOf(NetworkError);
  });

  it("is silent, or slow", async () => {
    const snapshot = await openSample({ timeoutMs: 2000 });
    sendSites(() => {});
    await expect(snapshot.sites()).rejects.toBeInstanceOf(NetworkError);
    sendSites((response, body) => {
      response.writeHead(200, { "content-length": body.length });
      let sent = 0;
      const timer = setInterval(() => {
        if (response.destroyed) clearInterval(timer);
        else response.write(body.subarray(sent, ++sent));
      }, 20);
    });
    await expect(snapshot.sites()).rejects.toMatchObject({
      name: "NetworkError",
      message: expect.stringMatching(/slower than 2000 ms plus 16 kB per second/),
    });
  });

  it("fails at first gets the request again", async () => {
    const snapshot = await openSample({ retries: 2 });
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
    await expect(openSample()).rejects.toMatchObject({
      name: "ApiError",
      message: expect.stringMatching(/failed with status 403/),
      hint: expect.stringContaining("Pass the credentials: { headers"),
    });
    web.instead = (_, response) => Boolean(response.writeHead(503, { "retry-after": "3600" }).end());
    await expect(openSample()).rejects.toMatchObject({
      hint: "Retry in 60 minutes, as the service requests.",
      facts: { status: 503, attempts: 1, retryAfterMs: 3_600_000 },
    });
    web.instead = (_, response) =>
      Boolean(response.writeHead(302, { location: "https://elsewhere.example.com/x" }).end());
    await expect(openSample()).rejects.toMatchObject({
      hint: expect.stringMatching(/not followed, to protect the key\. It points to https:\/\/elsewhere\.example\.com/),
    });
  });

  it("needs headers gets them", async () => {
    web.instead = (_, response, { headers }) =>
      headers.authorization !== "Bearer abc" && Boolean(response.writeHead(401).end());
    const snapshot = await openSample({ headers: { authorization: "Bearer abc" } });
    expect((await snapshot.sites()).numRows()).toBeGreaterThan(0);
  });

  it("has no snapshot, or an HTML page", async () => {
    await expect(openSnapshot(`${web.url}/none`, { cacheDirectory: newCache() })).rejects.toThrow(
      /No snapshot at http.*: manifest\.json is missing/,
    );
    web.instead = (_, response) => Boolean(response.end("<!doctype html><p>Welcome</p>"));
    await expect(openSample()).rejects.toThrow(/No snapshot at http.*: manifest\.json is an HTML page/);
  });

  it("does not exist", async () => {
    const opening = openSnapshot("http://127.0.0.1:9/x", { cacheDirectory: newCache(), retries: 0 });
    await expect(opening).rejects.toBeInstanceOf(NetworkError);
  });

  it("lacks a file", async () => {
    const snapshot = await openSample();
    web.instead = (path, response) => path.includes("columns/sites/") && Boolean(response.writeHead(404).end());
    await expect(snapshot.sites()).rejects.toThrow(/columns\/sites\/part-\w+\.columns is missing/);
  });
});

it.each<[string, (snapshot: Snapshot, controller: AbortController) => unknown, string]>([
  ["it is closed", (snapshot) => snapshot.close(), "was closed"],
  ["its signal is aborted", (_, controller) => controller.abort(new Error("enough")), "enough"],
])("a remote snapshot ends its requests when %s", async (_, end, message) => {
  const snapshot = await openSample();
  const controller = new AbortController();
  web.instead = (path) => {
    const isHeld = path.includes("columns/");
    if (isHeld) void end(snapshot, controller);
    return isHeld;
  };
  await expect(snapshot.sites({}, { signal: controller.signal })).rejects.toThrow(message);
});

it.each([
  ["https://ada:secret@example.com/x", /contains a user name or password/],
  ["https://example.com/x?sig=secret", /contains a query or fragment/],
  ["ftp://example.com/x", /unsupported protocol "ftp:"/],
  ["gs://bucket/x", /unsupported protocol "gs:"/],
  ["s3://Bucket_/x", /invalid bucket name "Bucket_"/],
  ["s3://bucket/50%", /has an invalid % escape/],
])("openSnapshot() refuses %s without quoting the secret", async (address, message) => {
  const error = await openSnapshot(address, { cacheDirectory: newCache() }).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(ArgumentError);
  expect(String(error)).toMatch(message);
  expect(JSON.stringify([String(error), (error as ArgumentError).facts])).not.toContain("secret");
});

it("openSnapshot() refuses options of addresses for a folder, and headers for S3", async () => {
  await expect(openSnapshot(sample, { cacheDirectory: folder })).rejects.toThrow(
    /cacheDirectory cannot be used with a local folder/,
  );
  await expect(openSnapshot("s3://bucket/x", { headers: { a: "b" }, cacheDirectory: newCache() })).rejects.toThrow(
    /the option headers does not work with S3/,
  );
});

it("verifySnapshot() lists the calls that accept an address", async () => {
  await expect(verifySnapshot(addressOf("sample"))).rejects.toMatchObject({
    hint: expect.stringContaining("openSnapshot(), siteframe sql and siteframe mcp accept addresses"),
  });
});

it("openSnapshot() accepts file: addresses", async () => {
  const snapshot = await openedSnapshot(new URL(`file://${sample}`).href);
  expect((await snapshot.sites()).numRows()).toBeGreaterThan(0);
});

describe("S3", () => {
  const secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

  /** Whether a request has the signature that its server computes. */
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

  it("gets signed requests", async () => {
    cpSync(sample, join(folder, "bucket.of-acme", "past", "sample.snapshot"), { recursive: true });
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", secret);
    vi.stubEnv("AWS_SESSION_TOKEN", "token/+=");
    vi.stubEnv("AWS_REGION", "eu-central-1");
    vi.stubEnv("AWS_ENDPOINT_URL", web.url);
    const snapshot = await openedSnapshot("s3://bucket.of-acme/past/sample.snapshot", { cacheDirectory: newCache() });
    expect((await snapshot.layer({ site_id: 101 })).rowCount).toBe((await local.layer({ site_id: 101 })).rowCount);
    expect(snapshot.origin.name).toBe("s3://bucket.of-acme/past/sample.snapshot");
    expect(web.requests.length).toBeGreaterThan(3);
    expect(web.requests.filter((request) => !isSigned(request)).map(({ url }) => url)).toEqual([]);
    expect(web.requests.some(({ url }) => url?.includes("site_id"))).toBe(true);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "wrong");
    web.requests.length = 0;
    const other = await openedSnapshot("s3://bucket.of-acme/past/sample.snapshot", { cacheDirectory: newCache() });
    expect(other.generation).toBe(1);
    expect(web.requests.some(isSigned)).toBe(false);
  });

  it("gets unsigned requests without credentials, and profiles need their package", async () => {
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"]) vi.stubEnv(name, "");
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", join(folder, "none"));
    vi.stubEnv("AWS_ENDPOINT_URL", web.url);
    cpSync(sample, join(folder, "public", "sample.snapshot"), { recursive: true });
    const snapshot = await openedSnapshot("s3://public/sample.snapshot", { cacheDirectory: newCache() });
    expect(snapshot.generation).toBe(1);
    expect(web.requests.every(({ headers }) => headers.authorization === undefined)).toBe(true);
    vi.stubEnv("AWS_PROFILE", "acme");
    await expect(openSnapshot("s3://public/sample.snapshot", { cacheDirectory: newCache() })).rejects.toThrow(
      /@aws-sdk\/credential-provider-node is missing/,
    );
  });
});
