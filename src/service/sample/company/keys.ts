/** Built-in property keys: they are their own names and have no definition. */
export const STATUS = "STATUS";
export const ASSIGNEE = "ASSIGNEE";
export const PRIORITY = "PRIORITY";
export const DUE_DATE = "DUE_DATE";
export const PROGRESS = "PROGRESS";
export const VOLUME = "VOLUME";
