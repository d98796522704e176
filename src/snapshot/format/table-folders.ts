import { GONE_FEATURES } from "./manifest.js";
import { tableSchemas } from "./table-schema.js";

/** The folders of all tables of a state. */
export const tableFolders: readonly string[] = [...tableSchemas.map(({ name }) => name), GONE_FEATURES];
