/** A value of a request, bound to a `?` of the statement: a text or a list of texts. */
export type SqlParameter = string | readonly string[];

/** A piece of SQL and the values of its `?`, in order. */
export interface SqlPart {
  readonly sql: string;
  readonly parameters: readonly SqlParameter[];
}
