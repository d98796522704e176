import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  connect,
  type PullOptions,
  pinGeneration,
  pull,
  type Source,
  verifySnapshot,
  writeDuckLake,
} from "../../../src/index.js";
import { listGenerations, readManifest } from "../../../src/snapshot/folder/manifest-file.js";
import { importNdjson } from "../../../src/snapshot/ndjson/ndjson-files.js";
import { dataset, feature } from "../../support/records.js";
import { type Company, type MovingService, movingService, site } from "../moving-service.js";
import { openedSnapshot } from "../opened-snapshot.js";
import { temporaryFolder, temporaryPaths } from "../temporary-folder.js";
import { changeByPerson, operations, peopleInFolder } from "./people.js";
import { stopAt } from "./stop-at.js";

const folder = temporaryFolder();
const newPath = temporaryPaths(folder);

function company(): Company {
  const layerFeatures = Array.from({ length: 300 }, (_, index) => feature(index + 1, { site_id: 1 + (index % 3) }));
  return {
    sites: [site(1), site(2), site(3)],
    operations,
    datasets: [dataset(1)],
    propertyDefinitions: [],
    layerFeatures,
    propertyChanges: layerFeatures.map(({ id }) => changeByPerson(id, id)),
  };
}

/** Whether the newest manifest claims that the whole folder has pseudonyms. */
async function isClaimed(path: string): Promise<boolean> {
  const { pseudonyms, rewriting } = await readManifest(path);
  return pseudonyms !== undefined && !rewriting;
}

