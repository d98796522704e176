import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { History } from "../../src/history/history.js";
import { importChanges } from "../../src/snapshot/import-changes.js";
import { fromChanges } from "../../src/source/from-changes.js";
import { tableDifference } from "../support/same-tables.js";
import { openedSnapshot } from "./opened-snapshot.js";
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

  it("returns the same by an engine and by SQL as by its history", async () => {
    const [log, entities, path] = [
      join(folder, "log.csv"),
      join(folder, "issues.csv"),
      join(folder, "issues.snapshot"),
    ];
    await writeFile(log, csv);
    await writeFile(entities, issues);
    const options = { ...columns, entities, created: "created", readAt } as const;
    const { diagnostics } = await importChanges(log, path, { ...options, type: "ISSUES" });
    expect(diagnostics).toEqual([]);
    const history = await fromChanges(log, options);
    const snapshot = await openedSnapshot(path);
    const theirs = await snapshot.history({ semantic_type: "ISSUES" });
    await using questions = await snapshot.lazyHistory({ semantic_type: "ISSUES" });
    const day = "2024-01-06";
    // Ids that are texts are `visible_id` in a snapshot.
    const named = (table: ReturnType<History["asOf"]>) =>
      table.select("visible_id", "points", "status", "title").rename({ visible_id: "id" });
    const ours = history.asOf(day).select("id", "points", "status", "title");
    expect(ours.array("status")).toEqual(["Done", "Blocked", "Open"]);
    expect(tableDifference(ours, named(theirs.asOf(day)))).toBeUndefined();
    expect(tableDifference(ours, named(await questions.asOf(day)))).toBeUndefined();
    expect(tableDifference(history.transitions("status"), await questions.transitions("status"))).toBeUndefined();
    expect(tableDifference(history.counts("status", [day]), await questions.counts("status", [day]))).toBeUndefined();
    expect(theirs.knownAt("2024-01-10").asOf("2024-01-10").array("status")).toEqual(
      history.knownAt("2024-01-10").asOf("2024-01-10").array("status"),
    );
    const rows = await snapshot.sql(`SELECT visible_id, status FROM ISSUES_AT('${day}') ORDER BY 1`);
    expect(rows.array("status")).toEqual(["Done", "Blocked", "Open"]);
  });

  it("stores the values at the time of reading as current values if changes are dated later", async () => {
    const path = join(folder, "planned.snapshot");
    const rows = [
      { id: 1, v: "Open", t: "2024-01-01T00:00:00Z" },
      { id: 1, v: "Done", t: "2024-03-01T00:00:00Z" },
      { id: 2, v: "Open", t: "2024-03-01T00:00:00Z" },
    ];
    await importChanges(rows, path, { id: "id", property: "state", value: "v", time: "t", readAt });
    const snapshot = await openedSnapshot(path);
    await using questions = await snapshot.lazyHistory({ semantic_type: "ENTITIES" });
    const layer = await snapshot.layer({ semantic_type: "ENTITIES" });
    expect(layer.table.array("state")).toEqual(["Open", null]);
    expect((await questions.reconcile()).objects()).toMatchObject([{ column: "state", pairs: 2, valid: 2 }]);
    expect(await questions.diagnostics).toMatchObject([{ code: "date-after-read", count: 2 }]);
  });

  it("keeps numeric ids, and ranks changes without a recording time", async () => {
    const path = join(folder, "numbers.snapshot");
    const rows = [
      { id: 70, v: "late", t: "2024-01-02T00:00:00Z" },
      { id: 12, v: null, t: "2024-01-01T00:00:00Z" },
    ];
    await importChanges(rows, path, { id: "id", property: "state", value: "v", time: "t", readAt });
    const snapshot = await openedSnapshot(path);
    const history = await snapshot.history({ semantic_type: "ENTITIES" });
    expect(history.asOf("2024-01-02").array("id")).toEqual([12, 70]);
    expect(history.changes().array("change_id")).toEqual([
      "00000000-0000-8000-8000-000000000001",
      "00000000-0000-8000-8000-000000000000",
    ]);
  });

  it("gives every user a different number", async () => {
    const path = join(folder, "people.snapshot");
    const rows = [1, "ann", null, "bob"].map((by, n) => ({ id: 1, v: n, t: `2024-01-0${n + 1}T00:00:00Z`, by }));
    await importChanges(rows, path, { id: "id", property: "p", value: "v", time: "t", user: "by", readAt });
    const snapshot = await openedSnapshot(path);
    const history = await snapshot.history({ semantic_type: "ENTITIES" });
    expect(history.changes().array("user_id")).toEqual([1, 2, null, 3]);
  });

  it("refuses missing and invalid options", async () => {
    const path = join(folder, "none.snapshot");
    await expect(importChanges([], path, { id: "id", key: "k", value: "v" } as never)).rejects.toThrow(
      "import: the option time is missing",
    );
    await expect(importChanges([], path, { id: "id", key: "k", value: "v", time: "t", type: "a b" })).rejects.toThrow(
      "Invalid semantic type",
    );
  });

  it("refuses far fewer rows than the snapshot has, unless that is allowed", async () => {
    const path = join(folder, "shrunk.snapshot");
    const rows = Array.from({ length: 40 }, (_, index) => ({ id: index, to: "Open", at: "2024-01-01T00:00:00Z" }));
    const options = { id: "id", property: "status", value: "to", time: "at" } as const;
    await importChanges(rows, path, options);
    await importChanges(rows.slice(5), path, options);
    await expect(importChanges(rows.slice(20), path, options)).rejects.toMatchObject({
      name: "SnapshotError",
      message: expect.stringContaining("has 35 rows of layerFeatures, but the imported records have 20"),
    });
    const snapshot = await openedSnapshot(path);
    expect((await snapshot.sql("SELECT count(*) AS n FROM layer_features")).get("n", 0)).toBe(35);
    await importChanges(rows.slice(20), path, { ...options, allowShrink: true });
  });
});
