import { wellFormedJson } from "../../core/json/well-formed-json.js";
import type { Header, Message } from "./message.js";
import type { Signer } from "./signer.js";

const delimiter = Buffer.from("<IDS|MSG>");

/** A message as the frames that travel. */
export function encodeMessage(message: Message, signer: Signer): Uint8Array[] {
  const parts = [message.header, message.parent, message.metadata, message.content];
  const frames = parts.map((part) => Buffer.from(wellFormedJson(part)));
  return [...message.identities, delimiter, Buffer.from(signer.sign(frames)), ...frames, ...message.buffers];
}

/** The message in `frames`; undefined if it is malformed or not signed by who knows the key. */
export function decodeMessage(frames: readonly Uint8Array[], signer: Signer): Message | undefined {
  const at = frames.findIndex((frame) => delimiter.equals(frame));
  const [signature, ...rest] = at === -1 ? [] : frames.slice(at + 1);
  const signed = rest.slice(0, 4);
  if (!signature || signed.length < 4 || !signer.verify(signature, signed)) return undefined;
  const [header, parent, metadata, content] = signed.map(parseObject);
  if (!header || !parent || !metadata || !content || !isHeader(header)) return undefined;
  return {
    identities: frames.slice(0, at),
    header,
    parent: isHeader(parent) ? parent : {},
    metadata,
    content,
    buffers: rest.slice(4),
  };
}

function parseObject(frame: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(frame).toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function isHeader(value: Readonly<Record<string, unknown>>): value is Readonly<Record<string, unknown>> & Header {
  return typeof value["msg_id"] === "string" && typeof value["msg_type"] === "string";
}
