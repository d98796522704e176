import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type SampleService, startSampleService } from "../support/sample-service.js";

let service: SampleService;
let folder: string;

beforeAll(async () => {
  service = await startSampleService();
  folder = mkdtempSync(join(tmpdir(), "siteframe-report-"));
});

afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the script by plain Node against the built package, which it imports by its own name. */
function report(args: readonly string[], apiKey = service.apiKey) {
  const env = { ...process.env, SITEFRAME_BASE_URL: service.url, SITEFRAME_API_KEY: apiKey };
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, ["scripts/nightly-report.mjs", ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, stdout, stderr }),
    );
  });
}

test("writes a page and a CSV, and says by its exit code that tickets are overdue", async () => {
  const { code, stdout, stderr } = await report([join(folder, "out"), "101", "2026-06-30"]);
  expect(stderr).toBe("");
  expect(code).toBe(2);
  expect(stdout).toMatch(/\d+ tickets, \d+ overdue on 2026-06-30/);
  const page = readFileSync(join(folder, "out", "report.html"), "utf8");
  expect(page).toContain("Llano Verde Solar Park");
  expect(page.match(/<figure/g)).toHaveLength(3);
  expect(readFileSync(join(folder, "out", "tickets.csv"), "utf8")).toMatch(/^id,visible_id,/);
});

test("nothing overdue is 0, a failure is 1 with the reason and without the key", async () => {
  expect((await report([join(folder, "early"), "101", "2023-04-18"])).code).toBe(0);
  const refused = await report([join(folder, "refused")], "wrong-key");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("ERR_AUTH");
  expect(refused.stderr).not.toContain("wrong-key");
  expect(existsSync(join(folder, "refused"))).toBe(false);
  expect((await report([])).code).toBe(1);
});
