import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { checkCompressed } from "../../../src/tables/read/decompress.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";

const folder = temporaryFolder();

it("accepts every file that decompresses to at most 64 MiB", async () => {
  const [path, size] = [join(folder, "zeros.gz"), 64 << 20];
  await writeFile(path, gzipSync(Buffer.alloc(size)));
  await checkCompressed(path);
  await writeFile(path, gzipSync(Buffer.alloc(size + 1)));
  await expect(checkCompressed(path)).rejects.toMatchObject({
    code: "ERR_FILE",
    message: expect.stringContaining('zeros.gz" decompresses to more than 100 times its size.'),
    hint: "If you trust the file, decompress it first: gzip -dk.",
    facts: { limit: 100 },
  });
});
