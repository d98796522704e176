import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const files: Readonly<Record<string, string>> = {
  "data.json": '{"answer": 42}',
  "shapes.ts": `export interface Shape { side: number }
export const area = (side: number): number => side ** 2;
export default { side: 2 } as Shape;`,
  "node_modules/typed-package/package.json":
    '{"name": "typed-package", "type": "module", "exports": {"types": "./a.d.ts", "default": "./a.js"}}',
  "node_modules/typed-package/a.js": "export const make = () => ({ value: 7 });",
  "node_modules/typed-package/a.d.ts": "export declare function make(): { value: number };",
  "node_modules/@types/types-alone/package.json": '{"name": "@types/types-alone", "types": "index.d.ts"}',
  "node_modules/@types/types-alone/index.d.ts": "export interface Only { a: number }",
};

/** Puts what the battery's cells import beside them. */
export async function writeNotebookFiles(directory: string): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), text);
  }
}
