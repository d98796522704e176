import { reasonOf } from "../../core/reason-of.js";
import type { MimeBundle } from "../../tables/display/bundle/mime-bundle.js";
import { paintBundle, type UnpaintedBundle } from "../../tables/display/bundle/unpainted.js";
import type { ResultOutput } from "../file/notebook.js";
import type { CellOutputs } from "./output-collector.js";
import { paint } from "./painter.js";

/** Results whose pictures are painted while later cells run. */
export class LatePictures {
  readonly #painting: Promise<void>[] = [];

  /** Has the pictures of an output painted, which then stand in its place. */
  add(output: ResultOutput, { pictures }: Pick<UnpaintedBundle, "pictures">, outputs: CellOutputs): void {
    if (pictures.length === 0) return;
    const painted = paintedOrTold({ bundle: output.data, pictures });
    this.#painting.push(painted.then((data) => outputs.replace(output, { ...output, data })));
  }

  /** Resolves when all are painted. */
  async painted(): Promise<void> {
    await Promise.all(this.#painting);
  }
}

/** As where a figure cannot show itself: the bundle says what went wrong. */
async function paintedOrTold(unpainted: UnpaintedBundle): Promise<MimeBundle> {
  try {
    return await paintBundle(unpainted, paint);
  } catch (error) {
    return { "text/plain": `[could not show itself: ${reasonOf(error)}]\n${unpainted.bundle["text/plain"]}` };
  }
}
