/** A block of TypeScript, and the place of its result. */
export interface CodeBlock {
  readonly code: string;
  /** In an HTML comment: it prepares the next blocks, and has no result. */
  readonly isHidden: boolean;
  /** Offsets of the result's start and end in the document; equal if it has none. */
  readonly start: number;
  readonly end: number;
  /** Below the block: its output as text. */
  readonly text: string | undefined;
  /** Below the block: the path of its picture, relative to the document. */
  readonly picture: string | undefined;
}

/** An example of the API reference. */
export interface ExampleBlock extends CodeBlock {
  /** For example `History.asOf`. */
  readonly name: string;
}

export function codeBlocks(markdown: string): CodeBlock[];
export function exampleBlocks(markdown: string): ExampleBlock[];
export function keepResults(page: string, last: string): string;
