/** What links the frames of an output with each other, as each of them has it. */
export interface FrameLink {
  /** Names those that are linked. */
  readonly group: string;
  /** With which they write what they say: 16 bytes in base64. */
  readonly key: string;
  /** Under which the kernel takes what is selected, if there is one. */
  readonly table?: string;
}
