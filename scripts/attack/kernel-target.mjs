// A kernel, as an attacker with its key sees it: messages are JSON, signed and sent.
import { spawn } from "node:child_process";
import { createHmac, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Dealer } from "zeromq";
import { reservePort } from "../ports/reserve-port.mjs";
import { watchOutput } from "./watch-output.mjs";

const main = join(import.meta.dirname, "../../dist/kernel/kernel-main.js");
const DELIMITER = "<IDS|MSG>";

/** Until an interrupt has ended what runs. */
const INTERRUPT_MS = 2000;
/** Until the kernel is busy with what it was sent. */
const BUSY_MS = 700;

/**
 * Starts a kernel with a variable, and its compiler.
 *
 * @param {string} folder
 */
export async function startKernel(folder) {
  const own = join(folder, randomUUID());
  mkdirSync(own);
  const file = join(own, "connection.json");
  const connection = { transport: "tcp", ip: "127.0.0.1", key: randomUUID(), signature_scheme: "hmac-sha256" };
  for (const name of ["shell", "iopub", "stdin", "control", "hb"]) connection[`${name}_port`] = await reservePort();
  writeFileSync(file, JSON.stringify(connection), { mode: 0o600 });
  const child = spawn(process.execPath, [main, file], {
    cwd: own,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, SITEFRAME_HISTORY: "off" },
  });
  const output = watchOutput(child);
  const ended = once(child, "exit").then(([code, signal]) => `the kernel ended with ${signal ?? code}`);
  const waiting = new Map();
  const sockets = {};
  for (const channel of ["shell", "control"]) {
    const socket = new Dealer({ linger: 0 });
    socket.connect(`tcp://127.0.0.1:${connection[`${channel}_port`]}`);
    sockets[channel] = socket;
    void read(socket, waiting);
  }

  /** Sends texts as the frames of a message. */
  async function sendFrames(channel, frames) {
    const signature = frames
      .slice(0, 4)
      .reduce((hmac, frame) => hmac.update(frame), createHmac("sha256", connection.key));
    await sockets[channel].send([DELIMITER, signature.digest("hex"), ...frames]);
  }
  /** Sends a request. @returns the reply's content */
  async function request(
    channel,
    type,
    content,
    { header = "", parent = "{}", metadata = "{}" } = {},
    timeoutMs = 60_000,
  ) {
    const id = randomUUID();
    const reply = new Promise((resolve) => waiting.set(id, resolve));
    const fixed = `"msg_id":"${id}","msg_type":${JSON.stringify(type)},"session":"s","username":"u","date":"${new Date().toISOString()}","version":"5.4"`;
    await sendFrames(channel, [`{${fixed}${header}}`, parent, metadata, content]);
    return Promise.race([reply, pause(timeoutMs, undefined, { ref: false })]);
  }
  const execute = (code, timeoutMs) =>
    request(
      "shell",
      "execute_request",
      JSON.stringify({
        code,
        silent: false,
        store_history: false,
        user_expressions: { value: "keep" },
        allow_stdin: false,
        stop_on_error: false,
      }),
      {},
      timeoutMs,
    );
  const interrupt = () => request("control", "interrupt_request", "{}", {}, INTERRUPT_MS);

  /** Whether a cell sees the variable. Earlier messages may cancel the cell. */
  async function problemsAfter() {
    for (let tries = 0; tries < 3; tries += 1) {
      const reply = await execute("keep", 15_000);
      if (reply?.status === "aborted") continue;
      if (reply === undefined) return ["no cell runs afterwards"];
      return reply.status === "ok" ? [] : [`a cell fails afterwards: ${JSON.stringify(reply).slice(0, 300)}`];
    }
    return ["cells are aborted afterwards"];
  }

  await request("shell", "kernel_info_request", "{}", {}, 30_000);
  await execute("let keep = 5");
  await request("shell", "complete_request", JSON.stringify({ code: "keep.", cursor_pos: 5 }));
  return {
    pid: child.pid,
    ended,
    output,
    async ask({ messages, interrupts = false, isOneByOne = false }) {
      const problems = [];
      const replies = [];
      for (const [index, { channel = "shell", type, content, ...frames }] of messages.entries()) {
        if (frames.raw) await sendFrames(channel, frames.raw);
        else replies.push(request(channel, type, content, frames, 20_000));
        if (isOneByOne && index < messages.length - 1) await Promise.race([replies.at(-1), pause(1000)]);
      }
      if (interrupts) {
        await pause(BUSY_MS);
        const started = performance.now();
        if (!(await interrupt())) problems.push(`an interrupt is not answered in ${INTERRUPT_MS} ms`);
        await Promise.all(replies);
        const ms = performance.now() - started;
        if (ms > INTERRUPT_MS) problems.push(`an interrupt needs ${Math.round(ms)} ms`);
      }
      if (messages.some(({ type }) => type === "debug_request")) {
        await request(
          "control",
          "debug_request",
          JSON.stringify({ type: "request", seq: 1, command: "disconnect", arguments: {} }),
          {},
          3000,
        );
      }
      problems.push(...(await problemsAfter()));
      // Malformed messages have no answer, but others have one afterwards.
      if (!(await request("control", "kernel_info_request", "{}", {}, 5000)))
        problems.push("the control channel is silent");
      return { problems };
    },
    async stop() {
      child.kill("SIGKILL");
      await ended;
      for (const socket of Object.values(sockets)) socket.close();
    },
  };
}

async function read(socket, waiting) {
  try {
    for await (const frames of socket) {
      const at = frames.findIndex((frame) => String(frame) === DELIMITER);
      const parent = JSON.parse(frames[at + 3]);
      waiting.get(parent.msg_id)?.(JSON.parse(frames[at + 5]));
      waiting.delete(parent.msg_id);
    }
  } catch {
    // Closed.
  }
}
