/** The key of the method by which an object shows itself. Deno's kernel calls the same method. */
export const displaySymbol: unique symbol = Symbol.for("Jupyter.display") as typeof displaySymbol;
