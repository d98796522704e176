import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { addOptionCodes } from "../../src/core/option-codes.js";
import { languages, readerWord, translator } from "../../src/core/translate.js";

/** The words of each language besides English. */
const tables = languages
  .filter((language) => language !== "en")
  .map((language) => [language, JSON.parse(readFileSync(`assets/locales/${language}.json`, "utf8"))] as const);

const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

/** Texts that reports and figures translate, from their source code. */
function usedTexts(): ReadonlySet<string> {
  const sources = [
    ...readdirSync("notebooks/reports").map((name) => {
      const { cells } = JSON.parse(readFileSync(join("notebooks/reports", name), "utf8"));
      return cells.map(({ source }: { source: string[] }) => source.join("")).join("\n");
    }),
    ...readdirSync("src", { recursive: true, encoding: "utf8" })
      .filter((name) => /^(?:plot|notebook).*\.ts$/.test(name.replaceAll("\\", "/")))
      .map((name) => readFileSync(join("src", name), "utf8")),
  ];
  const calls = sources.flatMap((source) => [
    ...source.matchAll(
      /\b(?:text|translate|say)\(\s*(?:\w+[^"'`()]*\? )?(["'])((?:(?!\1).)+)\1(?: : (["'])((?:(?!\3).)+)\3)?/g,
    ),
  ]);
  return new Set(calls.flatMap(([, , text, , other]) => [text, other]).filter((text) => text !== undefined));
}

describe("the words of reports", () => {
  it.each(["en", "de"])("leave values with the names of inherited members unchanged (%s)", (locale) => {
    for (const text of ["constructor", "toString", "__proto__", "{constructor}"]) {
      expect(translator(locale)(text, { count: 1 })).toBe(text);
    }
  });

  it.each(tables)("are complete in %s", (_, words) => {
    const [, german] = tables[0] as (typeof tables)[number];
    expect(Object.keys(words)).toEqual(Object.keys(german));
    const used = usedTexts();
    expect(used.size).toBeGreaterThan(100);
    expect([...used].filter((text) => !(text in words))).toEqual([]);
    for (const [text, translated] of Object.entries(words as Record<string, string>)) {
      expect(translated.trim()).not.toBe("");
      expect([text, placeholders(translated)]).toEqual([text, placeholders(text)]);
    }
  });

  it("fill placeholders, and stay English if they are unknown", () => {
    expect(translator("de-AT")("since {day}", { day: "1. Juni 2026" })).toBe("seit 1. Juni 2026");
    expect(translator("de")("A {color} fence", { color: "red" })).toBe("A red fence");
    expect(translator("en-US")("since {day}", { day: "2 Jun" })).toBe("since 2 Jun");
  });
});

describe("a word of a figure", () => {
  afterEach(() => vi.unstubAllEnvs());

  it("stays unchanged outside of reports", () => {
    expect(["IN_PROGRESS", "2026-06-30"].map(readerWord)).toEqual(["IN_PROGRESS", "2026-06-30"]);
  });

  it.each([
    ["en", ["In progress", "30 Jun 2026", "Block 05", "P85", "SPI", "Fog"]],
    ["de", ["In Arbeit", "30. Juni 2026", "Block 05", "P85", "SPI", "Fog"]],
  ])("is readable in %s", (locale, expected) => {
    vi.stubEnv("SITEFRAME_ORIGIN", "off");
    vi.stubEnv("SITEFRAME_LOCALE", locale);
    expect(["IN_PROGRESS", "2026-06-30", "Block 05", "P85", "SPI", "Fog"].map(readerWord)).toEqual(expected);
  });

  it("keeps names in capitals, unless they are codes of a definition", () => {
    vi.stubEnv("SITEFRAME_ORIGIN", "off");
    vi.stubEnv("SITEFRAME_LOCALE", "en");
    addOptionCodes(["HOTSPOT", "free text"]);
    expect(["ACME", "OPEN", "HOTSPOT"].map(readerWord)).toEqual(["ACME", "Open", "Hotspot"]);
  });
});
