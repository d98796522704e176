/** Kept as it is: a cell may replace it while it runs. */
const { parse } = JSON;

const separator = "\r\n\r\n";

/** Takes bytes as they come, and gives the messages of the Language Server Protocol in them. */
export class MessageReader {
  #chunks: Buffer[] = [];
  #size = 0;
  #needed = 0;

  /** The messages that are complete now. */
  read(chunk: Buffer): readonly unknown[] {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#needed) return [];
    let rest = Buffer.concat(this.#chunks);
    const messages: unknown[] = [];
    for (let end = endOfMessage(rest); end !== undefined && end <= rest.length; end = endOfMessage(rest)) {
      messages.push(parse(rest.toString("utf8", rest.indexOf(separator) + separator.length, end)));
      rest = rest.subarray(end);
    }
    this.#chunks = [rest];
    this.#size = rest.length;
    this.#needed = endOfMessage(rest) ?? 0;
    return messages;
  }
}

/** Where the first message ends, if its head has come. */
function endOfMessage(bytes: Buffer): number | undefined {
  const head = bytes.indexOf(separator);
  if (head === -1) return undefined;
  const [, length] = /Content-Length: (\d+)/i.exec(bytes.toString("latin1", 0, head)) ?? [];
  return head + separator.length + Number(length);
}
