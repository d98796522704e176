import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, pull } from "../../src/index.js";
import { findBrowser } from "../support/browser.js";
import { type SampleService, startSampleService } from "../support/sample-service.js";
import { type Ended, runSiteframe, withoutPackages } from "./run-siteframe.js";

let folder = "";
let service: SampleService;
let env: Readonly<Record<string, string>> = {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "siteframe-report-"));
  service = await startSampleService();
  env = { SITEFRAME_BASE_URL: service.url, SITEFRAME_API_KEY: service.apiKey };
});

afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const report = (args: readonly string[], given = env): Promise<Ended> => runSiteframe(["report", ...args], given);

const park = ["--site", "Llano Verde Solar Park"];

describe("siteframe report", () => {
  it.each([
    ["punch-list", "2026-06-30", "Punch list", ["Open", "Overdue"]],
    ["inspection", "2026-06-30", "Thermal inspection", ["Affected modules", "Fixed"]],
    ["progress", "2024-06-30", "Progress", ["Panels", "Trenches"]],
  ])("%s has key figures, and neither code nor the address of the service", async (name, at, title, figures) => {
    const out = join(folder, name);
    const ended = await report([
      name,
      ...park,
      "--at",
      at,
      "--html",
      "--xlsx",
      "--eml",
      "--to",
      "ann@example.org",
      "--out",
      out,
    ]);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const stem = `llano-verde-solar-park-${name}-${at}`;
    expect(readdirSync(out).sort()).toEqual([`${stem}.eml`, `${stem}.html`, `${stem}.xlsx`]);
    expect(
      ended.stdout
        .trim()
        .split("\n")
        .map((file) => basename(file)),
    ).toEqual([`${stem}.html`, `${stem}.xlsx`, `${stem}.eml`]);
    const page = readFileSync(join(out, `${stem}.html`), "utf8");
    expect(page).toContain(`<title>${title}, Llano Verde Solar Park</title>`);
    for (const figure of figures) expect(page).toContain(`>${figure}</div>`);
    for (const hidden of ["127.0.0.1", service.url, service.apiKey, "connect(", "parameters"]) {
      expect(page).not.toContain(hidden);
    }
    const message = readFileSync(join(out, `${stem}.eml`), "utf8");
    expect(message).toMatch(/^To: ann@example\.org\r$/m);
    expect(message).toMatch(new RegExp(`^Subject: ${title}, Llano Verde Solar Park\\r$`, "m"));
    expect(message).toContain(`${figures[0]}: `);
    expect(message).toContain(`filename=${stem}.xlsx`);
    expect(
      readFileSync(join(out, `${stem}.xlsx`))
        .subarray(0, 2)
        .toString(),
    ).toBe("PK");
  });

  /** What stands in the page that a report writes: its tables' rows by their first cell, its words, and what its tiles say. */
  async function readReport(name: string, args: readonly string[]) {
    const html = join(folder, "pages", `${name}-{date}.html`);
    const ended = await report([name, ...args, "--html", html]);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const page = readFileSync(ended.stdout.trim(), "utf8").replaceAll(/srcdoc="[^"]*"|<style>[\s\S]*?<\/style>/g, "");
    const textOf = (part: string) =>
      part
        .replaceAll(/<[^>]*>/g, " ")
        .replaceAll(/\s+/g, " ")
        .trim();
    const rows = [...page.matchAll(/<tr>[\s\S]*?<\/tr>/g)].map(([row]) =>
      row
        .split(/<t[dh][^>]*>/)
        .slice(1)
        .map(textOf),
    );
    const words = textOf(page);
    const tile = (label: string) => words.match(new RegExp(` ${label} (.*?since \\d{4}-\\d\\d-\\d\\d)`))?.[1];
    return { row: (first: string) => rows.find(([cell]) => cell === first), rows, words, tile };
  }

  it("progress says that nothing is late before anything is due, and – of what cannot be known", async () => {
    const { row, words } = await readReport("progress", [...park, "--at", "2023-05-15"]);
    expect(words.includes("All that was planned to be finished by now is.")).toBe(true);
    // Unit, earned, planned, SPI, SPI(t).
    expect(row("Panels")?.slice(2, 7)).toEqual(["MW", "0", "0", "–", "–"]);
  });

  it("progress reports the layers that a site has, and names those that do not fit", async () => {
    const { words, tile } = await readReport("progress", ["--site", "103", "--at", "2026-06-30"]);
    expect(words).toContain("Progress, Thornbeck Bypass");
    expect(tile("Carriageway")).toMatch(/^[\d.]+ % /);
    expect(words.includes("nobody can tell what is late")).toBe(true);
    const none = await report(["progress", "--site", "104", "--html", join(folder, "none.html")]);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("has no layer with the stages")]);
  });

  it("progress tells its changes since what the last report said", async () => {
    const now = await readReport("progress", [...park, "--at", "2024-03-04", "--since", "2024-02-05"]);
    const last = await readReport("progress", [...park, "--at", "2024-02-05"]);
    const percent = ({ tile }: typeof now) => Number(tile("Trenches")?.match(/^[\d.]+/)?.[0]);
    const change = Number(now.tile("Trenches")?.match(/\+([\d.]+)/)?.[1]);
    expect(change).toBeGreaterThan(0);
    expect(percent(now) - percent(last)).toBeCloseTo(change, 0);
    expect(Math.abs(percent(now) - percent(last) - change)).toBeLessThan(0.11);
  });

  it("a punch list's tiles add up, and its list is whole", async () => {
    const { tile } = await readReport("punch-list", [...park, "--at", "2024-04-19", "--since", "2024-04-05"]);
    const number = (label: string) => Number(tile(label)?.match(/^\d+/)?.[0]);
    const [, sign = "", change = "0"] = tile("Open")?.match(/([+−])(\d+)/) ?? [];
    const grown = Number(change) * (sign === "−" ? -1 : 1);
    expect(number("New and reopened") - number("Closed")).toBe(grown);
    expect(number("Open")).toBeGreaterThan(0);
    const all = 'open=["OPEN","IN_PROGRESS","BLOCKED","RESOLVED","CLOSED"]';
    const { rows } = await readReport("punch-list", [...park, "--at", "2026-06-30", "-p", all]);
    const tickets = await connect({ baseUrl: service.url, apiKey: service.apiKey }).layer({
      semantic_type: "PUNCH_LIST_ITEMS",
    });
    const listed = rows.filter(([ticket]) => ticket?.startsWith("PL-"));
    expect(listed.length).toBe(tickets.table.numRows());
    expect(listed.length).toBeGreaterThan(50);
  });

  it("an inspection says what has no factor, and that there was no capture since", async () => {
    const factors = 'factors={"hot_spot":0.1,"diode":0.33}';
    const { row, words } = await readReport("inspection", [...park, "--at", "2026-06-30", "-p", factors]);
    expect(row("String outage")?.slice(3)).toEqual(["–", "–", "–", "–"]);
    expect(words).toMatch(/What was assumed .* \d+ anomalies have no factor/);
    const late = await report(["inspection", ...park, "--since", "2026-05-25", "--html", join(folder, "none.html")]);
    expect(late.code).toBe(1);
    expect(late.stderr).toMatch(/no capture .* since 25 May 2026: the last one is of 21 May 2026/);
  });

  it("reads a snapshot, by a path from where it is called, and an id of a site", async () => {
    const path = join(folder, "acme.snapshot");
    await pull(connect({ baseUrl: service.url, apiKey: service.apiKey }), path);
    const html = join(folder, "offline", "{report}-{date}.html");
    const args = ["punch-list", "--site", "101", "--at", "2026-06-30", "--snapshot", path, "--html", html];
    expect(await report(args, {})).toMatchObject({ code: 0, stderr: "" });
    const page = readFileSync(join(folder, "offline", "punch-list-2026-06-30.html"), "utf8");
    expect(page).toContain("Punch list, Llano Verde Solar Park");
    expect(page).not.toContain(folder);
  });

  it("leaves last night's files where it fails, and says so", async () => {
    const place = join(folder, "kept");
    mkdirSync(place);
    const files = ["a.html", "a.xlsx", "a.eml"].map((name) => join(place, name));
    for (const file of files) writeFileSync(file, "last night's");
    const [html, xlsx, eml] = files as [string, string, string];
    const args = ["punch-list", "--site", "Llano Verde", "--html", html, "--xlsx", xlsx, "--eml", eml];
    const failed = await report(args);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('There is no site "Llano Verde"');
    for (const file of files) {
      expect(readFileSync(file, "utf8")).toBe("last night's");
      expect(failed.stderr).toMatch(new RegExp(`${basename(file)} is still that of \\d{4}-`));
    }
    expect(readdirSync(place)).toHaveLength(3);
  });

  it.runIf(process.platform === "linux")(
    "says of a message that has no room, and not of the files before it",
    async () => {
      const xlsx = join(folder, "before.xlsx");
      const failed = await report(["punch-list", ...park, "--at", "2026-06-30", "--xlsx", xlsx, "--eml", "/dev/full"]);
      expect([failed.code, existsSync(xlsx)]).toEqual([1, true]);
      expect(failed.stderr).toContain("/dev/full is still that of");
      expect(failed.stderr).not.toContain(xlsx);
    },
  );

  it("says before it runs which package is missing, and that an own report writes no workbook", async () => {
    const own = join(folder, "silent.ipynb");
    const notebook = JSON.parse(readFileSync("notebooks/reports/punch-list.ipynb", "utf8"));
    writeFileSync(own, JSON.stringify({ ...notebook, cells: [notebook.cells[0]] }));
    const silent = await report([own, "--xlsx", join(folder, "silent.xlsx")]);
    expect([silent.code, silent.stderr]).toEqual([1, expect.stringContaining(`${own} wrote no workbook.`)]);
    expect(existsSync(join(folder, "silent.xlsx"))).toBe(false);
    const without = { ...env, NODE_OPTIONS: withoutPackages("nodemailer", "write-excel-file") };
    for (const [format, name] of [
      ["--eml", "nodemailer"],
      ["--xlsx", "write-excel-file"],
    ] as const) {
      const ended = await report([own, format, join(folder, "missing")], without);
      expect(ended.stderr).toContain(`siteframe report ${format} needs the package ${name}, which is not installed.`);
      expect(ended.stderr).not.toContain("wrote no workbook");
    }
  });

  it("copies a report to be changed, and runs the copy", async () => {
    const copy = join(folder, "mine.ipynb");
    expect(await report(["punch-list", "--eject", copy])).toEqual({ code: 0, stdout: `${copy}\n`, stderr: "" });
    expect(readFileSync(copy)).toEqual(readFileSync("notebooks/reports/punch-list.ipynb"));
    const again = await report(["punch-list", "--eject", copy]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining(`${copy} is there already`)]);

    const notebook = JSON.parse(readFileSync(copy, "utf8"));
    notebook.cells = [
      notebook.cells[0],
      { ...notebook.cells[1], source: 'md("# Mine\\n\\nOf " + site + " since " + since)' },
    ];
    writeFileSync(copy, JSON.stringify(notebook));
    const args = [
      copy,
      "--site",
      "X",
      "--since",
      "2026-01-01",
      "--title",
      "My own",
      "--html",
      join(folder, "mine.html"),
    ];
    expect(await report(args)).toMatchObject({ code: 0, stderr: "" });
    const page = readFileSync(join(folder, "mine.html"), "utf8");
    expect(page).toContain("<title>My own</title>");
    expect(page).toContain("Of X since 2026-01-01");
    expect(page).not.toContain("Mine");
  });

  it.each([
    [["progres", "--html"], /There is no report "progres"\. Did you mean "progress"\?/],
    [["progress"], /is not told what to write\. Add --html, --pdf, --xlsx, --eml/],
    [["progress", "--html", "-p", "sit=1"], /no parameter sit\. Did you mean "site"\?/],
    [
      ["progress", "--html", "--to", "ann@example.org"],
      /--to is whom a message is for, and none is written\. Add --eml/,
    ],
    [
      ["progress", "--eml", "--to", "not an address"],
      /--to: "not an address" is no address\. Write addresses with commas/,
    ],
    [["progress", "--eml", "--to", "ann@example.org, nobody"], /--to: "nobody" is no address/],
    [["progress", "--html", "-p", "nearblock=3"], /no parameter nearblock\. (?!.*--allow-unknown)/],
    [
      ["progress", "--html", "--at", "31.3.2026"],
      /--at: "31\.3\.2026" is no day\. Write year, month and day: 2026-03-31/,
    ],
    [["progress", "--html", "--at", "2026-13-45"], /--at: "2026-13-45" is no day\./],
    [
      ["progress", "--html", "-p", "at=2026-02-30"],
      /at: "2026-02-30" is no day: the last day of that month is 2026-02-28/,
    ],
    [["progress", "--html", "--since", "1 March"], /--since: "1 March" is no day/],
    [
      ["progress", "--html", "--at", "2026-03-31", "--since", "2026-04-01"],
      /--since: 2026-04-01 is after the day of the report, 2026-03-31\. Give an earlier day/,
    ],
    [["progress", "--html", "--since", "2999-01-01"], /--since: 2999-01-01 is after today, /],
    [["progress", "--html", "a", "--pdf", "./a"], /\.\/a is to be two things/],
  ])("says what is wrong with %j", async (args, words) => {
    const ended = await report([...args, "--out", join(folder, "none")]);
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringMatching(words)]);
    expect(existsSync(join(folder, "none")) ? readdirSync(join(folder, "none")) : []).toEqual([]);
  });

  it.runIf(findBrowser())("prints a PDF with bookmarks", async () => {
    const pdf = join(folder, "list.pdf");
    const args = ["punch-list", ...park, "--at", "2026-06-30", "--pdf", pdf, "--paper", "A4"];
    expect(await report(args)).toMatchObject({ code: 0, stderr: "" });
    const bytes = readFileSync(pdf, "latin1");
    expect(bytes).toMatch(/\/MediaBox \[0 0 59[45][.\d]* 84[12]/);
    expect(bytes).toContain("/Outlines");
  });
});
