import { describe, expect, it } from "vitest";
import { frameScript, frameScriptHashes } from "../../../src/tables/display/frame-script.js";

describe("the script of a chart", () => {
  it("is at most 10 kB in the build, since every output contains it", () => {
    const { code } = frameScript("chart");
    expect(code.length).toBeGreaterThan(1000);
    expect(code.length).toBeLessThan(10_000);
  });

  it("is allowed by its hash, as all scripts of frames are", () => {
    for (const name of ["chart", "map", "near-table", "far-table", "selection-line"] as const) {
      expect(frameScriptHashes()).toContain(`'${frameScript(name).hash}'`);
    }
  });
});
