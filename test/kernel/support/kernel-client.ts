import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Dealer, Request, Subscriber } from "zeromq";
import { reservePort } from "../../../scripts/ports/reserve-port.mjs";
import { engineFlags } from "../../../src/kernel/engine/cell/engine-name.js";
import { type Content, type Message, MessageFactory } from "../../../src/kernel/wire/message.js";
import type { Connection } from "../../../src/kernel/wire/sockets.js";
import { decodeMessage, encodeMessage, Signer } from "../../../src/kernel/wire/sockets.js";
import { testedEngine } from "../../support/tested-engine.js";

/** Content of a message, of which tests know the shape. */
// biome-ignore lint/suspicious/noExplicitAny: a test that is wrong about the shape fails
export type Json = Record<string, any>;

/** A received message. */
export interface Received {
  readonly type: string;
  readonly content: Json;
  readonly message: Message;
}

/** The reply to a request, and its broadcasts. */
export interface Exchange {
  readonly reply: Json;
  /** Its broadcasts without statuses. */
  readonly outputs: readonly Received[];
  /** Its broadcasts with statuses. */
  readonly broadcasts: readonly Received[];
}

/** The text of a cell's result. */
export function result({ outputs }: Exchange): unknown {
  return outputs.find(({ type }) => type === "execute_result")?.content["data"]["text/plain"];
}

/** What a cell printed: `stdout: …`, `stderr: …`. */
export function texts({ outputs }: Exchange): readonly string[] {
  return outputs.flatMap(({ type, content }) => (type === "stream" ? [`${content["name"]}: ${content["text"]}`] : []));
}

/** How a kernel is started. */
export interface StartOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly key?: string;
  /** The notebook's folder. Default: an empty one. */
  readonly cwd?: string;
  /** Another kernel: the program and its arguments for a connection file. */
  readonly command?: (connectionFile: string) => readonly [string, ...string[]];
}

/** Shorter than the time limit of tests, so that a failure shows the last messages of the kernel. */
const silenceMs = 50_000;

/** The Node that kernels run on, which may be another than that of the tests. */
const kernelNode = process.env["SITEFRAME_TEST_NODE"] || process.execPath;

const kernelMain = join(import.meta.dirname, "../../../dist/kernel/kernel-main.js");

/** The command that starts the kernel. Default: with the tested engine. */
export const kernelCommand = (file: string, engine = testedEngine) =>
  [kernelNode, ...engineFlags, kernelMain, file, "--engine", engine] as const;

/** A kernel in a process, and a Jupyter client without Python. */
export class KernelClient {
  readonly folder = mkdtempSync(join(tmpdir(), "siteframe-kernel-"));
  readonly broadcasts: Received[] = [];
  readonly #messages = new MessageFactory();
  /** Unique, since a kernel ignores one of two clients with the same name. */
  readonly #name = randomUUID();
  readonly #shell = new Dealer({ routingId: this.#name, linger: 0 });
  readonly #control = new Dealer({ routingId: this.#name, linger: 0 });
  readonly #stdin = new Dealer({ routingId: this.#name, linger: 0 });
  readonly #iopub = new Subscriber({ linger: 0 });
  readonly #heartbeat = new Request({ linger: 0, receiveTimeout: 20_000 });
  readonly #replies = new Map<string, (received: Received) => void>();
  readonly #watchers = new Set<() => void>();
  readonly #signer: Signer;
  #death: Promise<never> | undefined;
  /** Returns the input for a prompt of a cell, or undefined to send none. */
  onInput: (content: Content) => string | undefined = () => undefined;
  process: ChildProcess;

  private constructor(connection: Connection, { env, cwd, command = (file) => kernelCommand(file) }: StartOptions) {
    this.#signer = new Signer(connection);
    const file = join(this.folder, "connection.json");
    writeFileSync(file, JSON.stringify(connection));
    const [program, ...args] = command(file);
    this.process = spawn(program, args, {
      cwd: cwd ?? this.folder,
      env: { ...process.env, SITEFRAME_HISTORY: join(this.folder, "history"), ...env },
      stdio: ["ignore", "inherit", "inherit"],
    });
    const address = (port: number) => `tcp://${connection.ip}:${port}`;
    this.#shell.connect(address(connection.shell_port));
    this.#control.connect(address(connection.control_port));
    this.#stdin.connect(address(connection.stdin_port));
    this.#iopub.connect(address(connection.iopub_port));
    this.#iopub.subscribe("");
    this.#heartbeat.connect(address(connection.hb_port));
  }

  /** Starts a kernel and waits until its broadcasts arrive. */
  static async start({ key = "secret", ...options }: StartOptions = {}): Promise<KernelClient> {
    const ports = {
      ...{ shell_port: await reservePort(), iopub_port: await reservePort(), stdin_port: await reservePort() },
      ...{ control_port: await reservePort(), hb_port: await reservePort() },
    };
    const client = new KernelClient(
      { transport: "tcp", ip: "127.0.0.1", key, signature_scheme: "hmac-sha256", ...ports },
      options,
    );
    client.#listen();
    if (options.command) await client.#untilHeard();
    else await client.until(({ type }) => type === "iopub_welcome");
    return client;
  }

