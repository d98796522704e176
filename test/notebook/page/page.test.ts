import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { injectParameters } from "../../../src/notebook/file/inject-parameters.js";
import type { Output } from "../../../src/notebook/file/notebook.js";
import { summarizeNotebook } from "../../../src/notebook/page/notebook-summary.js";
import { toHtml } from "../../../src/notebook/page/to-html.js";
import { toIndexHtml } from "../../../src/notebook/page/to-index-html.js";
import { runRecord } from "../../../src/notebook/run/run-record.js";
import { Plot, plot } from "../../../src/plot/index.js";
import { md } from "../../../src/tables/display/markup-tags.js";
import { escapeHtml } from "../../../src/tables/display/text.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { fallbackOf } from "../../../src/tables/display/view.js";
import { randomRuns } from "../../support/random-runs.js";
import { code, displayed, markdown, notebookOf, printed, shownBy } from "../cells.js";

function pageOf(...outputs: Output[]): string {
  return toHtml(notebookOf(shownBy("x", ...outputs)));
}

function shown(data: Record<string, unknown>): string {
  return pageOf(displayed(data));
}

describe("toHtml", () => {
  test("has the notebook's title, code, status and a link back", () => {
    const notebook = notebookOf(markdown("# A & B\n\n*text*"), { ...code("const a = 'x'; // c"), execution_count: 4 });
    const page = toHtml(notebook, { status: "ok", durationMs: 1234, indexHref: "index.html" });
    expect(page).toContain("<title>A &amp; B</title>");
    expect(page).toContain("<em>text</em>");
    expect(page).toContain('<span class="keyword">const</span> a = <span class="string">&#39;x&#39;</span>');
    expect(page).toContain("[4]");
    expect(page).toContain("1.2 s");
    expect(page).toContain('<a href="index.html">');
  });

  test("supports the tags of other tools, and folded cells of JupyterLab", () => {
    const output = printed("an output");
    const page = (...tags: string[]) => toHtml(notebookOf({ ...code("secretCode()", ...tags), outputs: [output] }));
    const has = (html: string) => [html.includes("secretCode"), html.includes("an output"), html.includes("<details")];
    expect(has(page())).toEqual([true, true, false]);
    expect(has(page("remove-cell"))).toEqual([false, false, false]);
    expect(has(page("remove_input"))).toEqual([false, true, false]);
    expect(has(page("remove-output"))).toEqual([true, false, false]);
    for (const tag of ["hide-input", "hide-output", "hide-cell"]) expect(has(page(tag))).toEqual([true, true, true]);
    const folded = (jupyter: object) =>
      toHtml(notebookOf({ ...code("secretCode()"), metadata: { jupyter }, outputs: [output] }));
    expect(has(folded({ source_hidden: true }))).toEqual([true, true, true]);
    expect(has(folded({ outputs_hidden: true }))).toEqual([true, true, true]);
    expect(has(folded({ source_hidden: "yes" }))).toEqual([true, true, false]);
    expect(toHtml(notebookOf({ ...markdown("gone"), metadata: { tags: ["remove-cell"] } }))).not.toContain("gone");
  });

  test("hides code, parameters, addresses and the run with `noCode`", () => {
    const siteframe = {
      ...{ version: "1.2.3", node: "20.1.0", executed_at: "2026-06-30T12:00:00.000Z" },
      sources: [{ origin: { kind: "live", name: "https://internal.example.com" }, read_at: "2026-06-30T11:59:00Z" }],
    };
    const cells = [
      { ...code("let site = 12;", "injected-parameters"), execution_count: 1 },
      shownBy("compute()", printed("an output")),
    ];
    const notebook = { ...notebookOf(markdown("# Report"), ...cells), metadata: { siteframe } };
    const page = toHtml(notebook, { noCode: true, status: "ok", durationMs: 900, paper: "Letter" });
    for (const hidden of ["site = 12", "compute", "[1]", "internal", "20.1.0", "ran without errors", "0.9 s"]) {
      expect(page).not.toContain(hidden);
    }
    const kept = ["an output", "Data read 30 Jun 2026, 11:59 UTC", "with Siteframe 1.2.3", "@page { size: Letter; }"];
    for (const shown of kept) expect(page).toContain(shown);
  });

  test("has a head from front matter", () => {
    const front = {
      ...markdown('---\ntitle: "Weekly <report>"\nsubtitle: Llano Verde\nauthor: Ada\ndate: today\nkeep: 1\n---'),
      cell_type: "raw",
    } as const;
    const page = toHtml(notebookOf(front, markdown("Text.")), { logo: "data:image/png;base64,AA==" });
    expect(page).toContain("<title>Weekly &lt;report&gt;</title>");
    expect(page).toContain("<h1>Weekly &lt;report&gt;</h1>");
    expect(page).toContain('<p class="lead">Llano Verde</p><p class="by">Ada, today</p>');
    expect(page).toContain('<img class="logo" alt="" src="data:image/png;base64,AA==">');
    expect(page).not.toContain("keep: 1");
    expect(toHtml(notebookOf(markdown("a\n\n---\n\nb")))).toContain("<hr>");
  });

  test("shows the site and the dates of the parameters in the head, but not other parameters", () => {
    const front = markdown("---\ntitle: Progress\n---");
    const declared = [
      'const site: string | number = "Llano Verde";',
      "const at: string | null = null;",
      'let since: string = "2026-05-01"',
      'const snapshot = "/data/acme.snapshot";',
    ].join("\n");
    const parameters = { ...code(declared), metadata: { tags: ["parameters"] } };
    const notebook = injectParameters(notebookOf(front, parameters), { at: "2026-06-30", key: "secret-key", weeks: 4 });
    for (const noCode of [true, false]) {
      const page = toHtml(notebook, { noCode });
      expect(page).toContain('<h1>Progress</h1><p class="by">Llano Verde, since 2026-05-01, at 2026-06-30</p>');
    }
    expect(toHtml(notebook, { noCode: true })).not.toMatch(/secret-key|acme\.snapshot/);
    const metadata = { siteframe: runRecord(new Date(), [], ["Cerro Alto", "Llano Verde"]) };
    expect(toHtml({ ...notebook, metadata }, { title: "Progress of Llano Verde" })).toContain(
      '<p class="by">Cerro Alto, since 2026-05-01, at 2026-06-30</p>',
    );
  });

  test("has the given title instead of the title of the notebook", () => {
    const rest = "Day.\n\n## A\n\n## B\n\n## C";
    const shown = shownBy("md`# Own`", displayed({ "text/markdown": `# Own\n\n${rest}` }));
    const bare = shownBy("md`# Own`", displayed({ "text/markdown": "# Own" }));
    const front = markdown("---\ntitle: Given\n---");
    const pages = [
      toHtml(notebookOf(shown), { title: "Given" }),
      toHtml(notebookOf(markdown(`# Own\n\n${rest}`)), { title: "Given" }),
      toHtml(notebookOf(bare, markdown(rest)), { title: "Given", noCode: true }),
      toHtml(notebookOf(front, shown)),
    ];
    for (const page of pages) {
      expect(page.match(/<h1/g)).toHaveLength(1);
      expect(page).toContain("<h1>Given</h1>");
      expect(page).not.toMatch(/Own<|class="result"><\/div>/);
      expect(page).toContain("<p>Day.</p>");
      expect(page.match(/<li/g)).toHaveLength(3);
    }
    const chapters = toHtml(notebookOf(markdown("# Own\n\n# Next\n\n## A\n\n## B")), { title: "Given" });
    expect(chapters.match(/<li.*?<\/li>/g)).toHaveLength(3);
    expect(toHtml(notebookOf(markdown("# Own")), { title: "Given" })).not.toContain('class="cell markdown"');
  });

  test("colours code in templates as code, and regular expressions as strings", () => {
    const template = `\`a ${"$"}{f("b")} c\``;
    const coloured = toHtml(notebookOf(code(`t = ${template}, r = /["]/; x! / y\n// "`)));
    expect(coloured).toContain(
      `t = <span class="string">\`a ${"$"}{</span><span class="call">f</span>(<span class="string">&quot;b&quot;</span>)` +
        '<span class="string">} c`</span>, r = <span class="string">/[&quot;]/</span>; ' +
        'x! / y\n<span class="comment">// &quot;</span>',
    );
  });

  test("shows the time of the data, and the versions of the run", () => {
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
      ...{ version: "1", node: "2", executed_at: "2026-01-01" },
      sources: [null, { origin: 1 }, { origin: { name: "x" }, read_at: 3 }],
    },
  ])("ignores the invalid record %j", (siteframe) => {
    const page = toHtml({ ...notebookOf(), metadata: siteframe === undefined ? {} : { siteframe } });
    expect(page).not.toContain("<script>");
    expect(page).not.toContain("Data read");
  });

  const record = (...sites: unknown[]) => ({
    siteframe: { version: "1.2.3", node: "20.1.0", executed_at: "2026-06-30T12:00:00Z", sources: [], sites },
  });

  test("adds the site to its title, if it reads one site that the title lacks", () => {
    const page = (title: string, ...sites: unknown[]) => {
      const notebook = { ...notebookOf(markdown(`# ${title}\n\nText.\n\n## Next`)), metadata: record(...sites) };
      return [toHtml(notebook), toIndexHtml([{ href: "a.html", notebook }])];
    };
    const [named, index] = page("Punch *list*", "Llano <Verde>");
    expect(named).toContain("<title>Punch list, Llano &lt;Verde&gt;</title>");
    expect(named).toMatch(/<h1 id="punch-list">Punch <em>list<\/em>, Llano &lt;Verde&gt;<a/);
    expect(named).toMatch(/<h2 id="next">Next<a/);
    expect(index).toContain("<h2>Punch list, Llano &lt;Verde&gt;</h2>");
    expect(page("Punch list", "A", "B")[0]).toContain("<title>Punch list</title>");
    expect(page("Punch list", 7)[0]).toContain("<title>Punch list</title>");
    expect(page("Llano verde, its list", "Llano Verde")[0]).toContain("<title>Llano verde, its list</title>");
    const given = toHtml({ ...notebookOf(markdown("# T")), metadata: record("A") }, { title: "Mine" });
    expect(given).not.toContain("T, A");
  });

  test.each([
    "Smith & Sons",
    "Park_North_2",
    "Solar #1",
    "Bay [East]",
    "A*B*C `x` <i>",
    "C:\\Solar",
    "~~A~~ | B!",
    "Ærø",
  ])("shows the site %s once in the title, the heading and the index", (site) => {
    const title = { "text/markdown": String(md`# Progress, ${site}\n\nAbout ${site}.`) };
    const notebook = { ...notebookOf(shownBy("x", displayed(title))), metadata: record(site) };
    const shownTitle = escapeHtml(`Progress, ${site}`);
    const page = toHtml(notebook);
    expect(summarizeNotebook(notebook)).toMatchObject({ title: `Progress, ${site}`, blurb: `About ${site}.` });
    expect(page).toContain(`<title>${shownTitle}</title>`);
    expect(/<h1[^>]*>(.*?)<a class="anchor"/.exec(page)?.[1]).toBe(shownTitle);
    expect(toIndexHtml([{ href: "a.html", notebook }])).toContain(`<h2>${shownTitle}</h2>`);
  });

  test.each([
    ["Costs \\& gains", "Costs & gains"],
    ["A &amp; B &eacute;&#233;&#xE9; &ndash; &unknown;", "A & B ééé – &unknown;"],
    ["5 * 3 * 2", "5 * 3 * 2"],
    ["[Plan \\[A\\]](plan.html) ![map &lt;1&gt;](map.png) `&amp; \\_`", "Plan [A] map <1> &amp; \\_"],
    ["**Bold _and_ more**", "Bold and more"],
  ])("reads the heading %s as %s", (source, text) => {
    const notebook = notebookOf(markdown(`# ${source}`), markdown("## B \\_ &amp;\n\n## C\n\n## D"));
    expect(summarizeNotebook(notebook).title).toBe(text);
    const page = toHtml(notebook);
    expect(page).toContain(`<title>${escapeHtml(text)}</title>`);
    expect(page).toContain(">B _ &amp;</a></li>");
  });

  test("shows the text of removed links and pictures", () => {
    expect(toHtml(notebookOf(markdown("[a \\& *b*](javascript:x) ![c \\_ d](file:x)")))).toContain(
      "<p>a &amp; <em>b</em> c _ d</p>",
    );
  });

  test("has headings with unique anchors, and a list of them", () => {
    const cells = [
      markdown("# Title\n\n## Same\n\n### Same\n\n## \u65e5\u672c\u8a9e\n\n## !?"),
      shownBy("x", displayed({ "text/markdown": "## Größe & `code`" })),
    ];
    const page = toHtml(notebookOf(...cells));
    const ids = [...page.matchAll(/<h\d id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toEqual(["title", "same", "same-1", "\u65e5\u672c\u8a9e", "section", "größe--code"]);
    const [, list = ""] = /<nav class="contents"[^>]*>(.*?)<\/nav>/.exec(page) ?? [];
    expect([...list.matchAll(/href="#([^"]+)"/g)].map(([, href]) => decodeURIComponent(String(href)))).toEqual(
      ids.slice(1),
    );
    expect(list).toContain('<li class="below"><a href="#same-1">Same</a>');
    expect(list).toContain(">Größe &amp; code</a>");
    expect(toHtml(notebookOf(markdown("# Title\n\n## One\n\n## Two")))).not.toContain('class="contents"');
    expect(toHtml(notebookOf(...cells), { noCode: true })).toContain('class="contents"');
  });

  test("has a switch for code if it has code", () => {
    const hasSwitch = (html: string) => html.includes('<label class="switch">');
    expect(hasSwitch(toHtml(notebookOf(code("x"))))).toBe(true);
    expect(hasSwitch(toHtml(notebookOf(code("x")), { noCode: true }))).toBe(false);
    expect(hasSwitch(toHtml(notebookOf(code("x", "remove-input"), markdown("x"))))).toBe(false);
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
  ])("hostile Markdown is text: %s", (source, never) => {
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
    const error = { output_type: "error", ename: hostile, evalue: hostile } as const;
    const outputs = [printed(hostile), { ...error, traceback: [hostile, `> 1 | ${hostile}`] }];
    const page = toHtml(notebookOf(shownBy(hostile, ...outputs, displayed({ "text/plain": hostile }))));
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

  test("terminal codes are applied", () => {
    const page = pageOf(printed("\u001b[31mred\u001b[0m\n10%\r100%\n"));
    expect(page).toContain('<pre class="stream stdout"><span style="color:var(--bad, #c4302b)">red</span>\n100%</pre>');
  });
});

describe("a page among others", () => {
  test("links to the previous and the next page", () => {
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
    const figure = displayed({ "image/svg+xml": "<svg/>" });
    const page = toIndexHtml(
      [
        {
          href: "a.html",
          status: "ok",
          durationMs: 65_000,
          notebook: notebookOf(markdown("# *First* <b>\n\nSee [this](x).\nMore."), shownBy("x", figure)),
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

  test("shows the fallback of an interactive figure, but not hostile HTML", async () => {
    const data = await toMimeBundle(plot({ marks: [Plot.dot([[1, 2]])] }));
    const cardOf = (html: unknown) => {
      const notebook = notebookOf(shownBy("x", displayed({ "text/html": html })));
      return toIndexHtml([{ href: "a.html", notebook }]);
    };
    expect(cardOf(data["text/html"])).toContain(
      `<img alt="" src="${fallbackOf(String(data["text/html"]), "narrow")}">`,
    );
    const hostile = '<div class="siteframe-view"><img src="data:image/png;base64,AA" onerror="alert(1)"></div>';
    expect(cardOf(hostile)).toContain('<img alt="" src="data:image/png;base64,AA">');
    expect(cardOf(hostile.replace("base64,", "base64,'>"))).toContain('class="letter"');
  });

  test("shows the first small figure", () => {
    const figure = (svg: string) => displayed({ "image/svg+xml": svg });
    const [large, small] = [figure(`<svg>${"x".repeat(60_000)}</svg>`), figure("<svg>small</svg>")];
    const index = (...outputs: Output[]) =>
      toIndexHtml([{ href: "a.html", notebook: notebookOf(shownBy("x", ...outputs)) }]);
    expect(index(large, small)).toContain(Buffer.from("<svg>small</svg>").toString("base64"));
    expect(index(large)).toContain('<span class="letter"');
    expect(index(large).length).toBeLessThan(40_000);
  });

  test("shows as many whole sentences as fit", () => {
    const blurbOf = (text: string) =>
      /<\/h2><p>([^<]*)<\/p>/.exec(toIndexHtml([{ href: "a.html", notebook: notebookOf(markdown(text)) }]))?.[1];
    const long = `${"Word ".repeat(60)}end.`;
    expect(blurbOf(`One is 1.5 m. Two. ${long} More.`)).toBe("One is 1.5 m. Two.");
    expect(blurbOf(`${long} More.`)).toBe(long);
  });

  test("shows only the outputs of cells tagged highlight", () => {
    const notebook = notebookOf(
      { ...code("a", "highlight"), outputs: [displayed({ "text/plain": "the table" })] },
      shownBy("b", displayed({ "text/plain": "an aside" })),
    );
    const page = toIndexHtml([{ href: "a.html", notebook }]);
    expect(page).toContain("At a glance");
    expect(page).toContain("the table");
    expect(page).not.toContain("an aside");
    expect(toIndexHtml([{ href: "a.html", notebook: notebookOf() }])).not.toContain("At a glance");
  });
});

describe("terminal output", () => {
  const streamOf = (text: string) => {
    const page = pageOf(printed(text));
    return /<pre class="stream stdout"(?: tabindex="0")?>([\s\S]*?)<\/pre>/.exec(page)?.[1];
  };
  const [esc, bel, st] = ["\u001b", "\u0007", "\u001b\\"];
  const link = (url: string, end = bel) => `${esc}]8;id=1;${url}${end}x${esc}]8;;${end}`;

  test.each([
    ["screens that are cleared", `${esc}[2Jx`],
    ["lines that are emptied", `x${esc}[2K`],
    ["lines that are emptied to the cursor", `x${esc}[1K`],
    ["a cursor far to the right", `${esc}[999Cx${esc}[2K`],
    ["titles without an end", "\u009d8;"],
    ["strings without an end", "\u0098a"],
  ])("has a bounded size with %s", (_, part) => {
    expect((streamOf(part.repeat(100_000)) ?? "").length).toBeLessThan(1_000_000);
  });

  test("has a limited width after long lines", () => {
    const written = streamOf(`a\n${"b".repeat(5000)}${esc}[A!`) ?? "";
    expect(written).toBe(`a${" ".repeat(249)}!\n${"b".repeat(5000)}`);
    expect(streamOf(`${"b".repeat(5000)}${esc}[K.`)).toBe(`${"b".repeat(5000)}.`);
    expect(streamOf(`${"b".repeat(5000)}${esc}[D.`)).toBe(`${"b".repeat(4999)}.`);
    expect(streamOf(`${"b".repeat(300)}${esc}[C.`)).toBe(`${"b".repeat(300)}.`);
  });

  test.each([
    ["a link", link("https://a.example"), '<a href="https://a.example">x</a>'],
    ["a link with another end", link("mailto:a@b.example", st), '<a href="mailto:a@b.example">x</a>'],
    [
      "a link in one character",
      "\u009d8;;https://a.example\u009cx\u009d8;;\u009c",
      '<a href="https://a.example">x</a>',
    ],
    ["a link that would run", link("javascript:alert(1)"), "x"],
    ["a link to a file", link("file:///etc/passwd"), "x"],
    [
      "a link that would break out",
      link('https://a.example/"><b>'),
      '<a href="https://a.example/&quot;&gt;&lt;b&gt;">x</a>',
    ],
    [
      "a coloured link",
      `${esc}[31m${link("https://a.example")}${esc}[m`,
      '<a href="https://a.example"><span style="color:var(--bad, #c4302b)">x</span></a>',
    ],
    ["colours", `a${esc}[1;32mb${esc}[0mc`, 'a<span style="color:var(--good, #1a7f42);font-weight:600">b</span>c'],
    ["a colour of 256", `${esc}[38;5;196mx${esc}[39my`, '<span style="color:rgb(255,0,0)">x</span>y'],
    ["a colour of all", `${esc}[38;2;1;2;300mx`, '<span style="color:rgb(1,2,255)">x</span>'],
    ["an invalid colour", `${esc}[38;9;1mx${esc}[999mx`, "xx"],
    ["backspaces", "12345\b\b67", "12367"],
    ["more backspaces than there is", "a\b\b\bxy", "xy"],
    ["a return", "abcdef\rXY", "XYcdef"],
    ["a bar of progress", "10 %\r50 %\r100 %\n", "100 %"],
    ["a line that is erased", `abc\r${esc}[Kx${esc}[2K`, ""],
    ["Windows' line ends", "a\r\nb\r\n", "a\nb"],
    ["a cursor that goes up", `a\nb\n${esc}[2A\rX${esc}[1BY`, "X\nbY"],
    ["a cursor that goes far", `a${esc}[999999999Cb`, `a${" ".repeat(249)}b`],
    ["a cursor that goes down", `a${esc}[999999999Bb`, "ab"],
    ["a screen that is cleared", `old\nold${esc}[2J${esc}[Hnew`, "   new"],
    ["a title of the window", `${esc}]0;title${bel}x${esc}]2;title${st}y`, "xy"],
    ["answers of a device", `${esc}P1;2qabc${st}x${esc}_a${st}${esc}^b${st}${esc}Xc${st}y`, "xy"],
    ["sequences of two", `${esc}7${esc}(Bx${esc}8${esc}=`, "x"],
    ["sequences that do not end", `x${esc}[12;`, "x12;"],
    ["an ESC alone", `x${esc}`, "x"],
    ["other control characters", "a\0b\u0001\u000b\u007f\u0085c\u0007", "a␀b␁␋c"],
    ["accents and joined characters", "e\u0301\u{1f469}\u200d\u{1f4bb}\r\u00e5", "\u00e5\u{1f469}\u200d\u{1f4bb}"],
    ["HTML", `<b>${esc}[4m&<i>`, '&lt;b&gt;<span style="text-decoration:underline">&amp;&lt;i&gt;</span>'],
  ])("renders %s", (_, text, expected) => {
    expect(streamOf(text)).toBe(expected);
  });

  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for them
  const control = /[\0-\x08\x0b\x0e-\x1f\x7f]/;

  test("has no control characters in any place", () => {
    const all = String.fromCharCode(...Array.from({ length: 160 }, (_, code) => code));
    const page = toHtml(
      notebookOf(markdown(`# T ${esc}[31mred${esc}[0m${all}\n\n${all}`), {
        ...code(`"${all}"`),
        outputs: [{ output_type: "error", ename: "E", evalue: all, traceback: [`${esc}[31mE${esc}[0m: ${all}`, all] }],
      }),
      { title: `t${all}` },
    );
    expect(page).not.toMatch(control);
    for (const mime of ["text/html", "image/svg+xml", "text/markdown", "text/plain", "application/x-own"]) {
      expect(shown({ [mime]: all })).not.toMatch(control);
    }
    expect(toIndexHtml([{ href: "a.html", notebook: notebookOf(markdown(`# T${all}`)) }], all)).not.toMatch(control);
    expect(toHtml(notebookOf(markdown(`# T ${esc}[31mred${esc}[0m`)))).toContain("<title>T red</title>");
  });

  test("is safe and bounded for random codes", () => {
    const codes = fc.constantFrom(
      esc,
      `${esc}[`,
      `${esc}]8;;`,
      bel,
      "\r",
      "\b",
      "\n",
      ..."m A K 2J ; 9 x <".split(" "),
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(codes, fc.string()), { maxLength: 40 }), (parts) => {
        const shownText = streamOf(parts.join("")) ?? "";
        expect(shownText).not.toMatch(control);
        expect(shownText.replace(/<\/?(?:span|a)(?: (?:style|href)="[^"<>]*")?>/g, "")).not.toMatch(/[<>]/);
        expect(shownText.length).toBeLessThan(100_000);
      }),
      { numRuns: randomRuns(500) },
    );
  });
});

describe("a picture attached to a cell", () => {
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const attachments = {
    "plan.png": { "image/png": png },
    "my plan (1).png": { "image/png": [png.slice(0, 40), "\n", png.slice(40)] },
    "größe.jpg": { "image/jpeg": png },
    "100%.png": { "image/png": png },
    "a.svg": { "image/svg+xml": ["<svg xmlns='http://www.w3.org/2000/svg'>", "</svg>"] },
    "page.html": { "text/html": "<script>1</script>" },
    "both.png": { "text/html": "x", "image/png": png },
    "bad.png": { "image/png": '"><script>' },
    "none.png": {},
    "null.png": null,
    "number.png": { "image/png": 7 },
    constructor: { "image/png": png },
  };
  const cellOf = (source: string, given: unknown = attachments) => {
    const page = toHtml(notebookOf({ ...markdown(source), attachments: given } as never));
    return /<section class="cell markdown">([\s\S]*?)<\/section>/.exec(page)?.[1] ?? "";
  };
  const image = `<img src="data:image/png;base64,${png}"`;

  test.each([
    ["![the plan](attachment:plan.png)", `<p>${image} alt="the plan"></p>`],
    ["![the plan](ATTACHMENT:plan.png 'a \"title\"')", `${image} alt="the plan" title="a &quot;title&quot;">`],
    ["- a\n  - b\n    - ![x](attachment:plan.png)", `${image} alt="x">`],
    ["> | a |\n> |---|\n> | ![x](attachment:plan.png) |", `${image} alt="x">`],
    ["![x][plan]\n\n[plan]: attachment:plan.png", `${image} alt="x">`],
    ["[![x](attachment:plan.png)](https://a.example)", `<a href="https://a.example">${image} alt="x"></a>`],
    ["![x](<attachment:my plan (1).png>)", `${image} alt="x">`],
    ["![x](attachment:my%20plan%20%281%29.png)", `${image} alt="x">`],
    ["![x](attachment:gr%C3%B6%C3%9Fe.jpg)", `<img src="data:image/jpeg;base64,${png}" alt="x">`],
    ["![x](attachment:größe.jpg)", `<img src="data:image/jpeg;base64,${png}" alt="x">`],
    ["![x](attachment:100%.png)", `${image} alt="x">`],
    ["![x](attachment:both.png)", `${image} alt="x">`],
    [
      "![x](attachment:a.svg)",
      `<img src="data:image/svg+xml;base64,${Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'></svg>").toString("base64")}" alt="x">`,
    ],
    ['![a <b> " c](attachment:plan.png)', `${image} alt="a &lt;b&gt; &quot; c">`],
    [
      '<img src="attachment:plan.png" width="200" onerror="x" alt="a &amp; b">',
      `${image} alt="a &amp; b" width="200">`,
    ],
    ["<img width=50% src='attachment:my plan (1).png'/>", `${image} alt="" width="50%">`],
    ["a <img src=attachment:plan.png> b", `a ${image} alt=""> b`],
    ['<div align="center"><img src="attachment:plan.png"></div>', `${image} alt="">`],
    ["![x](attachment:constructor)", `${image} alt="x">`],
  ])("is shown by %s", (source, expected) => {
    expect(cellOf(source)).toContain(expected);
  });

  test.each([
    ...[
      "page.html",
      "bad.png",
      "none.png",
      "null.png",
      "number.png",
      "absent.png",
      "toString",
      "__proto__",
      "",
      "../plan.png",
    ].map((name) => `![x](attachment:${name})`),
    '<img src="attachment:bad.png" onerror="x">',
    '<img src="x" onerror="x">',
    '<img src="javascript:x" alt="attachment:plan.png">',
    '<img alt=\' src="attachment:plan.png"\' src="https://a.example/x">',
  ])("is text if it is missing or invalid: %s", (source) => {
    const html = cellOf(source);
    if (!html.includes("data:image")) expect(html).not.toContain("<img");
    expect(html).not.toMatch(/<[^>]* on\w+=|<script|<[^>]*a\.example/);
  });

  test.each([null, 7, "x", [], [1]])("is text with the attachments %j", (given) => {
    expect(cellOf("![x](attachment:plan.png)", given)).toBe("<p>x</p>\n");
  });
});

test("an output cannot redirect the page", () => {
  for (const tag of [
    "<meta http-equiv=refresh content='0;url=https://a.example'>",
    "<META\nhttp-equiv=refresh>",
    "<base href='https://a.example'>",
    "<svg><meta/></svg>",
  ]) {
    for (const mime of ["text/html", "image/svg+xml"])
      expect(shown({ [mime]: tag })).not.toMatch(/<(?:meta[^>]*refresh|base)|<svg><meta/i);
  }
  expect(shown({ "text/html": "<svg><metadata>m</metadata></svg>" })).toContain("<svg><metadata>m</metadata></svg>");
  expect(pageOf()).toContain("base-uri 'none'; form-action 'none'");
});
