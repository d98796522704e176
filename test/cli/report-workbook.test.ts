import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { findPython } from "../support/python.js";
import { type SampleService, startSampleService } from "../support/sample-service.js";
import { runSiteframe } from "./run-siteframe.js";

const python = findPython("openpyxl, openxml_audit");

type ReadCell = readonly [type: string, text: string, format: string];

interface ReadWorkbook {
  readonly errors: readonly string[];
  readonly properties: { readonly title: string | null; readonly subject: string | null };
  readonly sheets: readonly {
    readonly name: string;
    readonly frozen: string | null;
    readonly filter: string | null;
    readonly fitToPage: boolean;
    readonly titleRows: string | null;
    readonly rows: readonly (readonly ReadCell[])[];
  }[];
}

describe.runIf(python)("the workbook of a report, read by openpyxl and LibreOffice", () => {
  const folder = temporaryFolder();
  let service: SampleService;

  beforeAll(async () => {
    service = await startSampleService();
  });
  afterAll(() => service.close());

  it.each([
    ["inspection", "2026-06-30", "Thermal inspection", "Power (kW)", "float", "#,##0.000"],
    ["punch-list", "2026-06-30", "Punch list", "Due", "datetime", "d mmm yyyy"],
    ["progress", "2024-03-31", "Progress", "Planned", "datetime", "d mmm yyyy"],
    ["portfolio", "2026-06-30", "Portfolio", "Due", "datetime", "d mmm yyyy"],
  ])("%s is valid, has typed cells, and fits to pages", async (name, at, title, column, type, format) => {
    const path = join(folder, `${name}.xlsx`);
    const args = ["report", name, "--site", "Llano Verde Solar Park", "--at", at, "--xlsx", path];
    const ended = await runSiteframe(args, { SITEFRAME_BASE_URL: service.url, SITEFRAME_API_KEY: service.apiKey });
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Wrote .*\.xlsx \(\d+ cells, .* s\)\.\n$/) });
    const script = join(import.meta.dirname, "python", "read_workbook.py");
    const printed = execFileSync(python?.program ?? "", [script, path], { encoding: "utf8" });
    const { errors, properties, sheets } = JSON.parse(printed) as ReadWorkbook;
    expect(errors).toEqual([]);
    expect(properties.title).toBe(`${title}, Llano Verde Solar Park`);
    expect(properties.subject).toBe(sheets[0]?.rows[1]?.[0]?.[1]);
    const record = name === "inspection" ? ["Record"] : [];
    const groups = name === "portfolio" ? "By site" : "By block";
    expect(sheets.map((sheet) => sheet.name)).toEqual(["Summary", groups, "List", ...record]);
    expect(sheets.every((sheet) => sheet.fitToPage && sheet.titleRows !== null && sheet.frozen !== null)).toBe(true);
    const [, blocks, list] = sheets;
    expect([blocks?.frozen, list?.frozen]).toEqual(["A2", "A2"]);
    expect(blocks?.filter).toMatch(/^A1:[A-Z]\d+$/);
    const index = list?.rows[0]?.findIndex(([, text]) => text === column) ?? -1;
    expect(list?.rows[1]?.[index]?.[0]).toBe(type);
    expect(list?.rows[1]?.[index]?.[2]).toBe(format);
    const pdf = pagesOf(path);
    expect(pdf).toContain(`${title}, Llano Verde Solar Park`);
    expect(pdf).toMatch(/\b1 ?\/ ?\d/);
  });

  /** Text of the pages that LibreOffice prints. */
  function pagesOf(path: string): string {
    const profile = pathToFileURL(join(folder, "office")).href;
    const args = ["--headless", `-env:UserInstallation=${profile}`, "--convert-to", "pdf", "--outdir", folder, path];
    execFileSync("soffice", args, { stdio: "ignore" });
    return execFileSync("pdftotext", ["-layout", path.replace(/xlsx$/, "pdf"), "-"], { encoding: "utf8" });
  }
});
