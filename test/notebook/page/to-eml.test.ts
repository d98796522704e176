import { describe, expect, it } from "vitest";
import type { Notebook } from "../../../src/notebook/file/notebook.js";
import { toEml } from "../../../src/notebook/page/to-eml.js";
import { kpis } from "../../../src/plot/index.js";
import { displaySymbol, plainBundle } from "../../../src/tables/display/mime-bundle.js";
import { code, displayed, markdown, notebookOf, shownBy } from "../cells.js";

function withOutput(data: Readonly<Record<string, unknown>>): Notebook {
  return notebookOf(markdown("# Report\n\n30 June 2026, of one site."), shownBy("kpis()", displayed(data)), code("1"));
}

const figures = kpis(
  [
    { label: "Open <b>", value: 24, before: 26, better: "lower" },
    { label: "Power", value: 12, unit: "kW", note: "of 20" },
    { label: "Fixed", value: 5, note: "since 2026-06-02" },
  ],
  { since: "2026-06-02" },
);

/** The parts of a message by their type, decoded. */
function partsOf(message: Buffer): ReadonlyMap<string, string> {
  const parts = message.toString("latin1").split(/\r\n--[^\r\n]+/);
  return new Map(
    parts.slice(1).flatMap((part) => {
      const [head = "", ...rest] = part.split("\r\n\r\n");
      const body = rest.join("\r\n\r\n");
      const type = /Content-Type: ([^;\r\n]+)/i.exec(head)?.[1];
      const encoding = /Content-Transfer-Encoding: (\S+)/i.exec(head)?.[1];
      const plain = body
        .replace(/=\r\n/g, "")
        .replace(/((?:=[0-9A-F]{2})+)/g, (codes) => Buffer.from(codes.replaceAll("=", ""), "hex").toString());
      const text =
        encoding === "base64" ? Buffer.from(body, "base64").toString() : encoding === "quoted-printable" ? plain : body;
      return type === undefined ? [] : [[type, text] as const];
    }),
  );
}

describe("a message with a report", () => {
  it("has the key figures as text and as a plain table, and the attached files", async () => {
    const notebook = withOutput(plainBundle(figures[displaySymbol]()));
    const message = await toEml(notebook, {
      title: "Punch list, Llano Verde",
      to: "Ann <ann@example.org>",
      link: "https://example.org/?a=1&b=2",
      author: "Bob",
      attachments: [{ path: "out/list.pdf", content: Buffer.from("%PDF") }],
    });
    const head = message.toString("latin1").split("\r\n\r\n")[0] ?? "";
    expect(head).toMatch(/^Subject: Punch list, Llano Verde\r$/m);
    expect(head).toMatch(/^To: Ann <ann@example.org>\r$/m);
    expect(head).toMatch(/^X-Unsent: 1\r$/m);
    const parts = partsOf(message);
    const lines = parts.get("text/plain")?.split("\r\n");
    expect(lines?.[0]).toBe("Hello Ann,");
    expect(lines).toContain("30 June 2026, of one site.");
    expect(lines).toContain("Changes are since 2026-06-02.");
    expect(lines).toContain("Open <b>: 24 (▼ −2)");
    expect(lines).toContain("Power: 12 kW (of 20)");
    expect(lines).toContain("Fixed: 5");
    expect(lines).toContain("Open the report: https://example.org/?a=1&b=2");
    expect(lines?.at(-1)?.trim()).toBe("Bob");
    expect(parts.get("text/plain")).toContain("Attached: list.pdf.");
    const html = parts.get("text/html") ?? "";
    expect(html).toContain("Open &lt;b&gt;");
    expect(html).toContain('href="https://example.org/?a=1&amp;b=2"');
    const words = html.replaceAll(/<[^>]*>/g, " ");
    for (const text of ["Hello Ann,", "30 June 2026, of one site.", "Power", "12 kW", "of 20", "list.pdf", "Bob"]) {
      expect(words).toContain(text);
    }
    expect(words.match(/2026-06-02/g)).toHaveLength(1);
    expect(parts.get("text/html")).not.toMatch(/<script|<svg|display:\s*grid/);
    expect(parts.get("application/pdf")).toContain("%PDF");
  });

  it("has no table if key figures are missing or invalid", async () => {
    for (const data of [{}, { "application/vnd.siteframe.kpis+json": [{ label: 1 }, null] }]) {
      const parts = partsOf(await toEml(withOutput(data), { title: "Report", attachments: [] }));
      expect(parts.get("text/plain")?.trim()).toBe("Hello,\r\n\r\nReport\r\n30 June 2026, of one site.");
      expect(parts.get("text/html")).not.toContain("<table");
    }
  });

  it("greets several recipients without a name", async () => {
    const to = "Ann <ann@example.org>, bob@example.org";
    const parts = partsOf(await toEml(withOutput({}), { title: "Report", to, attachments: [] }));
    expect(parts.get("text/plain")).toMatch(/^Hello,\r\n/);
  });

  it("is one message with any title", async () => {
    const message = await toEml(notebookOf(), { title: "Report\r\nBcc: eve@example.org", attachments: [] });
    expect(message.toString().split("\r\n\r\n")[0]).not.toMatch(/^Bcc:/m);
  });

  it("ends every line with CRLF", async () => {
    const labels = kpis([
      { label: "Open\ntickets", value: 24, note: "first\rsecond\r\nthird" },
      { label: "Überfällig", value: 3 },
    ]);
    const notebook = withOutput(plainBundle(labels[displaySymbol]()));
    for (const title of ["Report", "Bericht für März", "Two\nlines"]) {
      const attachments = [{ path: "list.html", content: Buffer.from("<p>a\nb</p>\n") }];
      const message = (await toEml(notebook, { title, attachments })).toString("latin1");
      expect(message.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    }
  });
});
