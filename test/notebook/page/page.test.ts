import { describe, expect, test } from "vitest";
import type { Output } from "../../../src/notebook/file/notebook.js";
import { toHtml } from "../../../src/notebook/page/to-html.js";
import { toIndexHtml } from "../../../src/notebook/page/to-index-html.js";
import { Plot, plot } from "../../../src/plot/index.js";
import { stillOf } from "../../../src/view/still-of.js";
import { toMimeBundle } from "../../../src/view/to-mime-bundle.js";
import { code, markdown, notebookOf } from "../cells.js";

function pageOf(...outputs: Output[]): string {
  return toHtml(notebookOf({ ...code("x"), outputs }));
}

function shown(data: Record<string, unknown>): string {
  return pageOf({ output_type: "display_data", data, metadata: {} });
}

describe("toHtml", () => {
  test("has the notebook's title, code, status and a way back", () => {
    const page = toHtml(
      notebookOf(markdown("# A & B\n\n*text*"), { ...code("const a = 'x'; // c"), execution_count: 4 }),
      {
        status: "ok",
        durationMs: 1234,
        indexHref: "index.html",
      },
    );
    expect(page).toContain("<title>A &amp; B</title>");
    expect(page).toContain("<em>text</em>");
    expect(page).toContain('<span class="keyword">const</span> a = <span class="string">&#39;x&#39;</span>');
    expect(page).toContain("[4]");
    expect(page).toContain("1.2 s");
    expect(page).toContain('<a href="index.html">');
  });

  test("says how old the data are, and what the notebook was run with", () => {
    const source = (name: string, read_at: string, generation?: number) => ({
      origin: { kind: "snapshot", name },
      read_at,
      ...(generation === undefined ? {} : { generation }),
    });
    const siteframe = {
      ...{ version: "1.2.3", node: "20.1.0", executed_at: "2026-06-30T12:00:00.000Z" },
      sources: [source("https://e.org", "2026-06-30T11:59:00Z"), source("<a>.snapshot", "2026-05-01T00:00:00Z", 4)],
    };
    const page = toHtml({ ...notebookOf(), metadata: { siteframe } });
    expect(page).toContain("Data read 2026-05-01 00:00 UTC, generation 4 and later");
    expect(page).toContain("Executed 2026-06-30 12:00 UTC with Siteframe 1.2.3 on Node 20.1.0.");
    expect(page).toContain("<li>&lt;a&gt;.snapshot, generation 4, read 2026-05-01 00:00 UTC</li>");
    expect(page).toContain("<li>https://e.org, read 2026-06-30 11:59 UTC</li>");
  });

  test.each([
    undefined,
    "x",
    { version: 1 },
    { version: "1", node: "2", executed_at: "soon", sources: [] },
    { version: "1", node: "2", executed_at: "2026-01-01", sources: "<script>" },
    {
      version: "1",
      node: "2",
      executed_at: "2026-01-01",
      sources: [null, { origin: 1 }, { origin: { name: "x" }, read_at: 3 }],
    },
  ])("a record that is none does no harm: %j", (siteframe) => {
    const page = toHtml({ ...notebookOf(), metadata: siteframe === undefined ? {} : { siteframe } });
    expect(page).not.toContain("<script>");
    expect(page).not.toContain("Data read");
  });

  test("runs no script and loads nothing", () => {
    expect(toHtml(notebookOf())).toContain("default-src 'none'");
  });

  test.each([
    ["<script>alert(1)</script>", "<script>"],
    ["a <img src=x onerror=alert(1)>", "<img"],
    ["[x](javascript:alert(1))", "<a "],
    ["[x](<JAVASCRIPT:alert(1)>)", "<a "],
    ["[x](data:text/html,x)", "<a "],
    ["![x](http://tracker/x.png)", "<img"],
    ['[x](https://e.org/"onclick="x)', '"onclick'],
  ])("hostile Markdown is shown, not obeyed: %s", (source, never) => {
    expect(toHtml(notebookOf(markdown(source)))).not.toContain(never);
  });

  test.each(["https://e.org/a?b#c", "#here", "other.html", "../up.html", "mailto:a@b.c"])(
    "the link %s works",
    (href) => {
      expect(toHtml(notebookOf(markdown(`[x](${href})`)))).toContain(`<a href="${href}">`);
    },
  );

  test("hostile code, streams and errors are escaped", () => {
    const hostile = "<script>x</script>";
    const page = toHtml(
      notebookOf({
        ...code(hostile),
        outputs: [
          { output_type: "stream", name: "stdout", text: hostile },
          { output_type: "error", ename: hostile, evalue: hostile, traceback: [hostile, `> 1 | ${hostile}`] },
          { output_type: "display_data", data: { "text/plain": hostile }, metadata: {} },
        ],
      }),
    );
    expect(page).not.toContain("<script>");
    expect(page).toContain("<mark>&gt; 1 |");
  });

  test("the richest format is shown", () => {
    expect(shown({ "text/plain": "plain", "text/html": "<b>rich</b>" })).toMatch(/<b>rich<\/b>(?!.*plain)/s);
    expect(shown({ "text/plain": "plain", "image/svg+xml": "<svg></svg>" })).toContain("<svg></svg>");
    expect(shown({ "text/plain": "plain", "image/png": "iVBO\nRw0=" })).toContain("data:image/png;base64,iVBORw0=");
    expect(shown({ "text/plain": "a<b" })).toContain("<pre>a&lt;b</pre>");
    expect(shown({ "application/json": { a: 1 } })).toContain("&quot;a&quot;: 1");
  });

  test("terminal codes are obeyed", () => {
    const page = pageOf({ output_type: "stream", name: "stdout", text: "\u001b[31mred\u001b[0m\n10%\r100%\n" });
    expect(page).toContain('<pre class="stream stdout">red\n100%</pre>');
  });
});

