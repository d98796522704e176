import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { join } from "node:path";
import { packageFolder } from "../../core/package-folder.js";
import { framedMessage, MalformedMessageError, MessageReader } from "../engine/typescript/check/message-stream.js";
import type { CommEvent } from "../threads/thread-messages.js";

/** The comm target through which pages use the Language Server Protocol. */
export const languageTarget = "siteframe.lsp";

/** Sends a message of a comm to the page. */
type Send = (event: Pick<CommEvent, "type" | "comm_id" | "data">) => void;

/** A page that uses the language server. */
interface Connection {
  readonly commId: string;
  readonly server: ChildProcessWithoutNullStreams;
}

/** Why the kernel closes a comm. */
interface Closing {
  readonly reason: string;
  /** Whether another page now has the server. */
  readonly isReplaced?: true;
}

/** Maximum length of a server's last message that is passed on, in characters. */
const REASON_LENGTH = 1000;
/** Time for a server to end on its own, including its compiler. */
const PATIENCE_MS = 2000;

/**
 * Relays messages between the page of a notebook and `siteframe lsp`, which is started in the notebook's folder on the
 * page's request. The comm's data are messages of the protocol, without their frames. One page has the server at a
 * time: a reloaded page does not close its earlier comm.
 */
export class LanguageRelay {
  readonly #send: Send;
  /** Saved because a cell may change the working directory. */
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
      const reason = "Another page of the notebook now uses the language server.";
      this.#disconnect(this.#connection, { reason, isReplaced: true });
    }
    const server = spawn(process.execPath, [join(packageFolder, "dist", "cli", "main.js"), "lsp", "--stdio"], {
      cwd: this.#directory,
      // Signals of a terminal or of Jupyter, which reach all processes of a group, are meant for cells.
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
    // If the server rejects input, its end is reported below.
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
