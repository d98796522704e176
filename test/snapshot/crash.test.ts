import { type SpawnOptions, spawn } from "node:child_process";
import { chmodSync, cpSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { connect, pull, type Source } from "../../src/index.js";
import { listGenerations, readManifest } from "../../src/snapshot/folder/manifest-file.js";
import { checkHashes, checkSizes } from "../../src/snapshot/folder/verify-files.js";
import { FILES, GENERATIONS } from "../../src/snapshot/format/manifest.js";
import { change, dataset, feature } from "../support/records.js";
import { type Company, type MovingService, movingService, site } from "./moving-service.js";
import { openedSnapshot } from "./opened-snapshot.js";
import { changeByPerson, operations, peopleInFolder } from "./pull/people.js";
import { stopAt } from "./pull/stop-at.js";
import { temporaryFolder } from "./temporary-folder.js";

const folder = temporaryFolder();
const KILLS = 50;
const REWRITE_KILLS = 20;

function company(status: string): Company {
  const features = Array.from({ length: 600 }, (_, index) =>
    feature(index + 1, { site_id: 1 + (index % 3), properties: { STATUS: status, n: index } }),
  );
  const first = features.map(({ id }) => changeByPerson(id, id));
  const second = features.map(({ id }) => change(10_000 + id, { layer_feature_id: id, new_value: status }));
  return {
    sites: [site(1), site(2), site(3)],
    operations,
    datasets: [dataset(1, { site_id: 1 })],
    propertyDefinitions: [],
    layerFeatures: features,
    propertyChanges: status === "OLD" ? first : [...first, ...second],
  };
}

async function answers(source: Source): Promise<unknown> {
  const layer = await source.layer({ site_id: [1, 2, 3] });
  const history = await layer.history();
  return { rows: layer.table.objects(), changes: history.changes().objects() };
}

async function stored(path: string): Promise<unknown> {
  return answers(await openedSnapshot(path));
}

describe("a pull that is killed", () => {
  let service: MovingService;
  let source: Source;
  let [before, after]: unknown[] = [];
  const [old, path] = [join(folder, "old"), join(folder, "killed")];

  beforeAll(async () => {
    service = await movingService(folder, company("OLD"));
    source = connect({ baseUrl: service.url, apiKey: "k" });
    await pull(source, old);
    before = await answers(source);
    await service.show(company("NEW"));
    after = await answers(source);
    return async () => {
      await source.close();
      await service.close();
    };
  });

  const pullInto = (target: string) => [
    ...[process.execPath, "dist/cli/main.js"],
    ...["pull", target, "--base-url", service.url],
  ];

  /** Exit code and standard error; no code if it was killed. */
  function run(
    command: readonly string[],
    options: SpawnOptions = {},
  ): Promise<{ readonly code: number | null; readonly stderr: string }> {
    const [program = "", ...given] = command;
    const child = spawn(program, given, {
      env: { ...process.env, SITEFRAME_API_KEY: "k" },
      stdio: ["ignore", "ignore", "pipe"],
      killSignal: "SIGKILL",
      ...options,
    });
    let stderr = "";
    child.stderr?.on("data", (chunk) => {
      stderr += chunk;
    });
    return new Promise((resolve) => child.on("close", (code) => resolve({ code, stderr })));
  }

  const killAfter = (target: string, ms: number) => run(pullInto(target), { timeout: Math.round(ms) });

  it(`leaves a whole generation, the earlier or the new, ${KILLS} times`, { timeout: 900_000 }, async () => {
    cpSync(old, path, { recursive: true });
    const begun = performance.now();
    expect(await killAfter(path, 60_000)).toMatchObject({ code: 0 });
    const wholeMs = performance.now() - begun;
    let [killed, renewed] = [0, 0];
    while (killed < KILLS) {
      if (renewed === 0 || (await listGenerations(path)).length > 1) {
        rmSync(path, { recursive: true });
        cpSync(old, path, { recursive: true });
        renewed += 1;
      }
      // The process takes a third of its time to load.
      const { code, stderr } = await killAfter(path, wholeMs * (0.25 + 0.8 * Math.random()));
      expect(code ?? 0, stderr).toBe(0);
      if (code === null) killed += 1;
      const generations = await listGenerations(path);
      for (const manifest of generations) {
        await checkSizes(path, manifest);
        await checkHashes(path, manifest.files);
      }
      if (killed % 10 === 0) expect(await stored(path)).toEqual(generations.length === 1 ? before : after);
    }
    if ((await listGenerations(path)).length === 1) expect(await killAfter(path, 60_000)).toMatchObject({ code: 0 });
    expect(await stored(path)).toEqual(after);
    await pull(source, path);
    // A file of a lock that was just being made is left for two minutes.
    expect(readdirSync(path).filter((name) => name.startsWith(".") && !name.startsWith(".lock-"))).toEqual([]);
  });

  it("while it rewrites the folder never leaves people behind a manifest with pseudonyms", {
    timeout: 900_000,
  }, async () => {
    const rewritten = join(folder, "rewritten");
    const rewrite = [...pullInto(rewritten), "--redact", "--rewrite"];
    const restore = () => {
      rmSync(rewritten, { recursive: true, force: true });
      cpSync(old, rewritten, { recursive: true });
    };
    restore();
    const begun = performance.now();
    expect(await run(rewrite)).toMatchObject({ code: 0 });
    const wholeMs = performance.now() - begun;
    for (let killed = 0; killed < REWRITE_KILLS; ) {
      const { pseudonyms, rewriting } = await readManifest(rewritten);
      if (pseudonyms !== undefined && !rewriting) restore();
      const { code, stderr } = await run(rewrite, { timeout: Math.round(wholeMs * (0.25 + 0.8 * Math.random())) });
      expect(code ?? 0, stderr).toBe(0);
      if (code === null) killed += 1;
      const state = await readManifest(rewritten);
      if (state.pseudonyms !== undefined && !state.rewriting) expect(await peopleInFolder(rewritten)).toEqual([]);
    }
    expect(await run(rewrite)).toMatchObject({ code: 0 });
    expect(await peopleInFolder(rewritten)).toEqual([]);
  });

  it("resumes between the files and the manifest of the new generation", async () => {
    const half = join(folder, "half");
    cpSync(old, half, { recursive: true });
    const obstacle = join(half, GENERATIONS);
    writeFileSync(obstacle, "");
    await expect(pull(source, half)).rejects.toThrow("EEXIST");
    expect(await stored(half)).toEqual(before);
    rmSync(obstacle);
    expect(await pull(source, half)).toMatchObject({ resumed: true, generation: 2 });
    expect(await stored(half)).toEqual(after);
  });

  it("starts again if a file of the stopped pull is missing", async () => {
    const torn = join(folder, "torn");
    cpSync(old, torn, { recursive: true });
    await expect(pull(source, torn, stopAt("/propertyChanges"))).rejects.toThrow("lost");
    expect(await stored(torn)).toEqual(before);
    rmSync(join(torn, ".pull", FILES), { recursive: true });
    expect(await pull(source, torn)).toMatchObject({ resumed: false, generation: 2 });
    expect(await stored(torn)).toEqual(after);
  });

  it("leaves the earlier generation if the disk is full, and resumes when there is room", async () => {
    const full = join(folder, "full");
    cpSync(old, full, { recursive: true });
    const { code, stderr } = await run(["bash", "-c", 'ulimit -f 24; exec "$0" "$@"', ...pullInto(full)]);
    expect(code, stderr).toBe(1);
    expect(stderr).toMatch(/full cannot be written: .*Make room/);
    expect(await stored(full)).toEqual(before);
    await pull(source, full);
    expect(await stored(full)).toEqual(after);
  });

  it("leaves a read-only folder unchanged", async () => {
    const locked = join(folder, "locked");
    cpSync(old, locked, { recursive: true });
    chmodSync(folder, 0o755);
    chmodSync(locked, 0o555);
    // The administrator may write anywhere.
    const otherUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const { code, stderr } = await run(pullInto(locked), otherUser);
    expect(code, stderr).toBe(1);
    expect(stderr).toMatch(/locked cannot be written: permission is denied\./);
    expect(await stored(locked)).toEqual(before);
    chmodSync(locked, 0o755);
  });
});
