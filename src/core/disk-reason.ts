/** Why a disk cannot be written. */
export interface DiskReason {
  /** Phrase for the end of "cannot be written: …". */
  readonly words: string;
  readonly needsRoom: boolean;
}

interface Kind {
  /** Codes of Node. */
  readonly codes: readonly string[];
  /** Messages of DuckDB and others. */
  readonly pattern: RegExp;
  /** The error's own if absent. */
  readonly words?: string;
  readonly needsRoom?: boolean;
}

/** Windows also denies permission to replace a file that is open, for example in Excel. */
const orOpen = process.platform === "win32" ? ", or another program has it open" : "";

const kinds: readonly Kind[] = [
  {
    codes: ["ENOSPC"],
    pattern: /No space left/i,
    words: "the device has no space left",
    needsRoom: true,
  },
  { codes: ["EDQUOT"], pattern: /quota exceeded/i, words: "the disk quota is used up", needsRoom: true },
  { codes: ["EFBIG"], pattern: /File too large/i, words: "a file would be too large", needsRoom: true },
  { codes: ["EROFS"], pattern: /Read-only/i, words: "the file system is read-only" },
  { codes: ["EBUSY"], pattern: /being used by another process/i, words: "another program has it open" },
  { codes: ["EACCES", "EPERM"], pattern: /Permission denied/i, words: `permission is denied${orOpen}` },
  { codes: ["EIO"], pattern: /Could not write/i },
];

/** Returns the reason if an error means that a disk is full or not writable; otherwise undefined. */
export function diskReason(error: unknown): DiskReason | undefined {
  const text = error instanceof Error ? error.message : String(error);
  const [code = ""] = /^E[A-Z0-9]+(?=:)/.exec(text) ?? [];
  // Names of files and folders may contain any of these words.
  const outside = text.replace(/"[^"]*"|'[^']*'/g, "");
  const kind = kinds.find(({ codes, pattern }) => codes.includes(code) || pattern.test(outside));
  return kind && { words: kind.words ?? text.split("\n", 1).join(), needsRoom: kind.needsRoom ?? false };
}
