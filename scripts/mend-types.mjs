// Fixes types of bundled packages in node_modules before compiling or packing: otherwise a project that checks the
// types of its packages (skipLibCheck: false) with TypeScript 5.6 or newer would find errors in them. Fixed files stay
// untouched; files with unexpected content are an error.
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const plot = "@observablehq/plot/src";
const [arquero, flechette] = ["arquero/dist/types", "@uwdata/flechette/dist/types"];
const fromD3 = (file, up) => ({ file: `${plot}/${file}`, was: ' from "d3"', is: ` from "${up}/d3.js"` });

const mends = [
  // d3 comes without types.
  ...["context.d.ts", "curve.d.ts", "mark.d.ts", "projection.d.ts", "symbol.d.ts"].map((file) => fromD3(file, ".")),
  fromD3("marks/geo.d.ts", ".."),
  // A rest parameter is an array, and never optional.
  { file: `${arquero}/table/ColumnTable.d.ts`, was: "...values?: import", is: "...values: import" },
  // A member without a type is an implicit any.
  {
    ...{ file: `${flechette}/table.d.ts`, was: "    getFactory;" },
    is: "    getFactory: (b: number) => (index: number) => { [P in keyof T]: T[P]; };",
  },
];

/** Typed arrays have had a parameter since TypeScript 5.7. Without it they mean the same in all places of these types. */
const typedArray = /\b((?:Big)?(?:Uint|Int|Float)\d+(?:Clamped)?Array)<ArrayBuffer(?:Like)?>/g;

write(join("node_modules", plot, "d3.d.ts"), readFileSync(join(import.meta.dirname, "types", "d3.d.ts"), "utf8"));
for (const { file, was, is } of mends) mend(join("node_modules", file), was, is);
for (const folder of [arquero, flechette]) {
  for (const name of readdirSync(join("node_modules", folder), { recursive: true, encoding: "utf8" })) {
    const path = join("node_modules", folder, name);
    if (name.endsWith(".d.ts")) write(path, readFileSync(path, "utf8").replace(typedArray, "$1"));
  }
}

function mend(path, was, is) {
  const text = readFileSync(path, "utf8");
  if (!text.includes(was) && !text.includes(is)) throw new Error(`${path} is another: ${was} is not in it`);
  write(path, text.replaceAll(was, is));
}

/** A new file takes the place of the old one at once: another build may be reading it. */
function write(path, text) {
  if (existsSync(path) && readFileSync(path, "utf8") === text) return;
  writeFileSync(`${path}.${process.pid}`, text);
  renameSync(`${path}.${process.pid}`, path);
}
