import { showValue } from "../../core/show-value.js";
import { errorCodes, RequestError } from "./json-rpc.js";

// Checks the parameters that the server reads, as defined by LSP 3.17. Clients may send anything.

/** @throws RequestError for an invalid value */
type Check = (value: unknown, path: string) => void;

const of =
  (expected: string, accepts: (value: unknown) => boolean): Check =>
  (value, path) => {
    if (accepts(value)) return;
    throw new RequestError(errorCodes.invalidParams, `${path} must be ${expected}, not ${showValue(value)}.`);
  };

const MAX_UINTEGER = 2 ** 31 - 1;

const text = of("a string", (value) => typeof value === "string");
const index = of(
  `an integer from 0 to ${MAX_UINTEGER}`,
  (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_UINTEGER,
);
const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
const anObject = of("an object", isObject);
const aList = of("a list", Array.isArray);

const optional =
  (check: Check): Check =>
  (value, path) => {
    if (value !== undefined && value !== null) check(value, path);
  };

const listOf =
  (check: Check): Check =>
  (value, path) => {
    aList(value, path);
    for (const [place, one] of (value as readonly unknown[]).entries()) check(one, `${path}[${place}]`);
  };

const object =
  (members: Readonly<Record<string, Check>>): Check =>
  (value, path) => {
    anObject(value, path === "" ? "params" : path);
    for (const [name, check] of Object.entries(members)) {
      check(Reflect.get(value as object, name), path === "" ? name : `${path}.${name}`);
    }
  };

const position = object({ line: index, character: index });
const range = object({ start: position, end: position });
const document = object({ uri: text });
const openDocument = object({ uri: text, languageId: text, text });
const change = object({ text, range: optional(range) });
const cell = object({ kind: index, document: text });
const at = object({ textDocument: document, position, context: optional(anObject) });

const structure = object({
  array: object({ start: index, deleteCount: index, cells: optional(listOf(cell)) }),
  didOpen: optional(listOf(openDocument)),
  didClose: optional(listOf(document)),
});
const changedCells = object({
  structure: optional(structure),
  data: optional(listOf(cell)),
  textContent: optional(listOf(object({ document, changes: listOf(change) }))),
});

const checks: Readonly<Record<string, Check>> = {
  initialize: object({
    capabilities: optional(anObject),
    rootUri: optional(text),
    workspaceFolders: optional(listOf(document)),
  }),
  "textDocument/diagnostic": object({ textDocument: document }),
  "textDocument/hover": at,
  "textDocument/signatureHelp": at,
  "textDocument/definition": at,
  "textDocument/typeDefinition": at,
  "textDocument/references": at,
  "textDocument/documentHighlight": at,
  "textDocument/prepareRename": at,
  "textDocument/rename": object({ textDocument: document, position, newName: text }),
  "textDocument/completion": at,
  "completionItem/resolve": object({ label: text, data: optional(object({ uri: text, key: text })) }),
  "textDocument/codeAction": object({
    textDocument: document,
    range,
    context: optional(object({ diagnostics: optional(listOf(object({ range }))), only: optional(listOf(text)) })),
  }),
  "notebookDocument/didOpen": object({
    notebookDocument: object({ uri: text, cells: listOf(cell) }),
    cellTextDocuments: listOf(openDocument),
  }),
  "notebookDocument/didChange": object({
    notebookDocument: document,
    change: object({ cells: optional(changedCells) }),
  }),
  "notebookDocument/didClose": object({ notebookDocument: document }),
  "textDocument/didOpen": object({ textDocument: openDocument }),
  "textDocument/didChange": object({ textDocument: document, contentChanges: listOf(change) }),
  "textDocument/didClose": object({ textDocument: document }),
};

/**
 * Checks the members of a message's parameters that the server reads.
 *
 * @throws RequestError with the first member that is missing or has the wrong type
 */
export function checkParams(method: string, params: unknown): void {
  if (Object.hasOwn(checks, method)) checks[method]?.(params, "");
}
