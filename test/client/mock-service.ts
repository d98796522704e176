import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterEach } from "vitest";
import type { ResourceName } from "../../src/api/resources.js";
import type { LiveOptions } from "../../src/client/http/connection.js";
import { liveReader } from "../../src/client/live-reader.js";
import { type ResolvingReader, resolving } from "./resolving.js";

export const KEY = "secret-key-0123456789";

export interface MockRequest {
  readonly resource: ResourceName;
  readonly params: URLSearchParams;
  readonly page: number;
  readonly pageSize: number;
  readonly url: string;
  /** From 1, over all requests. */
  readonly number: number;
  readonly headers: IncomingMessage["headers"];
}

export interface MockOptions {
  readonly prefix?: string;
  /** Larger pages are cut to this size, and the size is echoed. */
  readonly largestPage?: number;
  /** Handles a request: returns true if it sent a response. */
  readonly fault?: (request: MockRequest, response: ServerResponse, socket: Socket) => boolean | Promise<boolean>;
  /** Called for each request before its rows are read, which it may change. */
  readonly before?: (request: MockRequest) => void;
  /** Changes the envelope before it is sent. */
  readonly envelope?: (page: Envelope, request: MockRequest) => unknown;
  readonly encode?: (body: string, response: ServerResponse) => Buffer | string;
  /** Changes the order of rows. */
  readonly order?: (rows: readonly Row[], request: MockRequest) => readonly Row[];
}

export interface Row {
  readonly id: number | string;
}

export interface Envelope {
  data: readonly Row[];
  pagination: { page: number; pageSize: number; rowCount: number; pageCount: number };
}

export interface MockService {
  readonly baseUrl: string;
  readonly requests: MockRequest[];
  readonly rows: Map<ResourceName, readonly Row[]>;
  /** Waits of the reader in milliseconds, which return at once. */
  readonly sleeps: number[];
  reader(options?: LiveOptions): ResolvingReader;
  close(): Promise<void>;
}

/** Starts a small service on a real port, with rows, faults and behavior set by the test. */
export async function mockService(options: MockOptions = {}): Promise<MockService> {
  const requests: MockRequest[] = [];
  const rows = new Map<ResourceName, readonly Row[]>();
  const readers: ResolvingReader[] = [];
  const sleeps: number[] = [];
  const server = createServer((incoming, response) => {
    void answer(incoming, response).catch((error) => response.destroy(error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}${options.prefix ?? ""}`;

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? "", baseUrl);
    const request: MockRequest = {
      resource: url.pathname.slice((options.prefix ?? "").length + 1) as ResourceName,
      params: url.searchParams,
      page: Number(url.searchParams.get("_page") ?? 1),
      pageSize: Number(url.searchParams.get("_pageSize") ?? 10),
      url: incoming.url ?? "",
      number: requests.length + 1,
      headers: incoming.headers,
    };
    requests.push(request);
    if (await options.fault?.(request, response, incoming.socket)) return;
    options.before?.(request);
    const all = rows.get(request.resource) ?? [];
    const ordered = options.order ? options.order(all, request) : all;
    const pageSize = Math.min(request.pageSize, options.largestPage ?? Number.POSITIVE_INFINITY);
    const page: Envelope = {
      data: ordered.slice((request.page - 1) * pageSize, request.page * pageSize),
      pagination: { page: request.page, pageSize, rowCount: all.length, pageCount: Math.ceil(all.length / pageSize) },
    };
    const body = JSON.stringify(options.envelope ? options.envelope(page, request) : page);
    response.setHeader("content-type", "application/json");
    response.end(options.encode ? options.encode(body, response) : body);
  }

  return {
    baseUrl,
    requests,
    rows,
    sleeps,
    reader(readOptions = {}) {
      let now = Date.UTC(2025, 0, 1);
      const reader = resolving(
        liveReader(
          { baseUrl, apiKey: KEY, ...readOptions },
          {
            now: () => now,
            elapsed: () => now,
            random: () => 0.5,
            screen: () => undefined,
            async sleep(ms, signal) {
              signal.throwIfAborted();
              sleeps.push(ms);
              now += ms;
            },
          },
        ),
      );
      readers.push(reader);
      return reader;
    },
    async close() {
      server.closeAllConnections();
      await Promise.all(readers.map((reader) => reader.close()));
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Starts services for the tests of a file. The last service is closed after each test. */
export function mockServices() {
  let last: MockService | undefined;
  afterEach(() => last?.close());
  return {
    async start(options?: MockOptions): Promise<MockService> {
      last = await mockService(options);
      return last;
    },
    get service(): MockService {
      if (!last) throw new Error("No service was started.");
      return last;
    },
  };
}

/** Sends a status and a JSON body. */
export function refuse(response: ServerResponse, status: number, message = "no", headers: Record<string, string> = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify({ error: { status, code: "REFUSED", message } }));
  return true;
}
