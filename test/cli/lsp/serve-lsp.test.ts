import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type {
  CodeAction,
  CompletionItem,
  CompletionList,
  Diagnostic,
  Hover,
  Location,
  SignatureHelp,
  WorkspaceEdit,
} from "vscode-languageserver-protocol";
import { Editor } from "./editor.js";

let editor: Editor;

beforeEach(() => {
  editor = new Editor();
});

afterEach(async () => {
  if (editor.process.exitCode === null) await editor.end();
});

const pulling = { textDocument: { diagnostic: {} } };

async function started(...cells: readonly string[]): Promise<void> {
  await editor.initialize(pulling);
  await editor.open(...cells);
}

async function problems(cell: number): Promise<readonly Diagnostic[]> {
  const textDocument = { uri: editor.cell(cell).uri };
  return ((await editor.ask("textDocument/diagnostic", { textDocument })) as { items: Diagnostic[] }).items;
}

/** The code actions at the first error of a cell. */
async function fixes(cell: number): Promise<readonly CodeAction[]> {
  const diagnostics = await problems(cell);
  const textDocument = { uri: editor.cell(cell).uri };
  const params = { textDocument, range: diagnostics[0]?.range, context: { diagnostics } };
  return (await editor.ask("textDocument/codeAction", params)) as readonly CodeAction[];
}

/** The processes that a process has started. */
function compilers(parent = 0): readonly number[] {
  return execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([pid, of]) => (of === parent && pid !== undefined ? [pid] : []));
}

