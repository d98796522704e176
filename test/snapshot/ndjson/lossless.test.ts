import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tableSchemas } from "../../../src/snapshot/format/table-schema.js";
import { exportNdjson, importNdjson } from "../../../src/snapshot/ndjson/ndjson-files.js";
import { writeSnapshot } from "../../../src/snapshot/write/write-snapshot.js";
import { feature } from "../feature.js";
import { randomCompany } from "../random-company.js";
import { readAll } from "../read-all.js";
import { temporaryPaths } from "../temporary-folder.js";

const newPath = temporaryPaths();
const site1 = new Map([["site_id", [1]]]);

/** Values that a careless reader or writer changes. */
const ODD_VALUES = [
  ...[
    "1e400",
    "-1e400",
    "-0",
    "0.0",
    "1.0",
    "1",
    "1E5",
    "1e-400",
    "9007199254740993",
    "123456789012345678901234567890",
  ],
  ...[
    '"\\u0041 , b"',
    '"\\ud800"',
    '"\\u0000"',
    '"\\u00e9"',
    '"é"',
    '"\u2028"',
    '"\\/"',
    '"  a  b  "',
    '"[{ \\" }]"',
    '""',
  ],
  ...["{}", "[]", '{"b":1,"a":2}', '{"a":1,"a":2}', '{"__proto__":1,"":null}', "[[[[[[1]]]]]]", "true", "null"],
];

describe("a snapshot", () => {
  it("keeps the text of numbers, strings and keys", async () => {
    const lines = ODD_VALUES.map((value, index) =>
      JSON.stringify(feature(index + 1, { odd: "?" })).replace('"?"', () => value),
    );
    const path = newPath();
    await writeSnapshot(path, { layerFeatures: lines });
    expect(await readAll(path, "layerFeatures", site1)).toBe(`[${lines.join()}]`);
  });

  it("keeps the text of `new_value` of changes", async () => {
    const changes = ODD_VALUES.map((value, index) => {
      const id = `00000000-0000-7000-8000-${String(index).padStart(12, "0")}`;
      return `{"id":"${id}","layer_feature_id":1,"property_key":"K","new_value":${value},"system":false,"user_id":1,"caused_by_change_id":null,"created_at":"2025-01-01T00:00:00Z"}`;
    });
    const path = newPath();
    await writeSnapshot(path, { propertyChanges: changes });
    const text = await readAll(path, "propertyChanges", new Map([["layer_feature_id", [1]]]));
    expect(text).toBe(`[${changes.join()}]`);
  });

  it("keeps any JSON text, without the white space between tokens", async () => {
    const value = fc.jsonValue({ stringUnit: "binary" });
    const space = fc.string({ unit: fc.constantFrom(" ", "\t", "\r", "\n"), minLength: 1, maxLength: 3 });
    const key = fc.string({ unit: fc.constantFrom("a", " ", ",", ":", "{", "]", '"', "\\", "\n", "é") });
    const features = fc.array(fc.tuple(fc.dictionary(key, value, { noNullPrototype: true }), space), {
      maxLength: 200,
    });
    await fc.assert(
      fc.asyncProperty(features, async (drawn) => {
        const records = drawn.map(([properties], index) => feature(index + 1, properties));
        const path = newPath();
        await writeSnapshot(path, {
          layerFeatures: records.map((record, index) => JSON.stringify(record, null, drawn[index]?.[1])),
        });
        expect(await readAll(path, "layerFeatures", site1)).toBe(JSON.stringify(records));
      }),
      { numRuns: 5 },
    );
  });

  it("leaves out white space at each single place", async () => {
    const places: readonly ((json: string) => string)[] = [
      (json) => ` ${json}`,
      (json) => `${json}\n`,
      (json) => json.replace("{", "{\t"),
      (json) => json.replace(/\}$/, " }"),
      (json) => json.replace(":", " :"),
      (json) => json.replace(",", "\r,"),
    ];
    const records = places.map((_, index) => JSON.stringify(feature(index + 1, { a: 1 })));
    const path = newPath();
    await writeSnapshot(path, { layerFeatures: places.map((space, index) => space(records[index] ?? "")) });
    expect(await readAll(path, "layerFeatures", site1)).toBe(`[${records.join()}]`);
  });

  it("keeps any JSON value of a record that is an object", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue({ stringUnit: "binary" }), { maxLength: 200 }), async (values) => {
        const features = values.map((value, index) => feature(index + 1, { value, [String(index)]: [value] }));
        const path = newPath();
        await writeSnapshot(path, { layerFeatures: features });
        expect(JSON.parse(await readAll(path, "layerFeatures", site1))).toEqual(features);
      }),
      { numRuns: 5 },
    );
  });

  it("is the same after an export and an import", async () => {
    const contents = (dir: string) => tableSchemas.map(({ name }) => readFileSync(join(dir, `${name}.ndjson`), "utf8"));
    await fc.assert(
      fc.asyncProperty(randomCompany, async (company) => {
        const [path, dir, secondPath, secondDir] = [newPath(), newPath(), newPath(), newPath()];
        const first = await writeSnapshot(path, company);
        const counts = await exportNdjson(path, dir);
        const { manifest, skipped } = await importNdjson(dir, secondPath);
        await exportNdjson(secondPath, secondDir);
        expect(contents(secondDir)).toEqual(contents(dir));
        expect(skipped).toEqual([]);
        expect(manifest.files).toEqual(first.files);
        expect(counts.layerFeatures).toBe(company.layerFeatures.length);
        const datasets = readFileSync(join(dir, "datasets.ndjson"), "utf8").split("\n").filter(Boolean);
        expect(datasets.map((line) => JSON.parse(line) as unknown)).toEqual(
          [...company.datasets].sort((a, b) => a.id - b.id),
        );
      }),
      { numRuns: 4 },
    );
  });
});
