/**
 * Something that a user should know and that is no error: a merged column, an unresolved UUID, a wrong scope,
 * a late edit.
 */
export interface Finding {
  /** Stable name of the kind of finding, in kebab-case: `unresolved-key`. */
  readonly code: string;
  /** One sentence for a person. */
  readonly message: string;
  /** How many rows, keys or values it is about. */
  readonly count?: number;
  /** The facts as data, for programs. Plain JSON without person data. */
  readonly facts?: Readonly<Record<string, unknown>>;
}
