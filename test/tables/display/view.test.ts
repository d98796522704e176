import { createHash } from "node:crypto";
import { inflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { pageShell } from "../../../src/notebook/page/page-shell.js";
import { fallbackOf, viewHtml } from "../../../src/tables/display/view.js";
import { frameFacts, framePageOf } from "./frame-facts.js";

const hostile = `"></iframe></script><script>alert(1)</script> & ' \u2028 ]]>`;
const fallback = { image: "data:image/png;base64,AAAA", width: 300, height: 200 };

const dataOf = (page: string, id: string) =>
  new RegExp(`<script id="${id}" type="([^"]+)">([^<]*)</script>`).exec(page);

describe("a view", () => {
  const view = { title: hostile, fallback, body: "<p>fallback</p>", payload: [hostile], script: "chart" } as const;

  it("is a fallback below a sandboxed frame, which runs one script by its hash", () => {
    const html = viewHtml(view);
    expect(html).toMatch(/<img alt="[^"<>]*" src="data:image\/png;base64,AAAA" width="300" height="200"/);
    expect(html.match(/<iframe /g)).toHaveLength(1);
    expect(html).toContain('sandbox="allow-scripts" ');
    const page = framePageOf(html);
    const [, code = ""] = /<script>([\s\S]*)<\/script>$/.exec(page) ?? [];
    const hash = createHash("sha256").update(code).digest("base64");
    expect(page).toContain(`default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'`);
    expect(page.replaceAll("http://www.w3.org/2000/svg", "")).not.toMatch(/https?:\/\//);
  });

  it("keeps every character of its data in a page", () => {
    const text = String.fromCharCode(...Array.from({ length: 400 }, (_, code) => code), 0x2028, 0xfeff, 0xfffe);
    const page = pageShell("", viewHtml({ ...view, payload: text }));
    expect(frameFacts(page)).toBe(text);
  });

  it("has a second fallback for narrow pages", () => {
    const narrow = { image: "data:image/png;base64,BBBB", width: 100, height: 150 };
    const html = viewHtml({ ...view, narrow });
    expect(html).toMatch(
      /<picture><source media="\(max-width:\d+px\)" srcset="data:image\/png;base64,BBBB" width="100" height="150"><img /,
    );
    expect(fallbackOf(html)).toBe(fallback.image);
    expect(fallbackOf(html, "narrow")).toBe(narrow.image);
    for (const page of ["wide", "narrow"] as const) expect(fallbackOf(viewHtml(view), page)).toBe(fallback.image);
  });

  it("holds its data as inert text, deflated if large", () => {
    const small = dataOf(framePageOf(viewHtml(view)), "payload");
    expect([small?.[1], JSON.parse(small?.[2] ?? "")]).toEqual(["application/json", [hostile]]);
    const many = Array.from({ length: 3000 }, () => hostile);
    const large = dataOf(framePageOf(viewHtml({ ...view, payload: many })), "payload");
    expect(large?.[1]).toBe("text/plain");
    expect(large?.[2]?.length).toBeLessThan(5000);
    expect(JSON.parse(inflateRawSync(Buffer.from(large?.[2] ?? "", "base64")).toString())).toEqual(many);
  });
});
