/** Why a disk takes nothing more. */
export interface DiskReason {
  /** In words, behind "cannot be written: ". */
  readonly words: string;
  readonly needsRoom: boolean;
}

interface Kind {
  readonly pattern: RegExp;
  /** The error's own if absent. */
  readonly words?: string;
  readonly needsRoom?: boolean;
}

/** Windows also denies permission to replace a file that is open, for example in Excel. */
const orOpen = process.platform === "win32" ? ", or another program has it open" : "";

/** As Node and DuckDB name them. */
const kinds: readonly Kind[] = [
  { pattern: /ENOSPC|No space left/i, words: "there is no space left on the device", needsRoom: true },
  { pattern: /EDQUOT|quota exceeded/i, words: "the disk quota is used up", needsRoom: true },
  { pattern: /EFBIG|File too large/i, words: "a file would be too large", needsRoom: true },
  { pattern: /EROFS|Read-only/i, words: "the file system is read-only" },
  { pattern: /EBUSY|being used by another process/i, words: "another program has it open" },
  { pattern: /EACCES|EPERM|Permission denied/i, words: `permission is denied${orOpen}` },
  { pattern: /EIO|Could not write/i },
];

/** Whether an error is of a disk that is full or cannot be written, and how to say so; undefined if it is another. */
export function diskReason(error: unknown): DiskReason | undefined {
  const text = error instanceof Error ? error.message : String(error);
  const kind = kinds.find(({ pattern }) => pattern.test(text));
  return kind && { words: kind.words ?? text.split("\n", 1).join(), needsRoom: kind.needsRoom ?? false };
}
