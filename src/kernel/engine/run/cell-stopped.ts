/** Ends the code of a cell that was stopped. Nobody is to see it. */
export class CellStopped extends Error {
  override readonly name = "CellStopped";
}
