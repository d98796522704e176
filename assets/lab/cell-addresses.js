/** What the language server calls the notebook of a page, and its cells by their ids. */
export const NOTEBOOK = "notebook:/cells.ipynb";
const CELL = "notebook-cell:/";

export function addressOf(id) {
  return CELL + encodeURIComponent(id);
}

/** The id of the cell that an address is of; undefined if it is one of a file. */
export function idOf(address) {
  return address.startsWith(CELL) ? decodeURIComponent(address.slice(CELL.length)) : undefined;
}
