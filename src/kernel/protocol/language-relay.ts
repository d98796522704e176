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
interface Line {
  readonly commId: string;
  readonly server: ChildProcessWithoutNullStreams;
}

/**
 * Carries messages between the page of a notebook and `siteframe lsp`, which is started in the notebook's folder when the
 * page asks for it. The data of a comm's messages are those of the protocol, without their frames. One page has the
 * server at a time: a page that was loaded anew says nothing of the comm that it had before.
 */
export class LanguageRelay {
  readonly #send: Send;
  /** A cell may change the process's directory later. */
  readonly #directory = process.cwd();
  #line: Line | undefined;

  constructor(send: Send) {
    this.#send = send;
  }

  take({ type, comm_id, data }: CommEvent): void {
    if (type === "comm_open") this.#open(comm_id);
    else if (comm_id !== this.#line?.commId) return;
    else if (type === "comm_close") this.close();
    else this.#line.server.stdin.write(framedMessage(Object(data) as object));
  }

  /** Ends the server. */
  close(): void {
    const line = this.#line;
    this.#line = undefined;
    line?.server.kill();
  }

  #open(commId: string): void {
    if (this.#line) this.#hangUp(this.#line, "Another page of the notebook has the language server now.");
    const server = spawn(process.execPath, [join(packageFolder, "dist", "cli", "main.js"), "lsp", "--stdio"], {
      cwd: this.#directory,
    });
    const line = { commId, server };
    this.#line = line;
    const reader = new MessageReader();
    server.stdout.on("data", (chunk: Buffer) => {
      for (const data of reader.read(chunk)) {
        if (data instanceof MalformedMessageError) this.#hangUp(line, String(data));
        else if (this.#line === line) this.#send({ type: "comm_msg", comm_id: commId, data });
      }
    });
    let told = "";
    server.stderr.setEncoding("utf8").on("data", (text: string) => {
      told = (told + text).slice(-1000);
    });
    // What is written to one that has ended; its end is told below.
    server.stdin.on("error", () => undefined);
    server.on("error", (error) => this.#hangUp(line, error.message));
    server.on("exit", () => this.#hangUp(line, told.trim()));
  }

  #hangUp(line: Line, reason: string): void {
    if (this.#line !== line) return;
    this.close();
    this.#send({ type: "comm_close", comm_id: line.commId, data: { reason } });
  }
}
