import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { History } from "../../src/history/history.js";
import { importChanges } from "../../src/snapshot/import-changes.js";
import { openSnapshot } from "../../src/snapshot/open-snapshot.js";
import { fromChanges } from "../../src/source/from-changes.js";
import { tableDifference } from "../support/same-tables.js";
import { temporaryFolder } from "./temporary-folder.js";

const csv = `issue,field,from,to,at,by,seen
A-1,points,,5,2024-01-03T10:00:00Z,bob,2024-01-03T10:00:01Z
A-2,status,Open,Blocked,2024-01-04T10:00:00Z,ann,2024-01-04T10:00:01Z
A-1,status,Open,Done,2024-01-05T10:00:00Z,ann,2024-01-05T10:00:01Z
A-2,status,Blocked,Done,2024-01-08T23:00:00Z,ann,2024-01-20T10:00:00Z
A-3,status,Open,Done,2024-01-11T23:00:00Z,,2024-01-21T10:00:00Z
`;
const issues = `issue,status,points,title,created
A-1,Done,5,Fence,2024-01-01T00:00:00Z
A-2,Done,,Gate,2024-01-02T00:00:00Z
A-3,Done,3,Road,2024-01-03T00:00:00Z
`;
const columns = { id: "issue", key: "field", value: "to", previous: "from", time: "at", sequence: "seen" } as const;
const readAt = new Date("2024-02-01T00:00:00Z");

describe("a log of changes as a snapshot", () => {
  const folder = temporaryFolder();

  it("answers on an engine and in SQL as its history does", async () => {
    const [log, entities, path] = ["log.csv", "issues.csv", "issues.snapshot"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    await writeFile(log, csv);
    await writeFile(entities, issues);
    const options = { ...columns, entities, created: "created", readAt } as const;
    const { findings } = await importChanges(log, path, { ...options, type: "ISSUES" });
    expect(findings).toEqual([]);
    const history = await fromChanges(log, options);
    const snapshot = await openSnapshot(path);
    const theirs = await snapshot.history({ semantic_type: "ISSUES" });
    const questions = await snapshot.questions({ semantic_type: "ISSUES" });
    const day = "2024-01-06";
    // Ids that are texts are `visible_id` in a snapshot.
    const named = (table: ReturnType<History["asOf"]>) =>
      table.select("visible_id", "points", "status", "title").rename({ visible_id: "id" });
    const ours = history.asOf(day).select("id", "points", "status", "title");
    expect(ours.array("status")).toEqual(["Done", "Blocked", "Open"]);
    expect(tableDifference(ours, named(theirs.asOf(day)))).toBeUndefined();
    expect(tableDifference(ours, named(await questions.asOf(day)))).toBeUndefined();
    expect(tableDifference(history.transitions("status"), await questions.transitions("status"))).toBeUndefined();
    expect(
      tableDifference(
        history.counts("status", { dates: [day] } as never),
        await questions.counts("status", { dates: [day] } as never),
      ),
    ).toBeUndefined();
    expect(theirs.knownAt("2024-01-10").asOf("2024-01-10").array("status")).toEqual(
      history.knownAt("2024-01-10").asOf("2024-01-10").array("status"),
    );
    const rows = await snapshot.sql(`SELECT visible_id, status FROM ISSUES_AT('${day}') ORDER BY 1`);
    expect(rows.array("status")).toEqual(["Done", "Blocked", "Open"]);
    await questions.close();
    await snapshot.close();
  });

  it("stores current values at the time of reading if changes are dated later", async () => {
    const path = join(folder, "planned.snapshot");
    const rows = [
      { id: 1, v: "Open", t: "2024-01-01T00:00:00Z" },
      { id: 1, v: "Done", t: "2024-03-01T00:00:00Z" },
      { id: 2, v: "Open", t: "2024-03-01T00:00:00Z" },
    ];
    await importChanges(rows, path, { id: "id", property: "state", value: "v", time: "t", readAt });
    const snapshot = await openSnapshot(path);
    const questions = await snapshot.questions({ semantic_type: "ENTITIES" });
    const layer = await snapshot.layer({ semantic_type: "ENTITIES" });
    expect(layer.table.array("state")).toEqual(["Open", null]);
    expect((await questions.reconcile()).objects()).toMatchObject([{ column: "state", pairs: 2, valid: 2 }]);
    expect(await questions.findings).toMatchObject([{ code: "beyond-reading", count: 2 }]);
    await questions.close();
    await snapshot.close();
  });

  it("keeps ids that are numbers, and ranks changes where nobody knows when they were recorded", async () => {
    const path = join(folder, "numbers.snapshot");
    const rows = [
      { id: 70, v: "late", t: "2024-01-02T00:00:00Z" },
      { id: 12, v: null, t: "2024-01-01T00:00:00Z" },
    ];
    await importChanges(rows, path, { id: "id", property: "state", value: "v", time: "t", readAt });
    const snapshot = await openSnapshot(path);
    const history = await snapshot.history({ semantic_type: "ENTITIES" });
    expect(history.asOf("2024-01-02").array("id")).toEqual([12, 70]);
    expect(history.changes().array("change_id")).toEqual([
      "00000000-0000-8000-8000-000000000001",
      "00000000-0000-8000-8000-000000000000",
    ]);
    await snapshot.close();
  });

  it("gives nobody the number of another", async () => {
    const path = join(folder, "people.snapshot");
    const rows = [1, "ann", null, "bob"].map((by, n) => ({ id: 1, v: n, t: `2024-01-0${n + 1}T00:00:00Z`, by }));
    await importChanges(rows, path, { id: "id", property: "p", value: "v", time: "t", user: "by", readAt });
    const snapshot = await openSnapshot(path);
    const history = await snapshot.history({ semantic_type: "ENTITIES" });
    expect(history.changes().array("user_id")).toEqual([1, 2, null, 3]);
    await snapshot.close();
  });

  it("refuses what is no log", async () => {
    const path = join(folder, "none.snapshot");
    await expect(importChanges([], path, { id: "id", key: "k", value: "v" } as never)).rejects.toThrow(
      "import needs the option time",
    );
    await expect(importChanges([], path, { id: "id", key: "k", value: "v", time: "t", type: "a b" })).rejects.toThrow(
      "no semantic type",
    );
  });

  it("refuses much less than the snapshot has, unless that is allowed", async () => {
    const path = join(folder, "shrunk.snapshot");
    const rows = Array.from({ length: 40 }, (_, index) => ({ id: index, to: "Open", at: "2024-01-01T00:00:00Z" }));
    const options = { id: "id", property: "status", value: "to", time: "at" } as const;
    await importChanges(rows, path, options);
    await importChanges(rows.slice(5), path, options);
    await expect(importChanges(rows.slice(20), path, options)).rejects.toMatchObject({
      name: "SnapshotError",
      message: expect.stringContaining("has 35 rows of layerFeatures, but the records to import have 20"),
    });
    const snapshot = await openSnapshot(path);
    expect((await snapshot.sql("SELECT count(*) AS n FROM layer_features")).get("n", 0)).toBe(35);
    await snapshot.close();
    await importChanges(rows.slice(20), path, { ...options, allowShrink: true });
  });
});
