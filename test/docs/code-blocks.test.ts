import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { codeBlocks } from "../../scripts/reference/code-blocks.mjs";
import { siteframeProgram } from "../../src/cli/program.js";
import { useBlockRunner } from "./block-runner.js";
import { blocksOf, documents } from "./documents.js";

// `npm run docs:results` writes the results into the documents and the pictures into docs/images.

const root = process.cwd();
const runner = useBlockRunner();

describe.each(documents)("%s", (document) => {
  it("shows the results of its code", async () => {
    runner.reset();
    const path = resolve(root, document);
    const markdown = readFileSync(path, "utf8");
    const blocks = codeBlocks(markdown).map((block, index) => {
      const newPicture = `docs/images/${basename(document, ".md").toLowerCase()}-${index + 1}.svg`;
      return { ...block, newPicture };
    });
    await expect(await runner.withResults(document, markdown, blocks)).toMatchFileSnapshot(path);
  });

  it("names commands that exist", async () => {
    const scripts: Record<string, string> = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts;
    const commands = (await siteframeProgram()).commands.map((command) => command.name());
    for (const block of blocksOf(join(root, document), "sh")) {
      for (const [, script] of block.matchAll(/npm (?:run )?(?!ci\b|install\b|pack\b)([\w:]+)/g)) {
        expect(Object.keys(scripts)).toContain(script);
      }
      for (const [, command] of block.matchAll(/npx siteframe (\w+)/g)) expect(commands).toContain(command);
    }
  });
});
