import { once } from "node:events";
import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { JsonRpc } from "../../../src/cli/lsp/json-rpc.js";

it("answers each request that reuses the id of another", async () => {
  const [input, output] = [new PassThrough(), new PassThrough({ encoding: "utf8" })];
  let finish: (result: string) => void = () => undefined;
  const first = new Promise<string>((resolve) => (finish = resolve));
  new JsonRpc(input, output, { request: () => first, notify: () => undefined, fail: () => undefined });
  const message = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "textDocument/hover" });
  input.write(`Content-Length: ${message.length}\r\n\r\n${message}`.repeat(2));
  const [refused] = await once(output, "data");
  expect(refused).toContain('"id":7,"error":{"code":-32600,"message":"The id 7 is used by another request."}');
  finish("done");
  const [answer] = await once(output, "data");
  expect(answer).toContain('"id":7,"result":"done"');
});
