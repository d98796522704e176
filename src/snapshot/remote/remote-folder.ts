import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, readdir, rm, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import type { Agent } from "undici";
import { AdaptiveLimiter } from "../../client/http/adaptive-limiter.js";
import { comeBackHint, isHtml, redirectHint, refusalError, requestText } from "../../client/http/request.js";
import { decodeStream } from "../../client/http/response-body.js";
import { type Attempt, type Failure, isRetryable, retry } from "../../client/http/retry.js";
import { networkReason, openAgent } from "../../client/http/transport.js";
import { cellSignal, childSignal, untilAborted } from "../../core/abort-signal.js";
import { removeFile, renamePath } from "../../core/busy-files.js";
import { cacheFolder } from "../../core/data-folder.js";
import { systemEffects } from "../../core/effects.js";
import { NetworkError, SiteframeError, SnapshotError } from "../../core/errors.js";
import { MS_PER_DAY } from "../../core/instant.js";
import { diskError, makeTargetFolder } from "../folder/target-folder.js";
import { MANIFEST_NAME, type Manifest, type StoredFile, storedFiles } from "../format/manifest.js";
import { parseManifest } from "../format/manifest-text.js";
import { fileBytes, pinnedFolder, refuseHivePath, refuseLinks } from "../format/snapshot-paths.js";
import type { RemoteAddress } from "./remote-address.js";

/** Maximum count of files that are fetched at once. */
const AT_ONCE = 6;
/** Maximum bytes of a manifest, which has a few hundred bytes per file. */
const MOST_MANIFEST_BYTES = 64 << 20;
/** Minimum bytes per second of a download. */
const SLOWEST = 16 << 10;
/** Unused files of other generations are removed after this time. */
const KEPT_MS = 7 * MS_PER_DAY;

/** Options for fetching. */
export interface FetchOptions {
  /** Folder for fetched files. Default: a folder of this user. */
  readonly cache?: string | undefined;
  readonly timeoutMs: number;
  readonly retries: number;
}

/** Fetches files of a snapshot. */
export type FileFetcher = Pick<RemoteFolder, "fetch">;

/**
 * A remote snapshot folder, with the local folder to which its files are fetched on demand. Files are named by content
 * and never change, so a fetched file serves all generations with it.
 */
export class RemoteFolder {
  /** Absolute path of the local folder. */
  readonly root: string;
  readonly #address: RemoteAddress;
  readonly #options: FetchOptions;
  readonly #agent: Promise<Agent>;
  readonly #closing = new AbortController();
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #limiter = new AdaptiveLimiter();
  #generation: number | undefined;

  private constructor(address: RemoteAddress, root: string, options: FetchOptions) {
    this.root = root;
    this.#address = address;
    this.#options = options;
    this.#agent = openAgent(AT_ONCE);
  }

  /** @throws SnapshotError if the local folder cannot be used */
  static async open(address: RemoteAddress, options: FetchOptions): Promise<RemoteFolder> {
    const name = createHash("sha256").update(address.text).digest("hex").slice(0, 16);
    const root = join(options.cache ?? join(cacheFolder(), "snapshots"), name);
    refuseHivePath(root);
    // Other users of the machine must not read the snapshot.
    await makeTargetFolder(root, 0o700);
    await refuseLinks(root);
    return new RemoteFolder(address, root, options);
  }

  /**
   * Returns the current manifest of a generation.
   *
   * @param generation default: the current one
   * @throws SnapshotError if the snapshot is missing, or if it lacks the generation
   */
  async readManifest(generation?: number): Promise<Manifest> {
    const present = await this.#manifestAt(MANIFEST_NAME);
    const at = this.#address.text;
    if (!present) {
      throw new SnapshotError(`No snapshot at ${at}: ${MANIFEST_NAME} is missing.`, {
        hint: "Pass the address of a snapshot folder.",
        facts: { path: at },
      });
    }
    const isPresent = generation === undefined || generation === present.generation;
    const manifest = isPresent ? present : await this.#manifestAt(`${pinnedFolder(generation)}.json`);
    if (!manifest || (generation !== undefined && manifest.generation !== generation)) {
      throw new SnapshotError(`${at} has no generation ${generation}.`, {
        hint: `The current generation is ${present.generation}; earlier ones may have been pruned.`,
        facts: { path: at, generation, held: [present.generation] },
      });
    }
    this.#generation = manifest.generation;
    await this.#tidy([present, manifest]);
    return manifest;
  }

