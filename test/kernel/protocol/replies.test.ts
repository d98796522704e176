import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { liveCompletion } from "../../../src/kernel/protocol/replies.js";
import type { CompletionQuery } from "../../../src/kernel/threads/thread-messages.js";

/** The question for the cursor, which is `|`, and the completed code for the answer `found`. */
async function at(marked: string, found: readonly string[] = ["Status"]) {
  const offset = marked.indexOf("|");
  const code = marked.slice(0, offset) + marked.slice(offset + 1);
  let question: CompletionQuery | undefined;
  const offered = await liveCompletion(
    async (sent) => {
      question = sent;
      return found;
    },
    code,
    offset,
  );
  const applied = offered?.matches.map((match) => code.slice(0, offered.start) + match + code.slice(offered.end));
  return { question, applied };
}

const tables = async (marked: string) => (await at(marked)).question?.tables;

describe("a string", () => {
  test.each([
    ['sites.get("|")', [["sites"]]],
    ["sites.get('|')", [["sites"]]],
    ['sites.groupby("a", "|', [["sites"]]],
    ['sites.select(["a", "|"])', [["sites"]]],
    ['layer.table.filter((d) => d.x > "a)").groupby("|")', [["layer", "table"]]],
    ['(await layer.history()).counts("|")', [["layer"]]],
    ['Plot.dot(sites, { x: "|" })', [["Plot"], ["sites"]]],
    ['Plot.plot({ marks: [Plot.barY(sites.slice(0, 3), { x: "a", y: "|" })] })', [["Plot"], ["sites"], ["Plot"]]],
    ['sCurve(history, { by: "|" })', [["history"]]],
    ['valueOverTime(layers["North"], "|")', [["layers", "North"]]],
    [`${"`$"}{sites.get("|")}\``, [["sites"]]],
    ['const re = /["(]/; sites.get("|")', [["sites"]]],
    ['a / b / sites.get("|")', [["sites"]]],
    ['// it\'s "\nsites.get("|")', [["sites"]]],
    ['sites?.get("|")', [["sites"]]],
    ['sites!.get("|")', [["sites"]]],
    ['total! / sites.get("|")', [["sites"]]],
    ['union(...sites.columns, "|")', [["sites", "columns"]]],
  ])("in %s can name columns of these tables", async (marked, expected) => {
    // The question can have other names of the statement.
    expect(await tables(marked)).toEqual(expect.arrayContaining(expected));
  });

  test.each([
    '"|"',
    'sites.get(|"a")',
    'sites.get("a"|)',
    "sites.get(`|`)",
    'sites.get; "|"',
    'import { a } from "|"',
    'history.asOf("|")',
    'sCurve(history, { from: "|" })',
    'sites.rename({ "|": "b" })',
    'load("|")',
    '/sites.get("|")/',
    'sites.filter((d) => d === "|")',
  ])("in %s has no completions", async (marked) => {
    expect(await tables(marked)).toBeUndefined();
  });

  test("can be a value in a comparison or of a key", async () => {
    expect((await at('sites.filter((d) => d.Status === "|")')).question).toMatchObject({
      tables: expect.arrayContaining([["sites"]]),
      column: "Status",
    });
    expect((await at('sites.filter((d) => d["Due date"] !== "|")')).question).toMatchObject({ column: "Due date" });
    expect((await at('find(sites, { Status: "|" })')).question).toMatchObject({ tables: [["sites"]], key: "Status" });
    expect((await at('sCurve(history, { by: ["|"] })')).question).toMatchObject({ tables: [["history"]], key: "by" });
  });
});

test("a completion replaces the string up to its end, and is escaped", async () => {
  const names = ["Status", "status code", 'say "it"', "it's", "back\\slash"];
  expect((await at('t.get("sta|x") + 1', names)).applied).toEqual(['t.get("Status") + 1', 't.get("status code") + 1']);
  expect((await at('t.get("sta|', names)).applied).toEqual(['t.get("Status', 't.get("status code']);
  expect((await at('t.get("|")', names)).applied?.slice(2)).toEqual([
    't.get("say \\"it\\"")',
    't.get("it\'s")',
    't.get("back\\\\slash")',
  ]);
  expect((await at("t.get('|')", names)).applied?.slice(2, 4)).toEqual(["t.get('say \"it\"')", "t.get('it\\'s')"]);
  expect((await at('t.get("zz|")', names)).applied).toBeUndefined();
});

test("random code is accepted, and a completion evaluates to the name", async () => {
  const signs = "\" ' ` } { ( ) [ ] / // /* */ \\ . ?. , : = ===".split(" ");
  const part = fc.constantFrom(...signs, "\u0024{", "\n", "a", "b.c", " ", "return", "1");
  const code = fc.array(part, { maxLength: 30 }).map((parts) => parts.join(""));
  await fc.assert(
    fc.asyncProperty(code, fc.nat(), async (text, place) => {
      await liveCompletion(async () => ["x"], text, place % (text.length + 1));
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "grapheme" }), fc.constantFrom('"', "'"), async (name, quote) => {
      const { applied } = await at(`[${quote}|${quote}].at(0)`.replace("[", "t.get([").replace("].at(0)", "])"), [
        name,
      ]);
      const [call = ""] = applied ?? [];
      expect(new Function("t", `return ${call}`)({ get: ([text]: readonly string[]) => text })).toBe(name);
    }),
  );
});
