import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { limitMessages } from "../../../src/cli/mcp/serve-mcp.js";

async function passed(most: number, ...chunks: readonly string[]) {
  const refused: unknown[] = [];
  const limited = Readable.from(chunks.map((chunk) => Buffer.from(chunk))).pipe(
    limitMessages((answer) => refused.push(JSON.parse(answer)), most),
  );
  let text = "";
  for await (const chunk of limited) text += String(chunk);
  return { text, refused };
}

const message = (id: unknown, more = "") =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"m","params":"${more}"}\n`;

it("passes messages in any pieces", async () => {
  const both = message(1) + message(2);
  expect(await passed(100, both)).toEqual({ text: both, refused: [] });
  expect(await passed(100, ...both)).toEqual({ text: both, refused: [] });
});

it("refuses a message that is too long by its id, and passes the next", async () => {
  const long = message("a-1", "x".repeat(5000));
  const last = `{"method":"m","params":"${"x".repeat(5000)}","jsonrpc":"2.0","id":7}\n`;
  const { text, refused } = await passed(100, long.slice(0, 3000), long.slice(3000) + message(2), last, message(3));
  expect(text).toBe(message(2) + message(3));
  expect(refused).toMatchObject([
    { id: "a-1", error: { code: -32600, message: expect.stringContaining("The message is longer than") } },
    { id: 7 },
  ]);
});

it("stores no part of an endless message", async () => {
  const { text, refused } = await passed(
    1000,
    ...Array.from({ length: 2000 }, () => "x".repeat(1000)),
    `\n${message(1)}`,
  );
  expect([text, refused]).toEqual([message(1), [expect.objectContaining({ id: null })]]);
});
