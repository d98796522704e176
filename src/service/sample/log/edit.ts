/** One edit of one property, before it becomes a record of the log. */
export interface Edit {
  readonly featureId: number;
  /** Rank among the edits of its feature, as they were thought up. */
  readonly sequence: number;
  readonly key: string;
  readonly value: unknown;
  /** When the edit was made, in microseconds. */
  readonly at: number;
  /** When the service learned of it, in microseconds. */
  readonly insertedAt: number;
  /** The person; null for the system. */
  readonly userId: number | null;
  readonly cause: Edit | null;
}
