import { schemaOf, type TableSchema } from "../format/table-schema.js";

/** The log in parts that are to be joined: columns are made of the files that it ends in, and once. */
export const logParts: TableSchema = { ...schemaOf("propertyChanges"), columnFiles: undefined };
