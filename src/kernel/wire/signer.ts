import { createHmac, timingSafeEqual } from "node:crypto";
import type { Connection } from "./connection.js";

/** Signs messages and checks their signatures with the key that only Jupyter and this kernel know. */
export class Signer {
  readonly #algorithm: string;
  readonly #key: string;

  constructor({ key, signature_scheme }: Pick<Connection, "key" | "signature_scheme">) {
    this.#algorithm = signature_scheme.replace(/^hmac-/, "");
    this.#key = key;
  }

  /** Hexadecimal; empty if there is no key. */
  sign(frames: readonly Uint8Array[]): string {
    if (this.#key === "") return "";
    const hmac = createHmac(this.#algorithm, this.#key);
    for (const frame of frames) hmac.update(frame);
    return hmac.digest("hex");
  }

  verify(signature: Uint8Array, frames: readonly Uint8Array[]): boolean {
    const expected = Buffer.from(this.sign(frames));
    return expected.length === 0 || (expected.length === signature.length && timingSafeEqual(expected, signature));
  }
}
