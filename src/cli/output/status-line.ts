/** Where a command says how far it is. */
export interface StatusLine {
  /** Replaces the line on a terminal; says nothing elsewhere. */
  update(text: string): void;
  /** Ends the line. */
  done(text: string): void;
}

/** A status line on a terminal; in files and pipes only what was done. */
export function statusLine(stream: NodeJS.WriteStream): StatusLine {
  const clear = stream.isTTY ? "\r\u001b[K" : "";
  return {
    update: (text) => {
      if (stream.isTTY) stream.write(`${clear}${text}`);
    },
    done: (text) => {
      stream.write(`${clear}${text}\n`);
    },
  };
}
