import { tmpdir } from "node:os";
import { join } from "node:path";

/** How clients name a cell's source: by a hash of what it says, between these. */
export const cellPaths = {
  hashMethod: "Murmur2",
  hashSeed: 0xc70f6907,
  tmpFilePrefix: join(tmpdir(), `siteframe-cells-${process.pid}`, "/"),
  tmpFileSuffix: ".ts",
};
