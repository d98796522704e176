import { describe, expect, it } from "vitest";
import { endpoints } from "../../src/api/endpoints.js";
import { openApi } from "../../src/api/openapi.js";
import { resources } from "../../src/api/resources.js";

interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly schema: { readonly items?: unknown; readonly default?: number; readonly maximum?: number };
}
interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly responses: Readonly<Record<string, unknown>>;
}
interface Schema {
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, unknown>>;
}
interface Document {
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const document = JSON.parse(JSON.stringify(openApi("1.2.3"))) as Document;
const operations = Object.values(document.paths).map(({ get }) => get);

/** Every object in a JSON value, with its path. */
function* objects(value: unknown, path = "$"): Iterable<readonly [string, Readonly<Record<string, unknown>>]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [path, value as Readonly<Record<string, unknown>>];
  for (const [name, member] of Object.entries(value)) yield* objects(member, `${path}.${name}`);
}

describe("the OpenAPI document", () => {
  it("has its version and the seven endpoints", () => {
    expect(document).toMatchObject({ openapi: "3.1.0", info: { version: "1.2.3" } });
    expect(Object.keys(document.paths)).toEqual(Object.values(endpoints).map(({ path }) => path));
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(7);
  });

  it("names every parameter of an endpoint once", () => {
    for (const endpoint of Object.values(endpoints)) {
      const names = document.paths[endpoint.path]?.get.parameters.map(({ name }) => name) ?? [];
      expect(new Set(names).size).toBe(names.length);
      expect(names).toEqual(
        expect.arrayContaining([...Object.keys(endpoint.filters), "_page", "_pageSize", "_sortBy"]),
      );
    }
  });

  it("has the documented defaults and limits", () => {
    const parameter = (path: string, name: string) =>
      document.paths[path]?.get.parameters.find((candidate) => candidate.name === name);
    expect(parameter("/datasets", "_pageSize")?.schema).toMatchObject({ default: 10, maximum: 10_000 });
    expect(parameter("/sites", "_pageSize")?.schema).toEqual({ type: "integer", minimum: 1 });
    expect(parameter("/layerFeatures", "_page")?.required).toBe(true);
    expect(parameter("/propertyChanges", "layer_feature_id")).toMatchObject({
      required: true,
      schema: { minItems: 1, maxItems: 200 },
    });
    expect(parameter("/datasets", "operation_id[]")).toMatchObject({ allowEmptyValue: true });
    expect(parameter("/datasets", "id[]")).toBeUndefined();
  });

  it("resolves every reference", () => {
    const refs = [...objects(document)].flatMap(([, object]) => (typeof object.$ref === "string" ? [object.$ref] : []));
    expect(refs.length).toBeGreaterThan(20);
    for (const ref of refs)
      expect(document.components.schemas).toHaveProperty([ref.replace("#/components/schemas/", "")]);
  });

  it("has types of JSON Schema, and items for arrays", () => {
    const types = ["array", "boolean", "integer", "null", "number", "object", "string"];
    for (const [path, schema] of objects({ paths: document.paths, schemas: document.components.schemas })) {
      if (typeof schema.type !== "string") continue;
      expect(types, path).toContain(schema.type);
      if (schema.type === "array") expect(schema, path).toHaveProperty("items");
    }
  });

  it("describes every field of every record, and requires fields that are always present", () => {
    for (const resource of Object.values(resources)) {
      const schema = document.components.schemas[resource.record];
      expect(Object.keys(schema?.properties ?? {})).toEqual(Object.keys(resource.fields));
    }
    expect(document.components.schemas["Site"]?.required).toEqual(Object.keys(resources.sites.fields));
    expect(document.components.schemas["LayerFeature"]?.required).not.toContain("description");
    expect(document.components.schemas["Dataset"]?.properties).not.toHaveProperty("type");
  });

  it("names the answers of every endpoint", () => {
    for (const { responses } of operations) expect(Object.keys(responses)).toEqual(["200", "400", "401", "500"]);
  });
});
