import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fromChanges } from "../../src/source/from-changes.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { findPython } from "../support/python.js";
import { change, feature, uuid } from "../support/records.js";
import { at, historyOf } from "./small-history.js";

const python = findPython("pm4py");
const folder = temporaryFolder();

const small = () =>
  historyOf(
    [feature(1), feature(2, { properties: { STATUS: "DONE" } })],
    [
      at("2024-01-05T00:00:00Z", "OPEN", 1),
      at("2024-01-07T00:00:00Z", "DONE", 2),
      change(3, { layer_feature_id: 2, property_key: "VOLUME", new_value: 5, created_at: "2024-01-06T00:00:00Z" }),
      change(4, { layer_feature_id: 2, property_key: "VOLUME", new_value: null, created_at: "2024-01-08T00:00:00Z" }),
    ],
  );

describe("toOCEL", () => {
  it("has features as objects and changes as events", async () => {
    const log = await (await small()).toOCEL();
    const [status, volume] = [
      { name: "STATUS", type: "string" },
      { name: "VOLUME", type: "float" },
    ];
    expect(log.objectTypes).toEqual([{ name: "TRENCHES", attributes: [status, volume] }]);
    const attributes = log.objects.flatMap(({ id, attributes }) => attributes.map((one) => ({ id, ...one })));
    expect(attributes).toEqual([
      { id: "1", name: "STATUS", time: "2024-01-05T00:00:00.000Z", value: "OPEN" },
      { id: "1", name: "STATUS", time: "2024-01-07T00:00:00.000Z", value: "DONE" },
      { id: "2", name: "STATUS", time: "1970-01-01T00:00:00.000Z", value: "DONE" },
      { id: "2", name: "VOLUME", time: "2024-01-06T00:00:00.000Z", value: 5 },
      { id: "2", name: "VOLUME", time: "2024-01-08T00:00:00.000Z", value: null },
    ]);
    expect(log.events.map(({ id, type, time }) => [id, type, time.slice(0, 10)])).toEqual([
      [uuid(1), "STATUS", "2024-01-05"],
      [uuid(3), "VOLUME", "2024-01-06"],
      [uuid(2), "STATUS", "2024-01-07"],
      [uuid(4), "VOLUME", "2024-01-08"],
    ]);
    const activities = await (await small()).toOCEL({ activity: "STATUS" });
    expect(activities.events.map(({ type }) => type)).toEqual(["OPEN", "DONE"]);
    expect(activities.eventTypes.map(({ name }) => name)).toEqual(["OPEN", "DONE"]);
  });

  it("writes logs of fromChanges(), and refuses invalid options", async () => {
    const history = await fromChanges([{ id: "A", v: "x", t: "2024-01-01T00:00:00Z" }], {
      ...{ id: "id", property: "state", value: "v", time: "t" },
    });
    const path = join(folder, "log.json");
    const log = await history.toOCEL({ path });
    expect(log.events).toMatchObject([{ id: "e0", type: "state", relationships: [{ objectId: "A" }] }]);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(log);
    await expect(history.toOCEL({ path: "log.xes" })).rejects.toThrow("path must be the path of a .json file");
    await expect(history.toOCEL({ activity: "sate" })).rejects.toThrow('Unknown property column "sate"');
  });

  it.skipIf(!python)("is read by pm4py", async () => {
    const path = join(folder, "read.json");
    await (await small()).toOCEL({ path });
    const read = `import json, sys, pm4py
log = pm4py.read_ocel2_json(sys.argv[1])
events = log.events.sort_values("ocel:timestamp")
print(json.dumps({"objects": sorted(log.objects["ocel:oid"]), "activities": list(events["ocel:activity"]),
  "of": list(log.relations.sort_values("ocel:timestamp")["ocel:oid"])}))`;
    const { stdout, stderr } = spawnSync(python?.program as string, ["-c", read, path], {
      encoding: "utf8",
      env: python?.env,
    });
    expect(JSON.parse(stdout.trim().split("\n").at(-1) || stderr)).toEqual({
      objects: ["1", "2"],
      activities: ["STATUS", "VOLUME", "STATUS", "VOLUME"],
      of: ["1", "2", "1", "2"],
    });
  });
});
