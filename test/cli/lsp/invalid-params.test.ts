import { expect, test } from "vitest";
import { checkParams } from "../../../src/cli/lsp/serve-lsp.js";

const uri = "file:///n.ipynb";
const cell = { kind: 2, document: `${uri}#a` };

test("valid parameters are accepted, with any other members", () => {
  const position = { line: 0, character: 1 };
  checkParams("textDocument/hover", { textDocument: { uri }, position, workDoneToken: 1 });
  checkParams("notebookDocument/didChange", { notebookDocument: { uri }, change: { cells: { data: [cell] } } });
  checkParams("notebookDocument/didChange", { notebookDocument: { uri }, change: {} });
  checkParams("initialize", { rootUri: null, workspaceFolders: null, capabilities: {} });
  checkParams("shutdown", {});
  checkParams("constructor", null);
});

test.each([
  ["textDocument/hover", { textDocument: null, position: {} }, "textDocument must be an object, not null."],
  ["textDocument/hover", [], "params must be an object, not []."],
  [
    "textDocument/hover",
    { textDocument: { uri }, position: { line: -1, character: 0 } },
    "position.line must be an integer from 0 to 2147483647, not -1.",
  ],
  [
    "textDocument/hover",
    { textDocument: { uri }, position: { line: 0, character: 2 ** 31 } },
    "position.character must be an integer from 0 to 2147483647, not 2147483648.",
  ],
  [
    "notebookDocument/didOpen",
    { notebookDocument: { uri, cells: [cell, null] }, cellTextDocuments: [] },
    "notebookDocument.cells[1] must be an object, not null.",
  ],
  ["textDocument/didChange", { textDocument: { uri }, contentChanges: "x" }, 'contentChanges must be a list, not "x".'],
])("%s with invalid parameters is refused with the invalid member", (method, params, message) => {
  expect(() => checkParams(method, params)).toThrow(message);
});