describe("errors", () => {
  test("depend on earlier cells, and have positions in their cell", async () => {
    await started(
      "const sites = aq.table({ site: ['a'], tickets: [12] });\nlet total = 0;",
      "total += 'x';\ntotal = sites.numRows();\nsites.numRow();",
      "const total = 'text';\ntotal.toFixed();",
      "await Promise.resolve(total.length);\nnowhere;",
    );
    expect(await editor.errors(0)).toEqual([]);
    expect(await editor.errors(1)).toEqual([
      expect.stringMatching(/^0:0 total TS2322: Type 'string' is not assignable to type 'number'/),
      expect.stringMatching(/^2:6 numRow TS2551: .*Did you mean 'numRows'\?$/),
    ]);
    expect(await editor.errors(2)).toEqual([expect.stringMatching(/^1:6 toFixed TS2551/)]);
    expect(await editor.errors(3)).toEqual(["1:0 nowhere TS2304: Cannot find name 'nowhere'."]);
  });

  test("follow edits, and new, removed and moved cells", async () => {
    await started("const a = 1;", "a.toFixed();", "a.toUpperCase();");
    expect([await editor.errors(1), await editor.errors(2)]).toEqual([[], [expect.stringContaining("TS2339")]]);
    await editor.edit(0, "const a = 'one';");
    expect([await editor.errors(1), await editor.errors(2)]).toEqual([[expect.stringContaining("TS2551")], []]);
    await editor.insert(1, "const a = 2;");
    expect([await editor.errors(2), await editor.errors(3)]).toEqual([[], [expect.stringContaining("TS2339")]]);
    await editor.move(1, 2);
    expect([await editor.errors(1), await editor.errors(3)]).toEqual([
      [expect.stringContaining("TS2551")],
      [expect.stringContaining("TS2339")],
    ]);
    await editor.remove(0);
    expect(await editor.errors(0)).toEqual(["0:0 a TS2304: Cannot find name 'a'."]);
  });

  test("have positions in UTF-16 units, whatever the line ends", async () => {
    await started("const smile = '😀😀'; missing;\r\n/* é */ gone;");
    expect(await editor.errors(0)).toEqual([
      expect.stringMatching(/^0:22 missing /),
      expect.stringMatching(/^1:8 gone /),
    ]);
  });

  test("of a cell with invalid syntax are syntax errors, and other cells keep its names", async () => {
    await started("let n = 1;\nconst { a, b: c } = { a: 1, b: 2 };\nconst s = f(;", "n += 1;\na + c;\ns;");
    expect(await editor.errors(0)).toEqual([expect.stringMatching(/^2:12 {2}TS1005/)]);
    expect(await editor.errors(1)).toEqual([]);
  });

  test("name cells by their position, and mention constants", async () => {
    await started(
      "const first = 0;",
      "class A { #a = 1 }\nconst made = new A();",
      "class A { #a = 1 }\nconst other: A = made;",
      "first = 1;",
    );
    expect(await editor.errors(2)).toEqual([expect.stringContaining('import("cell 2").A')]);
    expect(await editor.errors(3)).toEqual(["0:0 first TS2588: Cannot assign to 'first' because it is a constant."]);
  });

  test("depend on tsconfig.json and modules of the folder, also when they change", async () => {
    writeFileSync(join(editor.folder, "helper.ts"), "export const help = 1;");
    await started("import { help } from './helper';\nhelp.toFixed();", "function f(x) { return x; }");
    expect([await editor.errors(0), await editor.errors(1)]).toEqual([[], []]);
    writeFileSync(join(editor.folder, "helper.ts"), "export const help = 'text, which is longer';");
    writeFileSync(join(editor.folder, "tsconfig.json"), '{ "compilerOptions": { "strict": true } }');
    await editor.connection.sendNotification("workspace/didChangeWatchedFiles", { changes: [] });
    expect([await editor.errors(0), await editor.errors(1)]).toEqual([
      [expect.stringContaining("TS2551")],
      [expect.stringMatching(/^0:11 x TS7006/)],
    ]);
  });

  test("are published to a client that cannot request them, and cleared when the notebook is closed", async () => {
    await editor.initialize();
    await editor.open("const a = 1;", "a.length;");
    await editor.expectPublished(1, [expect.stringMatching(/^0:2 length TS2339/)]);
    await editor.edit(0, "const a = 'x';");
    await editor.expectPublished(1, []);
    await editor.edit(0, "const b = 'x';");
    await editor.expectPublished(1, [expect.stringMatching(/^0:0 a TS2304/)]);
    const { uri } = editor.cell(1);
    await editor.close();
    await expect.poll(() => editor.published.get(uri)).toEqual([]);
  });

  test("are published again for an edit that leaves the same errors", async () => {
    await editor.initialize();
    await editor.open("nowhere;", "1;");
    await editor.expectPublished(0, [expect.stringMatching(/^0:0 nowhere TS2304/)]);
    await expect.poll(() => editor.published.size).toBe(2);
    const [before, { uri }] = [editor.publications, editor.cell(0)];
    await editor.edit(0, "nowhere; // again");
    await expect.poll(() => editor.publications).toBe(before + 1);
    expect(editor.published.get(uri)).toHaveLength(1);
    await editor.edit(1, "2;");
    await editor.edit(1, "elsewhere;");
    await editor.expectPublished(1, [expect.stringMatching(/^0:0 elsewhere TS2304/)]);
    expect(editor.publications).toBe(before + 2);
  });

  test("are published to a client that can request them, until it does", async () => {
    await editor.initialize(pulling);
    await editor.open("const a = 1;", "a.length;", "a.size;");
    await editor.expectPublished(1, [expect.stringMatching(/^0:2 length TS2339/)]);
    expect(await editor.errors(1)).toHaveLength(1);
    const { uri } = editor.cell(1);
    await expect.poll(() => editor.published.get(uri)).toEqual([]);
    const before = editor.publications;
    await editor.edit(0, "const b = 1;");
    expect(await editor.errors(1)).toEqual([expect.stringMatching(/^0:0 a TS2304/)]);
    await editor.close();
    // Its reply comes after all messages about the close.
    await editor.ask("workspace/nothing", {}).catch(() => undefined);
    expect(editor.publications).toBe(before);
  });

  test("are requested again when another cell changes them", async () => {
    await editor.initialize({ ...pulling, workspace: { diagnostics: { refreshSupport: true } } });
    await editor.open("const a = 1;", "a.toFixed();");
    expect(await editor.errors(1)).toEqual([]);
    const before = editor.refreshes.length;
    await editor.edit(0, "const a = '1';");
    await expect.poll(() => editor.refreshes.length).toBeGreaterThan(before);
    expect(await editor.errors(1)).toHaveLength(1);
    expect(editor.published.size).toBe(0);
  });
});

