import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { join } from "node:path";
import { packageFolder } from "../../core/package-folder.js";
import { framedMessage, MalformedMessageError, MessageReader } from "../engine/typescript/check/message-stream.js";
import type { CommEvent } from "../threads/thread-messages.js";

/** Who opens a comm of this name speaks the Language Server Protocol through it. */
export const languageTarget = "siteframe.lsp";

/** Sends a part of a comm to the page. */
type Send = (event: Pick<CommEvent, "type" | "comm_id" | "data">) => void;

/** A page that has the language server. */
interface Connection {
  readonly commId: string;
  readonly server: ChildProcessWithoutNullStreams;
}

/** Why the kernel closes a comm. */
interface Closing {
  readonly reason: string;
  /** Whether another page has the server now. */
  readonly isReplaced?: true;
}

/** How much of what a server says of its end is passed on, in letters. */
const REASON_LENGTH = 1000;
/** How long a server may take to end by itself, and the compiler with it. */
const PATIENCE_MS = 2000;

/**
 * Carries messages between the page of a notebook and `siteframe lsp`, which is started in the notebook's folder when the
 * page asks for it. The data of a comm's messages are those of the protocol, without their frames. One page has the
 * server at a time: a page that was loaded anew says nothing of the comm that it had before.
 */
export class LanguageRelay {
  readonly #send: Send;
  /** A cell may change the process's directory later. */
  readonly #directory = process.cwd();
  #connection: Connection | undefined;

  constructor(send: Send) {
    this.#send = send;
  }

  take({ type, comm_id, data }: CommEvent): void {
    if (type === "comm_open") this.#open(comm_id);
    else if (comm_id !== this.#connection?.commId) return;
    else if (type === "comm_close") this.close();
    else this.#connection.server.stdin.write(framedMessage(Object(data) as object));
  }

  /** Ends the server. */
  close(): void {
    const server = this.#connection?.server;
    this.#connection = undefined;
    if (!server) return;
    server.stdin.end();
    setTimeout(() => server.kill(), PATIENCE_MS).unref();
  }

  #open(commId: string): void {
    if (this.#connection) {
      const reason = "Another page of the notebook has the language server now.";
      this.#disconnect(this.#connection, { reason, isReplaced: true });
    }
    const server = spawn(process.execPath, [join(packageFolder, "dist", "cli", "main.js"), "lsp", "--stdio"], {
      cwd: this.#directory,
      // Signals of a terminal or of Jupyter, which go to all processes of a group, are meant for cells.
      detached: process.platform !== "win32",
    });
    const connection = { commId, server };
    this.#connection = connection;
    const reader = new MessageReader();
    server.stdout.on("data", (chunk: Buffer) => {
      for (const data of reader.read(chunk)) {
        if (data instanceof MalformedMessageError) this.#disconnect(connection, { reason: String(data) });
        else if (this.#connection === connection) this.#send({ type: "comm_msg", comm_id: commId, data });
      }
    });
    let stderr = "";
    server.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-REASON_LENGTH);
    });
    // Where a server does not take what is written to it, its end is heard of below.
    server.stdin.on("error", () => undefined);
    server.on("error", (error) => this.#disconnect(connection, { reason: error.message }));
    server.on("close", () => this.#disconnect(connection, { reason: stderr.trim() }));
  }

  #disconnect(connection: Connection, data: Closing): void {
    if (this.#connection !== connection) return;
    this.close();
    this.#send({ type: "comm_close", comm_id: connection.commId, data });
  }
}
