import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LanguageEngine } from "../../src/kernel/engine/cell/language-engine.js";
import { createEngine } from "../../src/kernel/engine/create-engine.js";
import { type SampleService, startSampleService } from "../support/sample-service.js";
import { testedEngine } from "../support/tested-engine.js";

const guides = readdirSync("docs/guide").filter((name) => name.endsWith(".md"));
const documents = ["README.md", ...guides.map((name) => join("docs/guide", name))];
const sink = { stream: () => undefined, display: () => undefined };

let service: SampleService;
let engine: LanguageEngine;

beforeAll(async () => {
  service = await startSampleService();
  process.env["SITEFRAME_BASE_URL"] = service.url;
  process.env["SITEFRAME_API_KEY"] = service.apiKey;
  engine = await createEngine({ engine: testedEngine });
});

afterAll(async () => {
  engine.close();
  delete process.env["SITEFRAME_BASE_URL"];
  delete process.env["SITEFRAME_API_KEY"];
  await service.close();
});

function blocks(document: string, language: string): readonly string[] {
  const fence = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms");
  return [...readFileSync(document, "utf8").matchAll(fence)].map((match) => match[1] ?? "");
}

describe.each(documents)("%s", (document) => {
  it("has TypeScript that runs", async () => {
    engine.reset();
    for (const code of blocks(document, "ts")) {
      expect(await engine.execute(code, { sink }), code).toMatchObject({ status: "ok" });
    }
  });

  it("names only commands that exist", () => {
    const scripts: Record<string, string> = JSON.parse(readFileSync("package.json", "utf8")).scripts;
    const commands = readdirSync("src/cli/commands").flatMap((name) => /^(.+)-command\.ts$/.exec(name)?.[1] ?? []);
    for (const block of blocks(document, "sh")) {
      for (const [, script] of block.matchAll(/npm (?:run )?(?!ci\b|install\b|pack\b)([\w:]+)/g)) {
        expect(Object.keys(scripts)).toContain(script);
      }
      for (const [, command] of block.matchAll(/npx siteframe (\w+)/g)) expect(commands).toContain(command);
    }
  });
});
