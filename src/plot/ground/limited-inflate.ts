import { inflateSync } from "node:zlib";
import type { BaseDecoder as Decoder } from "geotiff";

/** Sizes of the blocks of a GeoTIFF. */
interface BlockParameters {
  readonly tileWidth: number;
  readonly tileHeight: number;
  readonly bitsPerSample: number | ArrayLike<number>;
  /** 2 if samples are in separate blocks. */
  readonly planarConfiguration: number;
}

/** Blocks may end in some bytes that no pixel needs. */
const SLACK = 4096;

/** Unpacks no more of a block than its pixels need. */
export function limitedInflate(BaseDecoder: typeof Decoder): typeof Decoder {
  return class extends BaseDecoder {
    override decodeBlock(buffer: ArrayBuffer): ArrayBuffer {
      const { tileWidth, tileHeight, bitsPerSample, planarConfiguration } = this.parameters as BlockParameters;
      const samples = typeof bitsPerSample === "number" ? [bitsPerSample] : Array.from(bitsPerSample);
      const bits = planarConfiguration === 2 ? Math.max(...samples) : samples.reduce((sum, each) => sum + each, 0);
      const most = tileHeight * Math.ceil((tileWidth * bits) / 8) + SLACK;
      const block = inflateSync(new Uint8Array(buffer), { maxOutputLength: most });
      return Uint8Array.from(block).buffer;
    }
  };
}