  /**
   * Fetches files that are not in the local folder yet.
   *
   * @throws SnapshotError if a file is gone, or differs from the manifest
   * @throws NetworkError if the server is slow, breaks the connection or cannot be reached
   * @throws ApiError if the server refuses
   */
  async fetch(files: readonly StoredFile[], signal = cellSignal()): Promise<void> {
    const lacking = files.filter((file) => fileBytes(this.root, file.path) !== file.bytes);
    await untilAborted(Promise.all(lacking.map((file) => this.#once(file))), signal);
  }

  /** Cancels pending requests. */
  async close(): Promise<void> {
    this.#closing.abort(new SnapshotError(`The snapshot ${this.#address.text} was closed.`));
    await (await this.#agent).destroy();
  }

  /** Simultaneous callers of one file share a request. */
  #once(file: StoredFile): Promise<void> {
    const pending = this.#underWay.get(file.path);
    if (pending) return pending;
    const work = this.#bring(file).finally(() => this.#underWay.delete(file.path));
    this.#underWay.set(file.path, work);
    return work;
  }

  async #bring(file: StoredFile): Promise<void> {
    const slot = await this.#limiter.acquire(AT_ONCE, this.#closing.signal);
    const unfinished = join(this.root, `.unfinished-${randomUUID()}`);
    try {
      const isThere = await this.#get(file.path, (body, url) => this.#store(body, file, unfinished, url), file.bytes);
      if (!isThere) throw await this.#gone(file);
      const target = join(this.root, file.path);
      await mkdir(dirname(target), { recursive: true });
      await renamePath(unfinished, target);
    } catch (error) {
      throw diskError(error, this.root, "try again");
    } finally {
      slot.release("ok");
      await removeFile(unfinished);
    }
  }

  /** Writes a file during the download, and checks that it matches the manifest. */
  async #store(body: Readable, file: StoredFile, path: string, url: string): Promise<true> {
    const hash = createHash("sha256");
    let bytes = 0;
    await using target = await open(path, "w", 0o600);
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > file.bytes) throw lie(url, `has more than the ${file.bytes} bytes in the manifest`);
      hash.update(chunk);
      await target.writeFile(chunk);
    }
    if (bytes < file.bytes) throw new Error(`it ended after ${bytes} of ${file.bytes} bytes`);
    if (hash.digest("hex") !== file.sha256) throw lie(url, "differs from the manifest: its sha256 is different");
    return true;
  }

  async #manifestAt(path: string): Promise<Manifest | undefined> {
    const text = await this.#get(path, async (body, url) => {
      const chunks: Uint8Array[] = [];
      let bytes = 0;
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        bytes += chunk.length;
        if (bytes > MOST_MANIFEST_BYTES) throw lie(url, `has more than ${MOST_MANIFEST_BYTES >> 20} MB`);
        chunks.push(chunk);
      }
      const content = Buffer.concat(chunks);
      if (!isHtml(content)) return content.toString();
      throw new SnapshotError(`No snapshot at ${this.#address.text}: ${path} is an HTML page.`, {
        hint: "Pass the address of a snapshot folder, and the headers that a proxy needs: { headers: { authorization: … } }.",
        facts: { path: url },
      });
    });
    return text === undefined ? undefined : parseManifest(text, `${this.#address.text}/${path}`);
  }

  /** The error for a missing file, usually because the opened generation was pruned after a pull. */
  async #gone(file: StoredFile): Promise<SnapshotError> {
    const at = this.#address.text;
    const present = await this.#manifestAt(MANIFEST_NAME).catch(() => undefined);
    const facts = { path: `${at}/${file.path}`, generation: this.#generation, present: present?.generation };
    if (present && present.generation !== this.#generation) {
      return new SnapshotError(
        `${at} now has generation ${present.generation}, and files of the opened generation ${this.#generation} are gone.`,
        { hint: "Open the snapshot again. Keep earlier generations on the server while they are in use.", facts },
      );
    }
    return new SnapshotError(`${at}/${file.path} is missing.`, {
      hint: "Upload all files of the snapshot before its manifest.json.",
      facts,
    });
  }

  /**
   * Requests a file, with retries for temporary failures.
   *
   * @param use reads the body; errors other than Siteframe's cause a retry
   * @param bytes of the file, if known
   * @returns undefined if the file does not exist
   */
  async #get<T>(path: string, use: (body: Readable, url: string) => Promise<T>, bytes = 0): Promise<T | undefined> {
    const { timeoutMs, retries } = this.#options;
    const attempt = async (): Promise<Attempt<T | undefined>> => {
      const { url, headers } = await this.#address.request(path);
      const address = `${url.origin}${url.pathname}`;
      const late = new Error(`slower than ${timeoutMs} ms plus ${SLOWEST >> 10} kB per second`);
      const limit = childSignal(this.#closing.signal);
      const timer = setTimeout(() => limit.abort(late), timeoutMs + (bytes / SLOWEST) * 1000);
      try {
        const answer = await (await this.#agent).request({
          origin: url.origin,
          path: url.pathname,
          method: "GET",
          headers: { ...headers, "accept-encoding": "identity" },
          signal: limit.signal,
          headersTimeout: timeoutMs,
          bodyTimeout: timeoutMs,
        });
        const { statusCode: status, body } = answer;
        // Some stores send the coding of the upload, whatever the request accepts.
        if (status === 200)
          return { ok: true, value: await use(decodeStream(body, answer.headers["content-encoding"]), address) };
        // The body of a refusal is not needed, and may be long.
        body.on("error", () => {}).destroy();
        if (status === 404 || status === 410) return { ok: true, value: undefined };
        return { ok: false, failure: this.#refusal(status, address, answer.headers) };
      } catch (error) {
        this.#closing.signal.throwIfAborted();
        if (error instanceof SiteframeError || isOfDisk(error)) throw error;
        return { ok: false, failure: failureOf(limit.signal.reason === late ? late : error, address) };
      } finally {
        clearTimeout(timer);
        limit.detach();
      }
    };
    return retry(attempt, retries, systemEffects, this.#closing.signal);
  }

  #refusal(status: number, url: string, headers: Readonly<Record<string, string | string[] | undefined>>): Failure {
    const location = String(headers["location"]);
    const isMoved = status >= 300 && status < 400;
    const refused = isMoved ? redirectHint(location, "the snapshot address") : this.#address.refusedHint;
    return {
      retryable: isRetryable(status),
      retryAfter: headers["retry-after"],
      toError: (attempts, retryAfterMs) => {
        const hint = retryAfterMs === undefined ? (status < 500 ? refused : undefined) : comeBackHint(retryAfterMs);
        return refusalError(`${requestText(url, attempts)} failed with status ${status}.`, {
          status,
          method: "GET",
          url,
          body: "",
          facts: { attempts, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
          ...(hint === undefined ? {} : { hint }),
        });
      },
    };
  }

  /** Marks the used files, and removes files without generation that were not read for a while. */
  async #tidy(manifests: readonly Manifest[]): Promise<void> {
    const used = new Set(manifests.flatMap((manifest) => storedFiles(manifest).map(({ path }) => path)));
    const now = Date.now();
    const entries = await readdir(this.root, { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of entries.filter((each) => each.isFile())) {
      const target = join(entry.parentPath, entry.name);
      const path = target.slice(this.root.length + 1).replaceAll("\\", "/");
      // Other readers may remove it at the same time.
      const stats = await stat(target).catch(() => undefined);
      if (!stats) continue;
      if (used.has(path)) await utimes(target, now / 1000, now / 1000).catch(() => undefined);
      else if (now - stats.mtimeMs > KEPT_MS) await rm(target, { force: true });
    }
  }
}

function lie(url: string, problem: string): SnapshotError {
  return new SnapshotError(`${url} ${problem}.`, {
    hint: "Upload the snapshot again. The fetched file was discarded.",
    facts: { path: url },
  });
}

function isOfDisk(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && "path" in error;
}

function failureOf(error: unknown, url: string): Failure {
  const { code, reason, isFinal, cause } = networkReason(error);
  return {
    retryable: !isFinal,
    toError: (attempts) =>
      new NetworkError(`${requestText(url, attempts)} failed: ${reason}.`, {
        cause,
        hint: "Check the address and the network, or increase the option timeoutMs.",
        facts: { method: "GET", url, attempts, code },
      }),
  };
}