describe("a folder", () => {
  let service: MovingService;
  let source: Source;
  let path = "";
  const redact: PullOptions = { redact: true };
  const rewrite: PullOptions = { redact: true, rewrite: true };

  beforeAll(async () => {
    service = await movingService(folder, company());
    source = connect({ baseUrl: service.url, apiKey: "k" });
    return async () => {
      await source.close();
      await service.close();
    };
  });
  beforeEach(async () => {
    await service.show(company());
    path = newPath();
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  /** Two generations with people, the first pinned, and a lake. */
  const pullPlain = async () => {
    await pull(source, path);
    await pinGeneration(path);
    await writeDuckLake(path);
    const later = company();
    later.layerFeatures.pop();
    later.propertyChanges.push(changeByPerson(9001, 5));
    await service.show(later);
    await pull(source, path);
  };

  const withKey = async (key: string, options: PullOptions) => {
    vi.stubEnv("SITEFRAME_PSEUDONYM_KEY", key);
    const other = connect({ baseUrl: service.url, apiKey: "k" });
    try {
      return await pull(other, path, options);
    } finally {
      await other.close();
      vi.unstubAllEnvs();
    }
  };

  it("with people refuses pseudonyms, and stays unchanged", async () => {
    await pullPlain();
    const before = readFileSync(join(path, "manifest.json"), "utf8");
    for (const options of [redact, { redact: true, fullLog: true }]) {
      await expect(pull(source, path, options)).rejects.toMatchObject({
        code: "ERR_SNAPSHOT",
        message: expect.stringMatching(/contains person data/),
        hint: expect.stringMatching(/another folder.*--rewrite.*removes earlier generations/),
      });
    }
    const redacting = connect({ baseUrl: service.url, apiKey: "k", redact: true });
    await expect(pull(redacting, path)).rejects.toThrow(/contains person data/);
    await redacting.close();
    expect(readFileSync(join(path, "manifest.json"), "utf8")).toBe(before);
    expect(await pull(source, path)).toMatchObject({ generation: 3, rewritten: false });
  });

  it("that is rewritten has no person in any file, and can be pulled into as before", async () => {
    await pullPlain();
    await expect(pull(source, path, { ...stopAt(1), fullLog: true })).rejects.toThrow("lost");
    writeFileSync(join(path, ".unfinished-0"), "Ottilie Quandt");
    const held = (await peopleInFolder(path)).map((found) => found.replace(/^([^/:]*(?:\/[^/:]*)?).*/, "$1"));
    for (const place of ["files/operations", "files/columns", "generations/000001", "lake.ducklake"]) {
      expect(held).toContain(place);
    }
    const report = await pull(source, path, rewrite);
    expect(report).toMatchObject({
      generation: 3,
      rewritten: true,
      rows: { layerFeatures: 299, propertyChanges: 300 },
    });
    expect(await peopleInFolder(path)).toEqual([]);
    expect((await listGenerations(path)).map(({ generation }) => generation)).toEqual([3]);
    expect(readdirSync(path).sort()).toEqual(["files", "generations", "lake.ducklake", "manifest.json"]);
    expect(await verifySnapshot(path)).toMatchObject({ damage: [] });
    expect(await isClaimed(path)).toBe(true);
    expect(await pull(source, path, rewrite)).toMatchObject({
      generation: 4,
      rewritten: false,
      found: { property_changes: 0 },
    });
    expect(await pull(source, path, redact)).toMatchObject({ generation: 5, found: { property_changes: 0 } });
    expect(await peopleInFolder(path)).toEqual([]);
  });

  it("that is rewritten has the values of a folder that was always redacted", async () => {
    await pullPlain();
    const fresh = newPath();
    await pull(source, path, rewrite);
    await pull(source, fresh, redact);
    const answers = async (where: string) => {
      const snapshot = await openedSnapshot(where);
      const history = await snapshot.history({ site_id: [1, 2, 3] });
      return { people: (await snapshot.operations()).objects(), changes: history.changes().objects() };
    };
    expect(await answers(path)).toEqual(await answers(fresh));
  });

  it("with pseudonyms refuses people and the pseudonyms of another key", async () => {
    await pull(source, path, redact);
    await expect(pull(source, path)).rejects.toMatchObject({
      message: expect.stringMatching(/contains pseudonyms/),
      hint: expect.stringMatching(/--redact/),
    });
    await expect(withKey("another key of many letters", redact)).rejects.toMatchObject({
      message: expect.stringMatching(/pseudonyms of a different key/),
      hint: expect.stringMatching(/SITEFRAME_PSEUDONYM_KEY/),
    });
    const records = newPath();
    mkdirSync(records);
    writeFileSync(join(records, "operations.ndjson"), `${JSON.stringify(operations[0])}\n`);
    await expect(importNdjson(records, path)).rejects.toThrow(/contains pseudonyms/);
    expect(await peopleInFolder(path)).toEqual([]);
    const keyId = (await readManifest(path)).pseudonyms;
    expect(await withKey("another key of many letters", rewrite)).toMatchObject({ generation: 2, rewritten: true });
    expect((await readManifest(path)).pseudonyms).toMatch(/^[0-9a-f]{16}$/);
    expect((await readManifest(path)).pseudonyms).not.toBe(keyId);
  });

  it("with pseudonyms can be rewritten with people", async () => {
    await pull(source, path, redact);
    expect(await pull(source, path, { rewrite: true })).toMatchObject({ generation: 2, rewritten: true });
    expect(await isClaimed(path)).toBe(false);
    const snapshot = await openedSnapshot(path);
    expect((await snapshot.operations()).array("contact_name")).toEqual(operations.map((one) => one.contact_name));
    expect((await listGenerations(path)).length).toBe(1);
    expect(await pull(source, path)).toMatchObject({ generation: 3, rewritten: false });
  });

  it("of one site refuses pseudonyms, and can be rewritten", async () => {
    await pull(source, path, { site_id: 2 });
    await expect(pull(source, path, { site_id: 2, redact: true })).rejects.toThrow(/contains person data/);
    await expect(pull(source, path, { ...rewrite, site_id: 1 })).rejects.toThrow(/not only 1/);
    expect(await pull(source, path, rewrite)).toMatchObject({ rewritten: true, rows: { layerFeatures: 100 } });
    expect(await peopleInFolder(path)).toEqual([]);
  });

  it("with generations of both kinds refuses both", async () => {
    await pull(source, path);
    const plain = readFileSync(join(path, "manifest.json"));
    await pull(source, path, rewrite);
    writeFileSync(join(path, "generations", "000001.json"), plain);
    await expect(pull(source, path, redact)).rejects.toThrow(/earlier generations with different redaction/);
    await expect(pull(source, path)).rejects.toThrow(/contains pseudonyms/);
    expect(await pull(source, path, rewrite)).toMatchObject({ rewritten: true });
    expect(await peopleInFolder(path)).toEqual([]);
  });

  it("with other files is not rewritten until they are moved", async () => {
    await pull(source, path);
    const [notes, part] = [join(path, "notes.txt"), join(path, "files", "operations", "copy.parquet")];
    writeFileSync(notes, "Ottilie Quandt");
    writeFileSync(part, "Ottilie Quandt");
    await expect(pull(source, path, rewrite)).rejects.toThrow(/notes\.txt, files\/operations\/copy\.parquet/);
    rmSync(notes);
    rmSync(part);
    expect(await pull(source, path, rewrite)).toMatchObject({ rewritten: true });
  });

  it("is not rewritten with a key that sees less", async () => {
    await pull(source, path);
    const limited = connect({ baseUrl: service.url, apiKey: "one" });
    await expect(pull(limited, path, rewrite)).rejects.toThrow(/missing in the service/);
    expect((await listGenerations(path)).map(({ pseudonyms }) => pseudonyms)).toEqual([undefined]);
    expect(await pull(limited, path, { ...rewrite, allowShrink: true })).toMatchObject({
      rewritten: true,
      resumed: true,
    });
    await limited.close();
    expect(await peopleInFolder(path)).toEqual([]);
  });

  it("in which a first pull was stopped has no person after a pull with pseudonyms", async () => {
    await expect(pull(source, path, stopAt("/propertyChanges"))).rejects.toThrow("lost");
    // Files are put in place before the first manifest.
    cpSync(join(path, ".pull", "files"), join(path, "files"), { recursive: true });
    mkdirSync(join(path, "generations", "000001", "operations"), { recursive: true });
    cpSync(join(path, "files", "operations"), join(path, "generations", "000001", "operations"), { recursive: true });
    expect(await peopleInFolder(path)).not.toEqual([]);
    await pull(source, path, redact);
    expect(await peopleInFolder(path)).toEqual([]);
    expect(await isClaimed(path)).toBe(true);
  });

  it("whose rewrite is stopped at any request claims nothing, and the next pull resumes", async () => {
    await pullPlain();
    for (let request = 1; ; request += 3) {
      const isDone = await pull(source, path, { ...rewrite, ...stopAt(request) }).then(
        () => true,
        () => false,
      );
      if (isDone) break;
      expect(await isClaimed(path)).toBe(false);
      await expect(pull(source, path, redact)).rejects.toThrow(/contains person data/);
    }
    expect(await peopleInFolder(path)).toEqual([]);
  });

  it("whose rewrite is stopped while it removes files claims nothing, and the next pull finishes it", async () => {
    await pullPlain();
    const lake = join(path, "lake.ducklake");
    writeFileSync(lake, "no catalog of Ottilie Quandt");
    await expect(pull(source, path, rewrite)).rejects.toThrow(/lake\.ducklake/);
    rmSync(lake);
    expect(await peopleInFolder(path)).not.toEqual([]);
    expect(await isClaimed(path)).toBe(false);
    await expect(pull(source, path)).rejects.toThrow(/contains pseudonyms/);
    expect(await pull(source, path, redact)).toMatchObject({ generation: 4, rewritten: false });
    expect(await peopleInFolder(path)).toEqual([]);
    expect(await isClaimed(path)).toBe(true);
  });

  it("with pseudonyms claims nothing while it is rewritten with people", async () => {
    await pull(source, path, redact);
    const stopped = pull(source, path, { rewrite: true, ...stopAt("/propertyChanges") });
    await expect(stopped).rejects.toThrow("lost");
    expect(await peopleInFolder(path)).not.toEqual([]);
    expect(await isClaimed(path)).toBe(false);
    await expect(pull(source, path)).rejects.toThrow(/contains pseudonyms/);
    expect(await pull(source, path, redact)).toMatchObject({ generation: 2, rewritten: false });
    expect(await peopleInFolder(path)).toEqual([]);
    expect(await isClaimed(path)).toBe(true);
    expect((await listGenerations(path)).length).toBe(2);
  });

  it("does not resume a pull with another key", async () => {
    const stopped = withKey("one key of many letters", { ...redact, ...stopAt("/propertyChanges") });
    await expect(stopped).rejects.toThrow("lost");
    expect(await withKey("two keys of many letters", redact)).toMatchObject({ resumed: false });
  });

  it("causes an error for open readers after a rewrite", async () => {
    await pull(source, path);
    const snapshot = await openedSnapshot(path);
    await pull(source, path, rewrite);
    await expect(snapshot.history({ site_id: [1, 2, 3] })).rejects.toMatchObject({ code: "ERR_SNAPSHOT" });
  });

  it("keeps its pseudonyms in copies and in redacted reads", async () => {
    await pull(source, path, redact);
    const snapshot = await openedSnapshot(path);
    const stored = (await snapshot.operations()).array("contact_name");
    expect((await snapshot.operations({}, { redact: true })).array("contact_name")).toEqual(stored);
    const copy = newPath();
    await pull(snapshot, copy);
    await pull(snapshot, copy, redact);
    expect(await isClaimed(copy)).toBe(true);
    const copied = await openedSnapshot(copy);
    expect((await copied.operations()).array("contact_name")).toEqual(stored);
    expect(existsSync(join(copy, ".pull"))).toBe(false);
  });
});