describe("a page among others", () => {
  test("leads to the one before it and the one behind it", () => {
    const previous = { href: "a.html", title: "A <b>" };
    const page = toHtml(notebookOf(), { previous, next: { href: "c.html", title: "C" } });
    expect(page).toContain('<a rel="prev" href="a.html">← A &lt;b&gt;</a>');
    expect(page).toContain('<a rel="next" href="c.html">C →</a>');
    expect(toHtml(notebookOf(), { previous })).not.toContain('rel="next"');
    expect(toHtml(notebookOf())).not.toContain('class="neighbours"');
  });
});

describe("toIndexHtml", () => {
  test("has a card for each notebook", () => {
    const figure: Output = { output_type: "display_data", data: { "image/svg+xml": "<svg/>" }, metadata: {} };
    const page = toIndexHtml(
      [
        {
          href: "a.html",
          status: "ok",
          durationMs: 65_000,
          notebook: notebookOf(markdown("# *First* <b>\n\nSee [this](x).\nMore."), { ...code("x"), outputs: [figure] }),
        },
        { href: "b.html", status: "failed", durationMs: 400, notebook: notebookOf() },
      ],
      "All <b>",
    );
    expect(page).toContain("<h1>All &lt;b&gt;</h1>");
    expect(page).toContain("2 notebooks, 1 failed, 1 min 5 s in all");
    expect(page).toContain("<h2>First &lt;b&gt;</h2><p>See this. More.</p>");
    expect(page).toContain(`data:image/svg+xml;base64,${btoa("<svg/>")}`);
    expect(page).toContain('href="b.html"');
    expect(page).toContain("<h2>b.html</h2>");
  });

  test("shows the still of a figure that answers, and of hostile HTML nothing", async () => {
    const data = await toMimeBundle(plot({ marks: [Plot.dot([[1, 2]])] }));
    const cardOf = (html: unknown) => {
      const output: Output = { output_type: "display_data", data: { "text/html": html }, metadata: {} };
      return toIndexHtml([{ href: "a.html", notebook: notebookOf({ ...code("x"), outputs: [output] }) }]);
    };
    expect(cardOf(data["text/html"])).toContain(`<img alt="" src="${stillOf(String(data["text/html"]))}">`);
    const hostile = '<div class="siteframe-view"><img src="data:image/png;base64,AA" onerror="alert(1)"></div>';
    expect(cardOf(hostile)).toContain('<img alt="" src="data:image/png;base64,AA">');
    expect(cardOf(hostile.replace("base64,", "base64,'>"))).toContain('class="letter"');
  });

  test("says whole sentences, as many as there is room for", () => {
    const blurbOf = (text: string) =>
      /<\/h2><p>([^<]*)<\/p>/.exec(toIndexHtml([{ href: "a.html", notebook: notebookOf(markdown(text)) }]))?.[1];
    const long = `${"Word ".repeat(60)}end.`;
    expect(blurbOf(`One is 1.5 m. Two. ${long} More.`)).toBe("One is 1.5 m. Two.");
    expect(blurbOf(`${long} More.`)).toBe(long);
  });

  test("shows the outputs of cells tagged highlight, and of no others", () => {
    const result = (text: string): Output => ({
      output_type: "display_data",
      data: { "text/plain": text },
      metadata: {},
    });
    const notebook = notebookOf(
      { ...code("a", "highlight"), outputs: [result("the table")] },
      { ...code("b"), outputs: [result("an aside")] },
    );
    const page = toIndexHtml([{ href: "a.html", notebook }]);
    expect(page).toContain("At a glance");
    expect(page).toContain("the table");
    expect(page).not.toContain("an aside");
    expect(toIndexHtml([{ href: "a.html", notebook: notebookOf() }])).not.toContain("At a glance");
  });
});
