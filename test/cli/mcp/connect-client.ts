import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import type { Transport } from "@modelcontextprotocol/server";
import { expect } from "vitest";
import { type McpOptions, serveMcp } from "../../../src/cli/mcp/serve-mcp.js";

/** The answer of a tool that returns tables. */
export interface Answer {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly rowCount?: number;
  readonly nextOffset?: number;
  readonly parts?: Readonly<Record<string, number>>;
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly provenance: { readonly readAt: string } | null;
  readonly diagnostics: readonly { readonly code: string; readonly message: string }[];
}

/** The answer of a tool in the SDK's client. */
export interface Result {
  readonly content: readonly {
    readonly type: string;
    readonly text?: string;
    readonly data?: string;
    readonly mimeType?: string;
  }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
}

/** A client of the SDK, and a server in the same process. The client checks answers by the output schemas. */
export async function connectClient(options: Omit<McpOptions, "version">): Promise<Client> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  void serveMcp({ version: "1.2.3", ...options }, theirs as Transport);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(ours);
  // Loads the schemas.
  await client.listTools();
  return client;
}

/** The data between the marks, which must occur once. */
export function markedData(text: string): string {
  const [, data, ...rest] = text.split(/^<\/?siteframe-data>$/m);
  expect(rest, text).toHaveLength(1);
  return String(data).slice(1, -1);
}

/** Calls a tool. @throws its error */
export async function callTool(
  client: Client,
  name: string,
  given: Readonly<Record<string, unknown>> = {},
): Promise<Result> {
  const result = (await client.callTool({ name, arguments: given })) as Result;
  const [{ text = "" } = {}] = result.content;
  if (result.isError) throw new Error(markedData(text));
  expect(JSON.parse(markedData(text))).toEqual(result.structuredContent);
  return result;
}

/** Calls a tool that returns a table. */
export async function ask(
  client: Client,
  name: string,
  given: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  return (await callTool(client, name, given)).structuredContent as unknown as Answer;
}

/** The text of a resource. */
export async function resourceText(client: Client, uri: string): Promise<string> {
  const [content] = (await client.readResource({ uri })).contents;
  if (!content || !("text" in content)) throw new Error(`${uri} has no text`);
  return content.text;
}

/** The text of a prompt of one message. */
export async function promptText(
  client: Client,
  name: string,
  given: Readonly<Record<string, string>>,
): Promise<string> {
  const [message] = (await client.getPrompt({ name, arguments: given })).messages;
  if (message?.content.type !== "text") throw new Error(`${name} has no text`);
  return message.content.text;
}
