import type { Field } from "../form/field.js";

/** The id of most records. */
export const integerId = { type: "integer", nullable: false, description: "Identifier." } as const satisfies Field;

/** The id of definitions and changes. */
export const uuidId = { type: "uuid", nullable: false, description: "Identifier." } as const satisfies Field;
