import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import type { Python } from "./python.js";

export const BUCKET_REGION = "eu-central-1";

/** A request to a bucket and its response. */
export interface BucketRequest {
  readonly method: string;
  /** Key of the object, empty for the bucket itself. */
  readonly key: string;
  readonly range: string | undefined;
  readonly isSigned: boolean;
  readonly status: number;
  readonly bytes: number;
}

/** A local bucket that accepts only signed requests of its owner. */
export interface ServedBucket extends AsyncDisposable {
  readonly name: string;
  /** Address of the store, for `AWS_ENDPOINT_URL`. */
  readonly url: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly requests: BucketRequest[];
  /** Runs a shell command in a folder, with the owner's `aws` on the path. */
  readonly run: (line: string, folder: string) => Promise<void>;
}

/** Serves S3 with moto, which checks signatures and rights, behind a proxy that records requests. */
export async function serveBucket({ program, env }: Python, name: string): Promise<ServedBucket> {
  const store = spawn(program, [join(import.meta.dirname, "python", "serve_s3.py"), name]);
  store.stderr.pipe(process.stderr);
  const [line] = await Promise.race([
    once(createInterface(store.stdout), "line"),
    once(store, "exit").then(() => Promise.reject(new Error("the S3 server has ended"))),
  ]);
  const { url, ...keys } = JSON.parse(String(line)) as { url: string; accessKeyId: string; secretAccessKey: string };
  const requests: BucketRequest[] = [];
  const proxy = createServer((asked, answer) => pass(asked, answer, url, name, requests)).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const owner = {
    ...env,
    PATH: `${dirname(program)}:${env["PATH"]}`,
    AWS_ACCESS_KEY_ID: keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
    AWS_REGION: BUCKET_REGION,
    AWS_ENDPOINT_URL: address,
  };
  return {
    ...keys,
    name,
    url: address,
    requests,
    async run(line, cwd) {
      await promisify(execFile)("bash", ["-c", line], { cwd, env: owner });
    },
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections();
      proxy.close();
      store.stdin.end();
      await once(store, "exit");
    },
  };
}

/** Forwards a request with its original host, which is part of the signature. */
function pass(asked: IncomingMessage, answer: ServerResponse, store: string, name: string, requests: BucketRequest[]) {
  const { method = "GET", headers, url = "/" } = asked;
  const sent = forward(new URL(url, store), { method, headers }, (found) => {
    let bytes = 0;
    answer.writeHead(found.statusCode ?? 502, found.rawHeaders);
    found.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    found.on("end", () => {
      requests.push({
        method,
        key: decodeURIComponent(new URL(url, store).pathname).slice(name.length + 2),
        range: headers.range,
        isSigned: headers.authorization?.startsWith("AWS4-HMAC-SHA256 ") === true,
        status: found.statusCode ?? 502,
        bytes,
      });
    });
    found.pipe(answer);
  });
  sent.on("error", () => answer.destroy());
  asked.pipe(sent);
}
