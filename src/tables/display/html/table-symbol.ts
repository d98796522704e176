/** The key of the method by which an object of ours gives the table that it shows itself as. */
export const tableSymbol: unique symbol = Symbol("siteframe.table");