  /** A kernel without a welcome message gets requests until a broadcast comes. */
  async #untilHeard(): Promise<void> {
    while (this.broadcasts.length === 0) {
      await this.send(this.create("kernel_info_request", {}));
      await Promise.race([pause(100), this.#died]);
    }
  }

  /** Sends a request; resolves when the reply and the idle status have come. */
  async ask(
    type: string,
    content: Content = {},
    channel: "shell" | "control" = "shell",
    subshell_id?: string,
  ): Promise<Exchange> {
    const plain = this.#messages.create(type, content, { identities: [] });
    const message = subshell_id === undefined ? plain : { ...plain, header: { ...plain.header, subshell_id } };
    const id = message.header.msg_id;
    const replied = new Promise<Received>((resolve) => this.#replies.set(id, resolve));
    const isMine = ({ message: { parent } }: Received) => "msg_id" in parent && parent.msg_id === id;
    await this.send(message, channel);
    await this.until((received) => isMine(received) && received.content["execution_state"] === "idle");
    const broadcasts = this.broadcasts.filter(isMine);
    const { content: reply } = await replied;
    return { reply, broadcasts, outputs: broadcasts.filter((received) => received.type !== "status") };
  }

  execute(code: string, options: Content = {}): Promise<Exchange> {
    return this.ask("execute_request", { code, allow_stdin: true, ...options });
  }

  create(type: string, content: Content): Message {
    return this.#messages.create(type, content, { identities: [] });
  }

  async send(message: Message, channel: "shell" | "control" = "shell", key?: string): Promise<void> {
    const signer = key === undefined ? this.#signer : new Signer({ key, signature_scheme: "hmac-sha256" });
    await (channel === "shell" ? this.#shell : this.#control).send(encodeMessage(message, signer));
  }

  /** Rejects when the process ends. */
  get #died(): Promise<never> {
    this.#death ??= once(this.process, "exit").then(async ([code, signal]) => {
      // Its last messages may come after that.
      await pause(1000);
      throw new Error(`the kernel ended with ${signal ?? code}`);
    });
    return this.#death;
  }

  /** The first matching broadcast, which may have come already. */
  async until(fits: (received: Received, place: number) => boolean): Promise<Received> {
    for (;;) {
      const found = this.broadcasts.find(fits);
      if (found) return found;
      const heard = new AbortController();
      await Promise.race([
        new Promise<void>((resolve) => this.#watchers.add(resolve)),
        this.#died,
        pause(silenceMs, undefined, { signal: heard.signal }).then(async () => {
          const state = (await this.#answers()) ? "still answers" : "does not answer";
          throw new Error(
            `The kernel published nothing for ${silenceMs / 1000} s and ${state} on its control channel. Last messages: ${this.#lastMessages}`,
          );
        }),
      ]).finally(() => heard.abort());
    }
  }

  /** Whether the socket thread replies. If so, the cell thread is stuck or a message was lost. */
  async #answers(): Promise<boolean> {
    const request = this.create("kernel_info_request", {});
    const replied = new Promise<boolean>((resolve) => this.#replies.set(request.header.msg_id, () => resolve(true)));
    await this.send(request, "control");
    return Promise.race([replied, pause(10_000, false)]);
  }

  /** The last broadcasts, for the message of a timeout. */
  get #lastMessages(): string {
    const shown = this.broadcasts.slice(-20).map(({ type, content, message: { parent } }) => {
      const about = "msg_type" in parent ? ` of ${parent.msg_type}` : "";
      return `${type}${type === "status" ? ` ${content["execution_state"]}` : ""}${about}`;
    });
    return shown.join(", ") || "nothing";
  }

  /** The first matching broadcast from now on. */
  next(fits: (received: Received) => boolean): Promise<Received> {
    const from = this.broadcasts.length;
    return this.until((received, place) => place >= from && fits(received));
  }

  /** Resolves when the kernel has begun with a cell, which requests on other channels can no longer overtake. */
  async executing(code: string): Promise<{ readonly executed: Promise<Exchange> }> {
    const begun = this.next(({ type }) => type === "execute_input");
    const executed = this.execute(code);
    await begun;
    return { executed };
  }

  /** Resolves when a cell prints `mark`. */
  async begun(mark: string): Promise<void> {
    await this.until(({ type, content }) => type === "stream" && String(content["text"]).includes(mark));
  }

  async beat(): Promise<string> {
    await this.#heartbeat.send("ping");
    return String((await this.#heartbeat.receive())[0]);
  }

  async close(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      this.process.kill("SIGKILL");
      await once(this.process, "exit");
    }
    for (const socket of [this.#shell, this.#control, this.#stdin, this.#iopub, this.#heartbeat]) socket.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #listen(): void {
    const reply = (received: Received) => {
      const { parent } = received.message;
      if ("msg_id" in parent) this.#replies.get(parent.msg_id)?.(received);
    };
    void this.#each(this.#shell, reply);
    void this.#each(this.#control, reply);
    void this.#each(this.#iopub, (received) => {
      this.broadcasts.push(received);
      for (const wake of this.#watchers) wake();
      this.#watchers.clear();
    });
    void this.#each(this.#stdin, ({ content, message }) => {
      const value = this.onInput(content);
      if (value === undefined) return;
      const answer = this.#messages.create("input_reply", { value }, { identities: [] });
      void this.#stdin.send(encodeMessage({ ...answer, parent: message.header }, this.#signer));
    });
  }

  async #each(socket: AsyncIterable<Buffer[]>, take: (received: Received) => void): Promise<void> {
    try {
      for await (const frames of socket) {
        const message = decodeMessage(frames, this.#signer);
        if (!message) throw new Error("a message is not signed as it should be");
        take({ type: message.header.msg_type, content: message.content, message });
      }
    } catch (error) {
      if (!(error instanceof Error && "code" in error)) throw error;
    }
  }
}
