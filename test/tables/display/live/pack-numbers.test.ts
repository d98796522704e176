import { from } from "arquero";
import { describe, expect, test } from "vitest";
import { formatNotebook, parseNotebook } from "../../../../src/notebook/file/notebook-file.js";
import { toEml } from "../../../../src/notebook/page/to-eml.js";
import { toHtml } from "../../../../src/notebook/page/to-html.js";
import { layerMap } from "../../../../src/plot/index.js";
import { packNumbers, unpackNumbers } from "../../../../src/tables/display/live/pack-numbers.js";
import { toMimeBundle } from "../../../../src/tables/display/to-mime-bundle.js";
import { code, notebookOf } from "../../../notebook/cells.js";
import { frameFacts } from "../frame-facts.js";
import { packedIds } from "./packed-ids.js";

/** The numbers that are packed as codes from 0 to 400. */
const near = Array.from({ length: 401 }, (_, packed) => (packed % 2 ? -(packed + 1) / 2 : packed / 2));

const rows = packedIds.map((id, row) => ({ id, geometry: { type: "Point", coordinates: [11 + row / 1e4, 48] } }));

describe("packed numbers", () => {
  test("are characters that HTML, JSON, XML and editors keep", () => {
    const far = Array.from({ length: 60_000 }, (_, at) => at * 7 - 200_000);
    const text = packNumbers([...near, ...far, 50_000_000, -50_000_000]);
    // Control and format characters, spaces, line separators, private and unassigned characters, surrogates.
    expect(text).not.toMatch(/[\p{C}\p{Z}]/u);
    expect(text.normalize("NFC")).toBe(text);
    expect([...unpackNumbers(text)]).toEqual([...near, ...far, 50_000_000, -50_000_000]);
  });

  test("of a map reach its frame through the notebook file, the page and the e-mail", async () => {
    const data = await toMimeBundle(layerMap(from(rows)));
    const output = { output_type: "display_data" as const, data, metadata: {} };
    const notebook = parseNotebook(formatNotebook(notebookOf({ ...code("map"), outputs: [output] })));
    const page = toHtml(notebook);
    const message = await toEml(notebook, {
      title: "Map",
      attachments: [{ path: "map.html", content: Buffer.from(page) }],
    });
    const [, attached = ""] = /filename=map\.html\r\n\r\n([\w+/=\r\n]+)/.exec(message.toString()) ?? [];
    for (const html of [page, Buffer.from(attached, "base64").toString()]) {
      const { ids } = frameFacts(html) as { readonly ids: string };
      let id = 0;
      expect(Array.from(unpackNumbers(ids), (step) => (id += step))).toEqual(packedIds);
    }
  });
});
