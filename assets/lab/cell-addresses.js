/** URIs of a page's notebook in the language server, and of its cells by their ids. */
export const NOTEBOOK = "notebook:/cells.ipynb";
const CELL = "notebook-cell:/";

export function addressOf(id) {
  return CELL + encodeURIComponent(id);
}

/** Returns the id of the cell with a URI; undefined for a file. */
export function idOf(address) {
  return address.startsWith(CELL) ? decodeURIComponent(address.slice(CELL.length)) : undefined;
}
