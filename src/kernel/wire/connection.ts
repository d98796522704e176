import { readFileSync } from "node:fs";
import { FileError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";

/** The addresses of a kernel, and the key that signs its messages. Names are those of Jupyter's file. */
export interface Connection {
  readonly transport: "tcp" | "ipc";
  readonly ip: string;
  readonly shell_port: number;
  readonly iopub_port: number;
  readonly stdin_port: number;
  readonly control_port: number;
  readonly hb_port: number;
  /** If empty, messages are unsigned. */
  readonly key: string;
  readonly signature_scheme: string;
}

const ports = ["shell_port", "iopub_port", "stdin_port", "control_port", "hb_port"] as const;

/**
 * Reads the connection file that Jupyter writes for a kernel.
 *
 * @throws FileError
 */
export function readConnection(path: string): Connection {
  const fields = readFields(path);
  const text = (name: string, fallback: string) => {
    const value = fields[name] ?? fallback;
    return typeof value === "string" ? value : fail(path, name, "a string", value);
  };
  const port = (name: (typeof ports)[number]) => {
    const value = fields[name];
    return typeof value === "number" && Number.isInteger(value) ? value : fail(path, name, "a port", value);
  };
  const transport = text("transport", "tcp");
  if (transport !== "tcp" && transport !== "ipc") return fail(path, "transport", '"tcp" or "ipc"', transport);
  return {
    transport,
    ip: text("ip", "127.0.0.1"),
    shell_port: port("shell_port"),
    iopub_port: port("iopub_port"),
    stdin_port: port("stdin_port"),
    control_port: port("control_port"),
    hb_port: port("hb_port"),
    key: text("key", ""),
    signature_scheme: text("signature_scheme", "hmac-sha256"),
  };
}

/** The address of one of a kernel's sockets. */
export function socketAddress({ transport, ip }: Connection, port: number): string {
  return transport === "tcp" ? `tcp://${ip}:${port}` : `ipc://${ip}-${port}`;
}

function readFields(path: string): Readonly<Record<string, unknown>> {
  try {
    const fields: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (typeof fields === "object" && fields !== null) return fields as Record<string, unknown>;
  } catch (cause) {
    throw new FileError(`The connection file ${path} cannot be read.`, { cause, facts: { path } });
  }
  throw new FileError(`Invalid connection file ${path}: not a JSON object.`, { facts: { path } });
}

function fail(path: string, name: string, expected: string, value: unknown): never {
  throw new FileError(`Invalid connection file ${path}: ${name} must be ${expected}, not ${showValue(value)}.`);
}
