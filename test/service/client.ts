import { Agent, type IncomingHttpHeaders, request } from "node:http";
import type { Service } from "../../src/service/start-service.js";

/** A response. */
export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const agent = new Agent({ keepAlive: true });

/** The text of a GET request with the key `all`. */
export const getText = (target = "/sites", headers = "", version = "1.1") =>
  `GET ${target} HTTP/${version}\r\nHost: x\r\nAuthorization: ApiKey all\r\n${headers}\r\n`;

/** A promise, and the function that resolves it. */
export function deferred<T = void>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Sends one request, with no other headers than the given ones and the key `all`. */
export function send(
  service: Service,
  target: string,
  { method = "GET", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const options = { port: service.port, path: target, method, agent };
    const sent = request({ ...options, headers: { Authorization: "ApiKey all", ...headers } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
      );
    });
    sent.on("error", reject);
    sent.end();
  });
}

/** The body of a response. All responses are JSON. */
export function json(received: Received): Body {
  return JSON.parse(received.body.toString()) as Body;
}

/** All members that a body of the service can have. */
export interface Body {
  readonly data: readonly { readonly id: number | string }[];
  readonly pagination: unknown;
  readonly error: { readonly status: number; readonly code: string; readonly message: string };
}

/** The ids on a page. */
export async function ids(service: Service, target: string, key = "all"): Promise<readonly (number | string)[]> {
  const received = await send(service, target, { headers: { Authorization: `ApiKey ${key}` } });
  if (received.status !== 200) throw new Error(json(received).error.message);
  return json(received).data.map(({ id }) => id);
}
