import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { writeSnapshot } from "../../../src/snapshot/write/write-snapshot.js";
import { duckdbJson } from "../../support/duckdb-rows.js";
import { feature } from "../feature.js";
import { temporaryPaths } from "../temporary-folder.js";

const newPath = temporaryPaths();

const UPPER = "ABCDEF00-0000-4000-8000-000000000001";
const LOWER = UPPER.toLowerCase();

/** The map of each feature, in order of id, as an engine reads it. */
async function storedMaps(properties: readonly string[]): Promise<readonly Readonly<Record<string, string>>[]> {
  const path = newPath();
  const layerFeatures = properties.map((text, index) =>
    JSON.stringify(feature(index + 1, { here: 1 })).replace('{"here":1}', () => text),
  );
  await writeSnapshot(path, { layerFeatures });
  const rows = await duckdbJson(`SELECT map_keys(properties), map_values(properties)
    FROM read_parquet('${join(path, "files", "layer_features", "**", "*.parquet")}') ORDER BY id`);
  return rows.map(([keys, values]) =>
    Object.fromEntries((keys as string[]).map((key, index) => [key, String((values as string[])[index])])),
  );
}

/** Key and value of each change, in order, as an engine reads them. */
async function storedChanges(changes: readonly (readonly [key: string, value: string])[]) {
  const path = newPath();
  const propertyChanges = changes.map(([key, value], index) => {
    const id = `00000000-0000-7000-8000-${String(index).padStart(12, "0")}`;
    return `{"id":"${id}","layer_feature_id":1,"property_key":${key},"new_value":${value},"system":false,"user_id":1,"caused_by_change_id":null,"created_at":"2025-01-01T00:00:00Z"}`;
  });
  await writeSnapshot(path, { propertyChanges });
  return duckdbJson(`SELECT property_key, new_value
    FROM read_parquet('${join(path, "files", "property_changes", "**", "*.parquet")}') ORDER BY id`);
}

/** JSON and its canonical form. */
const forms: readonly (readonly [written: string, canonical: string])[] = [
  ["1", "1"],
  ["1.0", "1"],
  ["1E2", "100"],
  ["-0", "0"],
  ["9007199254740993", "9007199254740992"],
  ["1e400", "1e999"],
  ["-1e400", "-1e999"],
  ['"1"', '"1"'],
  ['"\\u00e9\\/"', '"é/"'],
  ['"\\ud800"', '"\\ud800"'],
  ['"\\u0000\u2028"', '"\\u0000\u2028"'],
  ['{"b":[1.50],"a":null}', '{"a":null,"b":[1.5]}'],
  ['{"a":1,"a":2}', '{"a":2}'],
  ['[{ "x": "{\\"\'" }]', '[{"x":"{\\"\'"}]'],
  ["false", "false"],
  ['""', '""'],
];

describe("property_changes", () => {
  it("has keys and values in canonical form beside the record", async () => {
    const written = forms.map(([value]) => ['"STATUS"', value] as const);
    expect(await storedChanges(written)).toEqual(forms.map(([, canonical]) => ["STATUS", canonical]));
    const keys = [`"${UPPER}"`, `"${LOWER}"`, '"Status"', '"\\u0053TATUS"'].map((key) => [key, "null"] as const);
    expect(await storedChanges(keys)).toEqual([LOWER, LOWER, "Status", "STATUS"].map((key) => [key, null]));
  });
});

describe("layer_features", () => {
  it("has the current values by key, both in canonical form", async () => {
    const texts = forms.map(([value]) => `{"K":${value}}`);
    expect(await storedMaps(texts)).toEqual(forms.map(([, canonical]) => ({ K: canonical })));
  });

  it("omits null, and keeps the first value of a key in two spellings", async () => {
    const texts = [
      "{}",
      '{"A":null,"":0,"B":[null]}',
      `{"${UPPER}":1,"${LOWER}":2}`,
      `{"${UPPER}":null,"${LOWER}":2,"status":"a","STATUS":"b"}`,
      '{"K":1,"K":null}',
      '{"__proto__":1,"it\'s; \\"\\n\\u0000":2,"\\ud800":3,"\\udfff":4}',
    ];
    const [empty, nulls, first, second, last, odd] = await storedMaps(texts);
    expect([empty, nulls, first]).toEqual([{}, { "": "0", B: "[null]" }, { [LOWER]: "1" }]);
    expect([second, last]).toEqual([{ [LOWER]: "2", status: '"a"', STATUS: '"b"' }, {}]);
    const half = "\ufffd";
    expect(odd).toEqual(
      Object.fromEntries([
        ["__proto__", "1"],
        ["it's; \"\n\0", "2"],
        [half, "3"],
      ]),
    );
  });

  it("has every JSON value, and equal strings for equal values", async () => {
    const properties = fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue({ stringUnit: "binary" }));
    await fc.assert(
      fc.asyncProperty(fc.array(properties, { minLength: 1, maxLength: 50 }), async (records) => {
        const plain = records.map((record) => JSON.parse(JSON.stringify(record)) as Record<string, unknown>);
        const spaced = plain.map((record) => JSON.stringify(reversed(record), null, 1));
        const maps = await storedMaps(plain.map((record) => JSON.stringify(record)));
        expect(await storedMaps(spaced)).toEqual(maps);
        for (const [index, record] of plain.entries()) {
          const present = Object.entries(record).filter(([, value]) => value !== null);
          const stored = Object.entries(maps[index] ?? {}).map(([key, text]) => [key, JSON.parse(text) as unknown]);
          expect(Object.fromEntries(stored)).toEqual(Object.fromEntries(present));
        }
      }),
      { numRuns: 8 },
    );
  });
});

/** The same value with the members of every object in another order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).reverse();
  return Object.fromEntries(members.map(([key, item]) => [key, reversed(item)]));
}
