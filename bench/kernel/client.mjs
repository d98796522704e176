import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Dealer, Subscriber } from "zeromq";
import { MessageFactory } from "../../modules/kernel/wire/message.js";
import { decodeMessage, encodeMessage, Signer } from "../../modules/kernel/wire/sockets.js";
import { reservePort } from "../../scripts/ports/reserve-port.mjs";

// Node 20 reads all certificates of such a file before its first line, and no other kernel does: see decision 24.
const { NODE_EXTRA_CA_CERTS: _certificates, ...environment } = process.env;
const names = ["shell_port", "iopub_port", "stdin_port", "control_port", "hb_port"];

/** Starts a kernel, by the command that `argv` gives for a connection file, and speaks to it. */
export async function startKernel(argv) {
  const folder = mkdtempSync(join(tmpdir(), "bench-kernel-"));
  const file = join(folder, "connection.json");
  const ports = await Promise.all(names.map(() => reservePort()));
  const connection = {
    ...{ transport: "tcp", ip: "127.0.0.1", key: "bench", signature_scheme: "hmac-sha256", kernel_name: "bench" },
    ...Object.fromEntries(names.map((name, index) => [name, ports[index]])),
  };
  writeFileSync(file, JSON.stringify(connection));
  const [program, ...args] = argv(file);
  const started = performance.now();
  const child = spawn(program, args, {
    cwd: folder,
    stdio: "ignore",
    env: { ...environment, SITEFRAME_HISTORY: "off" },
  });
  return Object.assign(connect(connection, child, folder), { started, pid: child.pid });
}

function connect(connection, child, folder) {
  const signer = new Signer(connection);
  const messages = new MessageFactory();
  // The default interval of 100 ms would measure the client's waiting, not the kernel's start.
  const options = { linger: 0, reconnectInterval: 5 };
  // One identity, by which a kernel knows whom to ask for input.
  const dealer = () => new Dealer({ ...options, routingId: "bench" });
  const [shell, control, stdin, iopub] = [dealer(), dealer(), dealer(), new Subscriber(options)];
  shell.connect(`tcp://127.0.0.1:${connection.shell_port}`);
  control.connect(`tcp://127.0.0.1:${connection.control_port}`);
  stdin.connect(`tcp://127.0.0.1:${connection.stdin_port}`);
  iopub.connect(`tcp://127.0.0.1:${connection.iopub_port}`);
  iopub.subscribe("");
  const replies = new Map();
  const broadcasts = [];
  const each = async (socket, take) => {
    try {
      for await (const frames of socket) {
        const message = decodeMessage(frames, signer);
        if (message) take(message);
      }
    } catch {
      // Closed.
    }
  };
  const reply = (message) => replies.get(message.parent.msg_id)?.(message);
  each(shell, reply);
  each(control, reply);
  each(stdin, (message) => {
    const answer = messages.create("input_reply", { value: kernel.onInput() }, { identities: [] });
    stdin.send(encodeMessage({ ...answer, parent: message.header }, signer));
  });
  each(iopub, (message) => broadcasts.push(message));
  const ended = once(child, "exit").then(() => ({ content: { status: "died" }, header: {} }));

  const ask = async (type, content = {}, { channel = shell, timeoutMs = 15_000 } = {}) => {
    const message = messages.create(type, content, { identities: [] });
    const replied = new Promise((resolve) => replies.set(message.header.msg_id, resolve));
    await channel.send(encodeMessage(message, signer));
    const late = new Promise((resolve) => setTimeout(resolve, timeoutMs, { content: { status: "no answer" } }).unref());
    return { ...(await Promise.race([replied, late, ended])), id: message.header.msg_id };
  };
  const kernel = {
    broadcasts,
    folder,
    onInput: () => "",
    ask,
    control: (type, content) => ask(type, content, { channel: control }),
    execute: (code, { allowStdin = false, ...options } = {}) =>
      ask(
        "execute_request",
        {
          code,
          silent: false,
          store_history: true,
          user_expressions: {},
          allow_stdin: allowStdin,
          stop_on_error: true,
        },
        options,
      ),
    signal: () => child.kill("SIGINT"),
    async close() {
      child.kill("SIGKILL");
      for (const socket of [shell, control, stdin, iopub]) socket.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return kernel;
}
