import type { RecordInput } from "./encode-record.js";

/** A record and its line in the file, or its position in the table, from 1. */
export interface StagedRecord {
  readonly line: number;
  readonly record: RecordInput | Unreadable;
}

/** A line that could not even be read as text. */
export class Unreadable {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}
