import { createHash } from "node:crypto";
import { inflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { pageShell } from "../../../src/notebook/page/page-shell.js";
import { stillOf } from "../../../src/tables/display/still-of.js";
import { viewHtml } from "../../../src/tables/display/view.js";
import { frameFacts } from "./frame-facts.js";

const hostile = `"></iframe></script><script>alert(1)</script> & ' \u2028 ]]>`;
const still = { image: "data:image/png;base64,AAAA", width: 300, height: 200 };

/** The frame's document, as a browser reads the attribute. */
function pageOf(html: string): string {
  const [, text = ""] = /srcdoc="([^"]*)"/.exec(html) ?? [];
  return text.replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}

const dataOf = (page: string, id: string) =>
  new RegExp(`<script id="${id}" type="([^"]+)">([^<]*)</script>`).exec(page);

describe("a view", () => {
  const view = { title: hostile, still, body: "<p>still</p>", facts: { facts: [hostile] }, script: "chart" } as const;

  it("is a still below a frame without an origin, which runs one script by its hash", () => {
    const html = viewHtml(view);
    expect(html).toMatch(/<img alt="[^"<>]*" src="data:image\/png;base64,AAAA" width="300" height="200"/);
    expect(html.match(/<iframe /g)).toHaveLength(1);
    expect(html).toContain('sandbox="allow-scripts" ');
    const page = pageOf(html);
    const [, code = ""] = /<script>([\s\S]*)<\/script>$/.exec(page) ?? [];
    const hash = createHash("sha256").update(code).digest("base64");
    expect(page).toContain(`default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'`);
    expect(page.replaceAll("http://www.w3.org/2000/svg", "")).not.toMatch(/https?:\/\//);
  });

  it("holds every character of its data, also in a page, which replaces control characters", () => {
    const text = String.fromCharCode(...Array.from({ length: 400 }, (_, code) => code), 0x2028, 0xfeff, 0xfffe);
    const page = pageShell("", viewHtml({ ...view, facts: { facts: text } }));
    expect(frameFacts(page)).toBe(text);
  });

  it("has a second still for narrow pages, and the first is what remains without it", () => {
    const narrow = { image: "data:image/png;base64,BBBB", width: 100, height: 150 };
    const html = viewHtml({ ...view, narrow });
    expect(html).toMatch(
      /<picture><source media="\(max-width:\d+px\)" srcset="data:image\/png;base64,BBBB" width="100" height="150"><img /,
    );
    expect(stillOf(html)).toBe(still.image);
    expect(stillOf(viewHtml(view))).toBe(still.image);
  });

  it("holds its data as inert text, deflated where they are large", () => {
    const small = dataOf(pageOf(viewHtml(view)), "facts");
    expect([small?.[1], JSON.parse(small?.[2] ?? "")]).toEqual(["application/json", [hostile]]);
    const many = Array.from({ length: 3000 }, () => hostile);
    const large = dataOf(pageOf(viewHtml({ ...view, facts: { facts: many } })), "facts");
    expect(large?.[1]).toBe("text/plain");
    expect(large?.[2]?.length).toBeLessThan(5000);
    expect(JSON.parse(inflateRawSync(Buffer.from(large?.[2] ?? "", "base64")).toString())).toEqual(many);
  });
});
