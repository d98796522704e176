import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, pull } from "../../src/index.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { findBrowser } from "../support/browser.js";
import { type SampleService, startSampleService } from "../support/sample-service.js";
import { type Ended, runSiteframe, withoutPackages } from "./run-siteframe.js";

const folder = temporaryFolder();
let service: SampleService;
let env: Readonly<Record<string, string>> = {};

beforeAll(async () => {
  service = await startSampleService();
  env = { SITEFRAME_BASE_URL: service.url, SITEFRAME_API_KEY: service.apiKey };
});

afterAll(() => service.close());

// A file with the name of a picture.
writeFileSync(join(folder, "text.png"), "not a picture");

const report = (args: readonly string[], given = env): Promise<Ended> => runSiteframe(["report", ...args], given);

const park = ["--site", "Llano Verde Solar Park"];

/** One line on standard error. */
const wrote = expect.stringMatching(/^Wrote .* \(\d+ cells, [\d.]+ s\)\.\n$/);

describe("siteframe report", () => {
  it.each([
    ["punch-list", "2026-06-30", "Punch list", ["Open", "Overdue"]],
    ["inspection", "2026-06-30", "Thermal inspection", ["Affected modules", "Fixed"]],
    ["progress", "2024-06-30", "Progress", ["Panels", "Trenches"]],
    ["portfolio", "2026-06-30", "Portfolio", ["Open tickets", "Affected power"]],
  ])("%s has key figures, but neither code nor the address of the service", async (name, at, title, figures) => {
    const out = join(folder, name);
    const formats = ["--html", "--xlsx", "--eml", "--to", "ann@example.org"];
    const ended = await report([name, ...park, "--at", at, ...formats, "--out", out]);
    const stem = `llano-verde-solar-park-${name}-${at}`;
    const files = ["html", "xlsx", "eml"].map((format) => `${stem}.${format}`);
    expect(ended).toMatchObject({ code: 0, stderr: wrote });
    const printed = ended.stdout.trim().split("\n");
    expect(printed.map((path) => basename(path))).toEqual(files);
    expect(readdirSync(out).sort()).toEqual(files.toSorted());
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
    expect(readFileSync(join(out, `${stem}.xlsx`), "latin1")).toMatch(/^PK/);
  });

  /** Reads the page of a report: rows of tables by their first cell, its text, and the text of its tiles. */
  async function readReport(name: string, args: readonly string[]) {
    const html = join(folder, "pages", `${name}-{date}.html`);
    const ended = await report([name, ...args, "--html", html]);
    expect(ended).toMatchObject({ code: 0, stderr: wrote });
    const page = readFileSync(ended.stdout.trim(), "utf8").replaceAll(/srcdoc="[^"]*"|<style>[\s\S]*?<\/style>/g, "");
    const textOf = (part: string) => part.replaceAll(/(?:<[^>]*>|\s)+/g, " ").trim();
    const cellsOf = (row: string) => row.split(/<t[dh][^>]*>/).slice(1);
    const rows = [...page.matchAll(/<tr>[\s\S]*?<\/tr>/g)].map(([row]) => cellsOf(row).map(textOf));
    const words = textOf(page);
    const tile = (label: string) => words.match(new RegExp(` ${label} (\\d.*?since \\d+ \\p{L}+ \\d{4})`, "u"))?.[1];
    return { row: (first: string) => rows.find(([cell]) => cell === first), rows, words, tile };
  }

  it("has a header with the client, the author, the period, a document number and a summary", async () => {
    const logo = join(folder, "logo.svg");
    writeFileSync(logo, '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    const html = join(folder, "named", "{site}-{date}.html");
    const given = ["--client", "Acme <Solar>", "--prepared-by", "Ana Ruiz", "--logo", logo];
    const ended = await report(["punch-list", "--site", "101", ...given, "--html", html]);
    expect(ended).toMatchObject({ code: 0, stderr: wrote });
    // The day of the last change, and the name of the site.
    const [, day = ""] = /llano-verde-solar-park-(\d{4}-\d\d-\d\d)\.html\n$/.exec(ended.stdout) ?? [];
    const page = readFileSync(ended.stdout.trim(), "utf8");
    const header = page.slice(page.indexOf('<header class="report">'), page.indexOf("</header>"));
    expect(header).toContain('src="data:image/svg+xml;base64,');
    for (const text of ["Acme &lt;Solar&gt;", "Ana Ruiz", `PL-101-${day}`, "The period ends with the last change"]) {
      expect(header).toContain(text);
    }
    expect(header).toMatch(/Open tickets: \d+, of which overdue: \d+; since \d+ \w{3} \d{4}, closed: \d+, new or/);
    const main = page.slice(page.indexOf("<main"), page.indexOf("</main>")).replaceAll(/srcdoc="[^"]*"/g, "");
    for (const hidden of ["IN_PROGRESS", "BLOCKED", " columns<", "31% empty", "Data read"]) {
      expect(main).not.toContain(hidden);
    }
    expect(page.match(/Data read /g)).toHaveLength(2);
  });

  it("is written in German with German dates and decimals", async () => {
    const { words } = await readReport("progress", [...park, "--at", "2024-06-30", "--locale", "de-DE"]);
    expect(words).toMatch(/Baufortschritt Llano Verde Solar Park Fertig: \d von 4 Gewerken; im Rückstand: Modultische/);
    expect(words).toContain("2. Juni 2024 – 30. Juni 2024");
    expect(words).toMatch(/Gräben \d+,\d ?%/);
    expect(words).not.toMatch(/\b(?:since|earned|planned|Trenches|behind)\b/);
  });

  it("reports an unknown site in words, without code", async () => {
    const { stderr } = await report(["progress", "--site", "Llano Vrde", "--html", join(folder, "none.html")]);
    expect(stderr).toMatch(
      /none\.html was not written\.\nsiteframe report: Unknown site "Llano Vrde"\. Available: .*\n$/,
    );
  });

  it("progress has no delays before the first planned date, and – for unknown ratios", async () => {
    const { row, words } = await readReport("progress", [...park, "--at", "2023-05-15"]);
    expect(words).toContain("Everything planned until now is finished.");
    // Earned, planned, SPI, SPI(t).
    expect(row("Panels")?.slice(2, 6)).toEqual(["0 MW", "0 MW", "–", "–"]);
  });

  it("progress contains the layers of a site, and reports a site without suitable layers", async () => {
    const { words, tile } = await readReport("progress", ["--site", "103", "--at", "2026-06-30"]);
    expect(words).toContain("Progress, Thornbeck Bypass");
    expect(tile("Carriageway")).toMatch(/^[\d.]+ ?% /);
    expect(words.includes("so late items are unknown")).toBe(true);
    const none = await report(["progress", "--site", "104", "--html", join(folder, "none.html")]);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("has no layer with the stages")]);
  });

  it("progress has the changes since the last report", async () => {
    const now = await readReport("progress", [...park, "--at", "2024-03-04", "--since", "2024-02-05"]);
    const last = await readReport("progress", [...park, "--at", "2024-02-05"]);
    const percent = ({ tile }: typeof now) => Number(tile("Trenches")?.match(/^[\d.]+/)?.[0]);
    const change = Number(now.tile("Trenches")?.match(/\+([\d.]+)/)?.[1]);
    expect(change).toBeGreaterThan(0);
    expect(percent(now) - percent(last)).toBeCloseTo(change, 0);
    expect(Math.abs(percent(now) - percent(last) - change)).toBeLessThan(0.11);
  });

  it("a punch list has consistent tiles and a complete list", async () => {
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

  it("an inspection reports classes without a factor, and a missing later capture", async () => {
    const factors = 'factors={"hot_spot":0.1,"diode":0.33}';
    const { row, words } = await readReport("inspection", [...park, "--at", "2026-06-30", "-p", factors]);
    expect(row("String outage")?.slice(3)).toEqual(["–", "–", "–", "–"]);
    expect(words).toMatch(/Assumptions .* \d+ anomalies have no factor/);
    const late = await report(["inspection", ...park, "--since", "2026-05-25", "--html", join(folder, "none.html")]);
    expect(late.code).toBe(1);
    expect(late.stderr).toMatch(/no capture .* since 25 May 2026: the last one is of 21 May 2026/);
  });

  it("reads a site by its id from a snapshot", async () => {
    const path = join(folder, "acme.snapshot");
    await pull(connect({ baseUrl: service.url, apiKey: service.apiKey }), path);
    const html = join(folder, "offline", "{report}-{date}.html");
    const args = ["punch-list", "--site", "101", "--at", "2026-06-30", "--snapshot", path, "--html", html];
    expect(await report(args, {})).toMatchObject({ code: 0, stderr: wrote });
    const page = readFileSync(join(folder, "offline", "punch-list-2026-06-30.html"), "utf8");
    expect(page).toContain("Punch list, Llano Verde Solar Park");
    expect(page).not.toContain(folder);
  });

  it("leaves previous files unchanged if it fails, and reports it", async () => {
    const place = join(folder, "kept");
    mkdirSync(place);
    const files = ["a.html", "a.xlsx", "a.eml"].map((name) => join(place, name));
    for (const file of files) writeFileSync(file, "last night's");
    const [html, xlsx, eml] = files as [string, string, string];
    const args = ["punch-list", "--site", "Llano Verde", "--html", html, "--xlsx", xlsx, "--eml", eml];
    const failed = await report(args);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('Unknown site "Llano Verde"');
    for (const file of files) {
      expect(readFileSync(file, "utf8")).toBe("last night's");
      expect(failed.stderr).toMatch(new RegExp(`${basename(file)} is still the version of \\d{4}-`));
    }
    expect(readdirSync(place)).toHaveLength(3);
  });

  it.runIf(process.platform === "linux")("reports only the message that a full disk left unchanged", async () => {
    const xlsx = join(folder, "before.xlsx");
    const failed = await report(["punch-list", ...park, "--at", "2026-06-30", "--xlsx", xlsx, "--eml", "/dev/full"]);
    expect([failed.code, existsSync(xlsx)]).toEqual([1, true]);
    expect(failed.stderr).toContain("/dev/full is still the version of");
    expect(failed.stderr).not.toContain(xlsx);
  });

  it("reports a missing package before it runs, and a custom report without a workbook", async () => {
    const own = join(folder, "silent.ipynb");
    const notebook = JSON.parse(readFileSync("notebooks/reports/punch-list.ipynb", "utf8"));
    writeFileSync(own, JSON.stringify({ ...notebook, cells: [notebook.cells[0]] }));
    const silent = await report([own, "--xlsx", join(folder, "silent.xlsx")]);
    expect([silent.code, silent.stderr]).toEqual([1, expect.stringContaining("has neither key figures nor sheets.")]);
    expect(existsSync(join(folder, "silent.xlsx"))).toBe(false);
    const without = { ...env, NODE_OPTIONS: withoutPackages("nodemailer", "write-excel-file") };
    for (const [format, name] of [
      ["--eml", "nodemailer"],
      ["--xlsx", "write-excel-file"],
    ] as const) {
      const ended = await report([own, format, join(folder, "missing")], without);
      expect(ended.stderr).toContain(`siteframe report ${format} needs the package ${name}, which is not installed.`);
      expect(ended.stderr).not.toContain("neither key figures");
    }
  });

  it("copies a report for changes, and runs the copy", async () => {
    const copy = join(folder, "mine.ipynb");
    expect(await report(["punch-list", "--eject", copy])).toEqual({ code: 0, stdout: `${copy}\n`, stderr: "" });
    expect(readFileSync(copy)).toEqual(readFileSync("notebooks/reports/punch-list.ipynb"));
    const again = await report(["punch-list", "--eject", copy]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining(`${copy} exists already`)]);

    const notebook = JSON.parse(readFileSync(copy, "utf8"));
    notebook.cells = [
      notebook.cells[0],
      { ...notebook.cells[1], source: 'md("# Mine\\n\\nOf " + site + " since " + since)' },
    ];
    writeFileSync(copy, JSON.stringify(notebook));
    const args = ["--site", "X", "--since", "2026-01-01", "--title", "My own", "--html", join(folder, "mine.html")];
    expect(await report([copy, ...args])).toMatchObject({ code: 0, stderr: wrote });
    const page = readFileSync(join(folder, "mine.html"), "utf8");
    expect(page).toContain("<title>My own</title>");
    expect(page).toContain("Of X since 2026-01-01");
    expect(page).not.toContain("Mine");
  });

  it.each([
    [["progres", "--html"], /unknown report "progres"\. Did you mean "progress"\?/],
    [["progress"], /progress: the output format is missing\. Add one or more of --html, --pdf, --xlsx, --eml/],
    [["progress", "--html", "-p", "sit=1"], /unknown parameter sit\. Did you mean "site"\?/],
    [["progress", "--html", "--to", "ann@example.org"], /--to needs --eml\. Add --eml/],
    [["progress", "--html", "--link", "https://example.org"], /--link needs --eml\. Add --eml/],
    [["progress", "--eml", "--link", "report.html"], /invalid address "report\.html" for --link\. Write a complete/],
    [
      ["progress", "--eml", "--to", "not an address"],
      /--to: invalid address "not an address"\. Separate addresses with commas/,
    ],
    [["progress", "--eml", "--to", "ann@example.org, nobody"], /--to: invalid address "nobody"/],
    [["progress", "--html", "-p", "nearblock=3"], /unknown parameter nearblock\. (?!.*--allow-unknown)/],
    [
      ["progress", "--html", "--at", "31.3.2026"],
      /invalid day for --at: "31\.3\.2026"\. Write a day, 2026-03-31, or an ISO week, 2026-W14/,
    ],
    [["progress", "--html", "--at", "2026-13-45"], /invalid day for --at: "2026-13-45"\./],
    [
      ["progress", "--html", "-p", "at=2026-02-30"],
      /invalid day for --at: "2026-02-30": the last day of that month is 2026-02-28/,
    ],
    [["progress", "--html", "--at", "2025-W53"], /"2025-W53": 2025 has 52 weeks\. Use "2025-W52" or "2026-W01"/],
    [
      ["progress", "--html", "--at", "2026-W13", "--since", "2026-W14"],
      /--since 2026-W14 is after --at, 2026-03-29\. Use an earlier day/,
    ],
    [["progress", "--html", "--since", "1 March"], /invalid day for --since: "1 March"/],
    [
      ["progress", "--html", "--at", "2026-03-31", "--since", "2026-04-01"],
      /--since 2026-04-01 is after --at, 2026-03-31\. Use an earlier day/,
    ],
    [["progress", "--html", "--since", "2999-01-01"], /--since 2999-01-01 is after today, /],
    [
      ["progress", "--html", "--site", "101", "--site", "102"],
      /progress: covers one site, got 101, 102\. Use one --site, or/,
    ],
    [["progress", "--html", "--site", "null"], /--site null is not supported/],
    [["progress", "--html", "--locale", "sv"], /unknown locale "sv"\. (?:Did you mean|Use) .*/],
    [["progress", "--html", "--locale", "d_e"], /unknown locale "d_e"\./],
    [["progress", "--html", "--logo", "nowhere.png"], /The logo .*nowhere\.png does not exist\. Use a picture \(\.svg/],
    [["progress", "--html", "--logo", "package.json"], /The logo .*package\.json is not a supported picture\./],
    [["progress", "--html", "--logo", join(folder, "text.png")], /The logo .*text\.png is not a supported picture\./],
    [["progress", "--html", "a", "--pdf", "./a"], /two formats would be written to \.\/a/],
  ])("refuses %j with a hint", async (args, words) => {
    const ended = await report([...args, "--out", join(folder, "none")]);
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringMatching(words)]);
    expect(existsSync(join(folder, "none")) ? readdirSync(join(folder, "none")) : []).toEqual([]);
  });

  it.runIf(findBrowser())("prints a PDF with bookmarks, metadata and one font on A4", async () => {
    const pdf = join(folder, "list.pdf");
    const args = ["punch-list", ...park, "--at", "2026-06-30", "--pdf", pdf, "--prepared-by", "Ana Ruiz"];
    expect(await report(args)).toMatchObject({ code: 0, stderr: wrote });
    const bytes = readFileSync(pdf, "latin1");
    expect(bytes).toMatch(/\/MediaBox \[0 0 59[45][.\d]* 84[12]/);
    expect(bytes).toContain("/Outlines");
    const text = (words: string) => Buffer.from(`\ufeff${words}`, "utf16le").swap16().toString("hex");
    expect(bytes).toContain(`/Author <${text("Ana Ruiz")}>`);
    expect(bytes).toContain(`/Lang <${text("en")}>`);
    const fonts = [...bytes.matchAll(/\/BaseFont \/[A-Z]{6}\+([\w-]+)/g)].map(([, name]) => name);
    expect([...new Set(fonts)].sort()).toEqual(["Inter-Bold", "Inter-Regular"]);
  });
});
