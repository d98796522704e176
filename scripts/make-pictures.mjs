// Puts the figures of the executed notebooks that the docs show into docs/images. Run `npm start` first.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const pictures = [{ notebook: "quickstart", cell: "compare" }];

mkdirSync("docs/images", { recursive: true });
for (const { notebook, cell } of pictures) {
  const { cells } = JSON.parse(readFileSync(`out/${notebook}.ipynb`, "utf8"));
  const outputs = cells.find(({ id }) => id === cell).outputs;
  const svg = outputs.map(({ data }) => data?.["image/svg+xml"]).find(Boolean);
  writeFileSync(`docs/images/${notebook}.svg`, `${[svg].flat().join("")}\n`);
}
