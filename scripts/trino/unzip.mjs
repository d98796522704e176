import { closeSync, mkdirSync, openSync, readSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inflateRawSync } from "node:zlib";

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const DEFLATED = 8;

/** Unpacks an archive of less than 4 GB. Not every machine has a program for it. */
export function unzip(archive, folder) {
  const file = openSync(archive, "r");
  try {
    const size = statSync(archive).size;
    const tail = readAt(file, Math.max(0, size - 65_557), Math.min(size, 65_557));
    const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
    if (end < 0 || tail.readUInt32LE(end) !== END) throw new Error(`${archive} is not a ZIP archive`);
    const directory = readAt(file, tail.readUInt32LE(end + 16), tail.readUInt32LE(end + 12));
    for (let at = 0; at < directory.length && directory.readUInt32LE(at) === ENTRY; ) {
      const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) =>
        directory.readUInt16LE(at + offset),
      );
      const name = directory.toString("utf8", at + 46, at + 46 + nameLength);
      if (!name.endsWith("/")) unpack(file, directory, at, join(folder, name));
      at += 46 + nameLength + extraLength + commentLength;
    }
  } finally {
    closeSync(file);
  }
}

function unpack(file, directory, at, target) {
  const start = directory.readUInt32LE(at + 42);
  const header = readAt(file, start, 30);
  const data = start + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  const packed = readAt(file, data, directory.readUInt32LE(at + 20));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, directory.readUInt16LE(at + 10) === DEFLATED ? inflateRawSync(packed) : packed);
}

function readAt(file, position, length) {
  const buffer = Buffer.alloc(length);
  readSync(file, buffer, 0, length, position);
  return buffer;
}