describe("names", () => {
  const cells = [
    "/** How many there are. */\nlet count = 1;\nexport const fixed = 2;\ninterface Pile { depth: number }\nimport { join } from 'node:path';",
    "count += fixed;\nconst pile: Pile = { depth: count };",
    "function use() { return { count, fixed, d: pile.depth, j: join('a') }; }",
    "const count = 'anew';\ncount;",
    "use().count;",
  ];
  const at = (found: readonly Location[]) =>
    found
      .map(
        ({ uri, range: { start } }) =>
          `${editor.cells.findIndex((cell) => cell.uri === uri)}:${start.line}:${start.character}`,
      )
      .sort();

  test("lead to where they are declared, in cells and in files", async () => {
    await started(...cells);
    const definition = async (cell: number, mark: string) =>
      at((await editor.ask("textDocument/definition", editor.at(cell, mark))) as Location[]);
    expect(await definition(1, "count +=")).toEqual(["0:1:4"]);
    expect(await definition(1, "fixed")).toEqual(["0:2:13"]);
    expect(await definition(1, "Pile")).toEqual(["0:3:10"]);
    expect(await definition(2, "depth")).toEqual(["0:3:17"]);
    expect(await definition(3, "count;")).toEqual(["3:0:6"]);
    const [file] = (await editor.ask("textDocument/definition", editor.at(2, "join("))) as Location[];
    expect(file?.uri).toMatch(/^file:.*types\/node\/path\.d\.ts$/);
  });

  test("are found in all cells that use the same declaration", async () => {
    await started(...cells);
    const context = { includeDeclaration: true };
    const references = async (cell: number, mark: string) =>
      at((await editor.ask("textDocument/references", { ...editor.at(cell, mark), context })) as Location[]);
    const count = ["0:1:4", "1:0:0", "1:1:28", "2:0:26"];
    expect(await references(0, "count =")).toEqual(count);
    expect(await references(1, "count +=")).toEqual(count);
    expect(await references(3, "count;")).toEqual(["3:0:6", "3:1:0"]);
    const fixed = ["0:2:13", "1:0:9", "2:0:33"];
    expect(await references(0, "fixed")).toEqual(fixed);
    expect(await references(2, "fixed")).toEqual(fixed);
  });

  test("are renamed in all cells that use the same declaration, and members keep their names", async () => {
    await started(...cells);
    const renamed = async (cell: number, mark: string, newName: string) =>
      editor.edited((await editor.ask("textDocument/rename", { ...editor.at(cell, mark), newName })) as WorkspaceEdit);
    const changed = (first: readonly [string, string], second: readonly [string, string], third = second) =>
      [first, second, third].map((words, index) => cells[index]?.replace(...words)).concat(cells.slice(3));
    const expected = [
      cells[0]?.replace("let count", "let n"),
      "n += fixed;\nconst pile: Pile = { depth: n };",
      "function use() { return { count: n, fixed, d: pile.depth, j: join('a') }; }",
      ...cells.slice(3),
    ];
    expect(await renamed(0, "count =", "n")).toEqual(expected);
    expect(await renamed(1, "count +=", "n")).toEqual(expected);
    const more = changed(["fixed", "k"], ["fixed", "k"], ["fixed", "fixed: k"]);
    expect(await renamed(0, "fixed", "k")).toEqual(more);
    expect(await renamed(2, "fixed", "k")).toEqual(more);
    expect(await renamed(1, "depth", "meters")).toEqual(changed(["depth", "meters"], ["depth", "meters"]));
    expect(await renamed(2, "join(", "path")).toEqual(changed(["join", "join as path"], ["join(", "path("]));
  });

  test("cannot be renamed to a name that makes a cell invalid", async () => {
    await started("const count = 1;\nconst other = 2;\nclass Pile { #depth = count }", "count;", "count; )");
    const rename = (mark: string, newName: string) =>
      editor.ask("textDocument/rename", { ...editor.at(0, mark), newName });
    for (const name of ["1x", "class", "a-b", "", "other", "a b"]) {
      await expect(rename("count", name), name).rejects.toMatchObject({
        code: -32803,
        message:
          `"count" cannot be renamed to ${JSON.stringify(name)}: cell 1 would be invalid. ` +
          "Use an unused name with letters, digits, _ and $ only.",
        data: { code: "ERR_RENAME", facts: { name: "count", newName: name, cell: 1 } },
      });
    }
    expect(editor.edited((await rename("count", "zähler")) as WorkspaceEdit).slice(1)).toEqual([
      "zähler;",
      expect.any(String),
    ]);
    expect(editor.edited((await rename("depth", "#deep")) as WorkspaceEdit)[0]).toContain("#deep = count");
  });

  test("of packages, and predefined names, cannot be renamed", async () => {
    await started("const t = aq.table({});\nt.numRows();");
    for (const mark of ["aq", "numRows"]) {
      await expect(editor.ask("textDocument/prepareRename", editor.at(0, mark))).rejects.toMatchObject({
        code: -32803,
      });
    }
    await expect(editor.ask("textDocument/rename", { ...editor.at(0, "aq"), newName: "x" })).rejects.toMatchObject({
      code: -32803,
      message: expect.stringContaining('"aq" is not declared in a cell'),
      data: { code: "ERR_RENAME", facts: { name: "aq" } },
    });
    expect(await editor.ask("textDocument/prepareRename", editor.at(0, "t ="))).toEqual({
      range: { start: { line: 0, character: 6 }, end: { line: 0, character: 7 } },
      placeholder: "t",
    });
  });

  test("are explained, and arguments of calls too", async () => {
    await started(...cells, "aq.table({});");
    const hover = (await editor.ask("textDocument/hover", editor.at(1, "fixed"))) as Hover;
    expect(hover).toEqual({
      contents: { kind: "markdown", value: expect.stringContaining("fixed: 2") },
      range: { start: { line: 0, character: 9 }, end: { line: 0, character: 14 } },
    });
    expect(JSON.stringify(await editor.ask("textDocument/hover", editor.at(0, "count")))).toContain("How many");
    const help = (await editor.ask("textDocument/signatureHelp", editor.at(5, "{}"))) as SignatureHelp;
    expect(help.signatures[0]?.label).toMatch(/^table\(columns: /);
    const marked = await editor.ask("textDocument/documentHighlight", editor.at(3, "count;"));
    expect(marked).toHaveLength(2);
  });
});

describe("completions and code actions", () => {
  test("offer names of earlier cells with their documentation, and members", async () => {
    await started(
      "/** Its words. */\nconst wanted = 1;\nlet later = 2;",
      "wan",
      "import { join } from 'node:path';\nreadFileSyn",
      "'x'.",
    );
    const offered = async (cell: number, mark: string, further: number) =>
      ((await editor.ask("textDocument/completion", editor.at(cell, mark, further))) as CompletionList).items;
    const resolved = async (item: CompletionItem | undefined) =>
      (await editor.ask("completionItem/resolve", item ?? {})) as CompletionItem;
    const earlier = await offered(1, "wan", 3);
    expect(
      earlier.filter(({ label }) => ["wanted", "later", "join"].includes(label)).map(({ label }) => label),
    ).toEqual(expect.arrayContaining(["wanted", "later"]));
    expect(await resolved(earlier.find(({ label }) => label === "wanted"))).toMatchObject({
      detail: "const wanted: 1",
      documentation: { kind: "markdown", value: "Its words." },
    });
    const members = await offered(3, ".", 1);
    expect(members.map(({ label }) => label)).toContain("padStart");
    expect(members.map(({ label }) => label)).not.toContain("wanted");
  });

  test("add missing imports at the top of the cell", async () => {
    await started("const before = 1;", "// first\nconst text = readFileSync('a') + before + basename('b');");
    const [problem] = await problems(1);
    const actions = await fixes(1);
    const action = actions.find(({ title }) => title.includes('"node:fs"'));
    expect(action).toMatchObject({ kind: "quickfix", diagnostics: [problem] });
    expect(editor.edited(action?.edit ?? {})).toEqual([
      "const before = 1;",
      expect.stringMatching(/^import \{ readFileSync \} from ["']node:fs["'];\n\/\/ first\n/),
    ]);
    const all = actions.find(({ title }) => title === "Add all missing imports");
    const [, fixed = ""] = editor.edited(all?.edit ?? {});
    expect(fixed.split("\n").slice(0, 3).sort()).toEqual([
      "// first",
      expect.stringMatching(/^import \{ basename \} from ".+";$/),
      expect.stringMatching(/^import \{ readFileSync \} from ".+";$/),
    ]);
  });

  const given = [
    "async function lists() { return [[1]]; }\nclass Door { lists = lists; n = Promise.resolve(1) }",
    "const door = new Door();\nconst take = (n: number) => n;",
  ];

  test.each([
    ["lists().length;", "(await lists()).length;"],
    ["door\n  .lists()\n  .flat();", "(await door\n  .lists())\n  .flat();"],
    ["const size = '😀' + door.lists().length;", "const size = '😀' + (await door.lists()).length;"],
    ["for (const list of lists()) list;", "for (const list of await lists()) list;"],
    ["[...door.lists()];", "[...await door.lists()];"],
    ["take(door.n);", "take(await door.n);"],
    ["const late = async () => door.n.toFixed();", "const late = async () => (await door.n).toFixed();"],
    ["const a = 1\nlists().length", "const a = 1\n;(await lists()).length"],
    ["const a = {} // {\ndoor.n.toFixed()", "const a = {} // {\n;(await door.n).toFixed()"],
    ["if (door) {}\nlists().length", "if (door) {}\n(await lists()).length"],
    ["if (door)\n  lists().length", "if (door)\n  (await lists()).length"],
  ])("add a missing await: %s", async (code, expected) => {
    await started(...given, code);
    const actions = await fixes(2);
    expect(actions.map(({ title }) => title)).toEqual(["Add await"]);
    expect(actions[0]).toMatchObject({ kind: "quickfix", diagnostics: [expect.anything()] });
    expect(editor.edited(actions[0]?.edit ?? {})).toEqual([...given, expected]);
    await editor.edit(2, expected);
    expect(await editor.errors(2)).toEqual([]);
  });

  test.each(["const late = () => door.n.toFixed();", "door.n.toFixed2;", "const n: string = 1;", "door.nothing;"])(
    "add no await if it is invalid or not missing: %s",
    async (code) => {
      await started(...given, code);
      expect(await editor.errors(2)).toHaveLength(1);
      expect((await fixes(2)).filter(({ title }) => title === "Add await")).toEqual([]);
    },
  );
});

test("a script's cells are one document", async () => {
  const uri = pathToFileURL(join(editor.folder, "notebook.ts")).href;
  const text = "// %%\nlet n = 1;\n\n// %% [markdown]\n// n.words\n\n// %%\nn = 'x';\nn;\n";
  await editor.initialize();
  const item = { uri, languageId: "typescript", version: 1, text };
  await editor.connection.sendNotification("textDocument/didOpen", { textDocument: item });
  await expect
    .poll(() => editor.published.get(uri))
    .toEqual([
      expect.objectContaining({
        code: 2322,
        range: { start: { line: 7, character: 0 }, end: { line: 7, character: 1 } },
      }),
    ]);
  const place = { textDocument: { uri }, position: { line: 8, character: 0 } };
  const renamed = (await editor.ask("textDocument/rename", { ...place, newName: "m" })) as WorkspaceEdit;
  expect(renamed.changes?.[uri]?.map(({ range }) => range.start.line).sort()).toEqual([1, 7, 8]);
  const comment = { textDocument: { uri }, position: { line: 4, character: 4 } };
  expect(await editor.ask("textDocument/hover", comment)).toBeNull();
  const change = { range: { start: { line: 7, character: 4 }, end: { line: 7, character: 7 } }, text: "2" };
  await editor.connection.sendNotification("textDocument/didChange", {
    textDocument: { uri, version: 2 },
    contentChanges: [change],
  });
  await expect.poll(() => editor.published.get(uri)).toEqual([]);
});

test("a notebook in one document has a cell after each two blank lines outside of code", async () => {
  const cells = [
    "const n = 1;",
    "const list = [\n\n\n  n,\n];\nlist.size",
    "const n = 'anew';\nn.toFixed();",
    "n.padStart(",
    "n;",
  ];
  const text = cells.map((cell) => `${cell}\n`).join("\n\n");
  await editor.initialize();
  const item = { uri: editor.notebook, languageId: "typescript", version: 1, text };
  await editor.connection.sendNotification("textDocument/didOpen", { textDocument: item });
  const lines = text.split("\n");
  const problems = () =>
    editor.published.get(editor.notebook)?.map(({ code, range: { start } }) => [lines[start.line], code]);
  await expect.poll(problems).toEqual([
    ["list.size", 2339],
    ["n.toFixed();", 2551],
    ["n.padStart(", expect.any(Number)],
  ]);
  const position = { line: lines.lastIndexOf("n;"), character: 0 };
  const definition = await editor.ask("textDocument/definition", { textDocument: { uri: editor.notebook }, position });
  expect(definition).toMatchObject([{ range: { start: { line: lines.indexOf("const n = 'anew';") } } }]);
});

describe("the protocol", () => {
  test("a notebook that is closed while a name in it is looked up does not end the server", async () => {
    await editor.initialize();
    for (let count = 0; count < 3; count += 1) {
      await editor.open("const list = [1];", "list;");
      const asked = editor.ask("textDocument/prepareRename", editor.at(1, "list")).catch(() => undefined);
      await editor.open("1;");
      await asked;
    }
    expect(await editor.end()).toBe(0);
  });

  test("has errors for wrong states, unknown methods, invalid parameters and unopened documents", async () => {
    await expect(editor.ask("textDocument/hover", {})).rejects.toMatchObject({ code: -32002 });
    const { capabilities, serverInfo } = await editor.initialize();
    expect(serverInfo?.name).toBe("siteframe");
    expect(capabilities.diagnosticProvider).toBeUndefined();
    expect(capabilities.notebookDocumentSync).toMatchObject({ notebookSelector: [{ notebook: "*" }] });
    await editor.open("1;");
    await expect(editor.ask("textDocument/nothing", {})).rejects.toMatchObject({ code: -32601 });
    await expect(editor.ask("textDocument/hover", {})).rejects.toMatchObject({
      code: -32602,
      message: "textDocument must be an object, not undefined.",
    });
    const wrong = { ...editor.at(0, "1"), position: { line: -1, character: 0 } };
    await expect(editor.ask("textDocument/hover", wrong)).rejects.toMatchObject({ code: -32602 });
    const other = { textDocument: { uri: "file:///other.ts" }, position: { line: 0, character: 0 } };
    expect(await editor.ask("textDocument/hover", other)).toBeNull();
    await editor.connection.sendRequest("shutdown");
    await expect(editor.ask("textDocument/hover", editor.at(0, "1"))).rejects.toMatchObject({ code: -32600 });
    const ended = new Promise((resolve) => editor.process.once("exit", resolve));
    await editor.connection.sendNotification("exit");
    expect(await ended).toBe(0);
  });

  test("continues after an invalid message, and after a compiler dies", async () => {
    await started("nowhere;");
    editor.process.stdin.write("Content-Length: 3\r\n\r\n{x}");
    expect(await editor.errors(0)).toHaveLength(1);
    for (const pid of compilers(editor.process.pid)) process.kill(pid, "SIGKILL");
    await editor.edit(0, "nowhere; gone;");
    expect(await editor.errors(0)).toHaveLength(2);
  });

  test("ignores a cell that a client also opens as a document", async () => {
    await started("nowhere;");
    const { uri, text } = editor.cell(0);
    const textDocument = { uri, languageId: "typescript", version: 1, text };
    await editor.connection.sendNotification("textDocument/didOpen", { textDocument });
    const contentChanges = [{ text: "other;" }];
    await editor.connection.sendNotification("textDocument/didChange", {
      textDocument: { uri, version: 2 },
      contentChanges,
    });
    await editor.connection.sendNotification("textDocument/didClose", { textDocument: { uri } });
    expect(await editor.errors(0)).toEqual([expect.stringContaining("nowhere")]);
  });

  test("ends with its client", async () => {
    await started("1;");
    const ended = new Promise((resolve) => editor.process.once("exit", resolve));
    editor.process.stdin.end();
    expect(await ended).toBe(1);
  });
});

describe("cells that are nested too deeply", () => {
  test("have an error that contains the limit, and no other results", async () => {
    const deep = `const far = ${"[".repeat(10_000)}${"]".repeat(10_000)};`;
    await started("const near = 1;", deep, "near");
    expect(await problems(1)).toMatchObject([{ message: expect.stringContaining("10,000 levels deep. Limit: 500.") }]);
    expect(await problems(2)).toEqual([]);
    const params = { textDocument: { uri: editor.cell(1).uri }, position: { line: 0, character: 600 } };
    for (const method of ["hover", "definition", "completion", "signatureHelp", "documentHighlight", "references"]) {
      const answer = await editor.ask(`textDocument/${method}`, { ...params, context: { includeDeclaration: true } });
      expect(answer ?? [], method).toSatisfy((found: unknown) => {
        const list = Array.isArray(found) ? found : (found as CompletionList).items;
        return list.length === 0;
      });
    }
    await editor.edit(1, "const far = near;");
    expect(await problems(1)).toEqual([]);
  });

  test("are rejected as messages; later messages are read", async () => {
    await started("const near = 1;");
    const message = `{"jsonrpc":"2.0","method":"x","params":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
    editor.process.stdin.write(`Content-Length: ${message.length}\r\n\r\n${message}`);
    expect(await problems(0)).toEqual([]);
  });
});
