import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { runSiteframe, withoutPackages } from "./run-siteframe.js";

const folder = temporaryFolder();

describe("siteframe demo", () => {
  it("runs all notebooks, and reports the notebook with a missing package", async () => {
    const NODE_OPTIONS = withoutPackages("write-excel-file");
    const demo = await runSiteframe(["demo", "--features", "1000", "--out", folder], { NODE_OPTIONS });
    expect([demo.code, demo.stderr.trim().split("\n").at(-1)]).toEqual([
      1,
      expect.stringMatching(/1 of \d+ notebooks failed: audit\./),
    ]);
    expect(demo.stderr).toContain("needs the package write-excel-file");
    const pages = readdirSync("notebooks").filter((name) => name.endsWith(".ipynb"));
    for (const page of pages) expect(existsSync(join(folder, page.replace(".ipynb", ".html")))).toBe(true);
    expect(readFileSync(join(folder, "index.html"), "utf8")).toContain("1 failed");
  });
});
