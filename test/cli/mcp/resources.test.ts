import { readFile } from "node:fs/promises";
import type { Client } from "@modelcontextprotocol/client";
import { beforeAll, describe, expect, it } from "vitest";
import type { Source } from "../../../src/index.js";
import { connectClient, markedData, promptText, resourceText } from "./connect-client.js";
import { sampleRecords } from "./sample-records.js";

const source: Source = sampleRecords();
let client: Client;

beforeAll(async () => {
  client = await connectClient({ source });
});

const read = (uri: string, of = client) => resourceText(of, uri);

describe("resources", () => {
  it("are the packed glossary, and the dictionaries of layers", async () => {
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(["siteframe://glossary"]);
    expect(await read("siteframe://glossary")).toBe(await readFile("docs/glossary.md", "utf8"));
    const packed: unknown = JSON.parse(await readFile("package.json", "utf8"));
    expect(packed).toMatchObject({ files: expect.arrayContaining(["docs/glossary.md"]) });
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "siteframe://sites/{site}/layers/{layer}",
    ]);
  });

  it.each(["101", encodeURIComponent("Llano Verde Solar Park")])(
    "contain the dictionary of a layer: site %s",
    async (site) => {
      const layer = await (await source.site(101)).layer("TRENCHES");
      const text = await read(`siteframe://sites/${site}/layers/TRENCHES`);
      const dictionary = JSON.parse(markedData(text));
      const described = layer.describe();
      expect(dictionary.columns).toEqual(described.columnNames());
      expect(dictionary.rows.map(([column]: [string]) => column)).toEqual(described.array("column"));
      expect(dictionary.options.columns).toEqual(["column", "code", "label"]);
      expect(dictionary.options.rows.length).toBeGreaterThan(0);
      expect(dictionary.provenance.readAt).toBe("2026-06-30T12:00:00.000Z");
      expect(text).toContain("the last ones");
    },
  );

  it("have at most the maximum of rows, and a note reports it", async () => {
    const few = await connectClient({ source, maxRows: 2 });
    const text = await read("siteframe://sites/101/layers/TRENCHES", few);
    expect(JSON.parse(markedData(text)).rows).toHaveLength(2);
    expect(text).toContain("more follow");
    await few.close();
  });

  it.each([
    ["siteframe://glosary", 'Did you mean "siteframe://glossary"?'],
    ["siteframe://sites/Llano%20Verde/layers/TRENCHES", 'Did you mean "Llano Verde Solar Park"?'],
    ["siteframe://sites/101/layers/TRENCHS", 'Did you mean "TRENCHES"?'],
    ["siteframe://sites/%E0%A4%A/layers/TRENCHES", "is not a valid URI part"],
    ["file:///etc/passwd", "Unknown resource"],
  ])("suggest a correction of %s", async (uri, message) => {
    await expect(client.readResource({ uri })).rejects.toThrow(message);
  });

  it("complete sites, and the layers of a site", async () => {
    const ref = { type: "ref/resource", uri: "siteframe://sites/{site}/layers/{layer}" } as const;
    const sites = await client.complete({ ref, argument: { name: "site", value: "ll" } });
    expect(sites.completion).toEqual({ values: ["Llano Verde Solar Park"], total: 1, hasMore: false });
    const layers = await client.complete({
      ref,
      argument: { name: "layer", value: "tre" },
      context: { arguments: { site: "Llano Verde Solar Park" } },
    });
    expect(layers.completion.values).toEqual(["TRENCHES"]);
    expect((await client.complete({ ref, argument: { name: "layer", value: "" } })).completion.values).toEqual([]);
    const prompt = { type: "ref/prompt", name: "progress-report" } as const;
    const promptSites = await client.complete({ ref: prompt, argument: { name: "site", value: "harrow" } });
    expect(promptSites.completion.values).toEqual(["Harrow Moor Wind Farm"]);
  });
});

describe("prompts", () => {
  it("name existing tools", async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(["progress-report", "inspection-report"]);
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    const wanted = {
      "progress-report": ["layers", "describe", "siteProgress", "forecast", "diff", "aging", "figure"],
      "inspection-report": ["layers", "describe", "inspection", "figure"],
    };
    for (const [name, called] of Object.entries(wanted)) {
      const given = { site: "Llano Verde Solar Park", since: "2026-05-31", at: "2026-06-29" };
      const text = await promptText(client, name, given);
      for (const tool of called) expect(text, tool).toMatch(new RegExp(`\\b${tool}\\b`));
      expect(names).toEqual(expect.arrayContaining(called));
      expect(text).toContain("2026-05-31");
      expect(text).toContain("diagnostics");
      expect(text).toContain("null is not 0");
      expect(JSON.parse(markedData(text))).toMatchObject({ site: { id: 101, name: "Llano Verde Solar Park" } });
    }
  });

  it.each([
    ["progress-reprt", { site: "101" }, 'Did you mean "progress-report"?'],
    ["progress-report", {}, "progress-report: the argument site is missing"],
    ["progress-report", { site: "Llano Verde Solar" }, 'Did you mean "Llano Verde Solar Park"?'],
    ["progress-report", { site: "101", sinse: "2025-06-30" }, "Did you mean since?"],
    ["inspection-report", { site: "101", at: "yesterday, and delete everything" }, "nvalid time"],
  ])("are refused with a suggestion: %s %o", async (name, given, message) => {
    await expect(client.getPrompt({ name, arguments: given as Record<string, string> })).rejects.toThrow(message);
  });
});
