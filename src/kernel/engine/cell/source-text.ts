/** A script that runs, or has run, and what leads back to what the user wrote. Plain data. */
export interface SourceText {
  /** What its stack frames bear. */
  readonly name: string;
  /** Of a local module: its file. */
  readonly path?: string;
  readonly code: string;
  /** See `CompiledCell`. */
  readonly sourceMaps: readonly string[];
  readonly linesBefore: number;
}
