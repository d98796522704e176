// Draws the pictures of the README and of the guide by the very code that stands beside them, on the sample company.
// node scripts/make-pictures.mjs           writes docs/images
// node scripts/make-pictures.mjs --check   says which are not what that code draws, and exits with 1
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";

/** A picture, the page that shows it, and how the line of that page begins that draws it. */
const pictures = [
  { path: "docs/images/three-dates.svg", page: "README.md", line: "mapAt(" },
  { path: "docs/images/week-by-week.svg", page: "docs/guide/plots.md", line: "timeMap(" },
];

/** The minute in which everything is read, which pictures say. */
const readAt = Date.parse("2026-06-30T12:00:00Z");

class StillDate extends Date {
  constructor(...given) {
    super(...(given.length === 0 ? [readAt] : given));
  }

  static now() {
    return readAt;
  }
}
// Before anything reads the time.
globalThis.Date = StillDate;
const { createEngine } = await import("../modules/kernel/engine/create-engine.js");
const { openServedStore } = await import("../modules/cli/input/open-served-store.js");
const { stillOf } = await import("../modules/tables/display/still-of.js");
const { startService } = await import("../modules/service/start-service.js");

/** The code of a page up to a line, in blocks. */
function codeUpTo(page, line) {
  const blocks = [...readFileSync(page, "utf8").matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code);
  const last = blocks.findIndex((code) => code.split("\n").some((each) => each.startsWith(line)));
  if (last < 0) throw new Error(`${page} has no line of code that begins with ${line}`);
  const lines = blocks[last].split("\n");
  const end = lines.findIndex((each) => each.startsWith(line));
  return [...blocks.slice(0, last), lines.slice(0, end + 1).join("\n")];
}

/** What the last block of code shows, as SVG. */
async function draw(engine, { path, page, line }) {
  engine.reset();
  let outcome;
  for (const code of codeUpTo(page, line)) {
    outcome = await engine.execute(code, { sink: { stream: () => undefined, display: () => undefined } });
    if (outcome.status !== "ok") throw new Error(`${page}: ${outcome.error.evalue}\n${code}`);
  }
  const still = stillOf(String(outcome.result?.["text/html"]));
  const [, base64] = /^data:image\/svg\+xml;base64,(.*)$/.exec(still ?? "") ?? [];
  if (base64 === undefined) throw new Error(`${page}: ${line} draws no SVG for ${path}`);
  return `${Buffer.from(base64, "base64").toString("utf8").trim()}\n`;
}

const folder = "docs/images";
mkdirSync(folder, { recursive: true });
const unknown = readdirSync(folder).filter((name) => !pictures.some(({ path }) => path === `${folder}/${name}`));
if (unknown.length > 0) throw new Error(`no code is known that draws ${unknown.join(", ")} in ${folder}`);

const isCheck = process.argv.includes("--check");
const { store, close } = await openServedStore(undefined, { features: 3000 });
const service = await startService({ store, apiKeys: [{ key: "demo" }] });
Object.assign(process.env, { SITEFRAME_BASE_URL: service.url, SITEFRAME_API_KEY: "demo", SITEFRAME_PROGRESS: "off" });
const engine = await createEngine({ engine: "typescript" });
const stale = [];
try {
  for (const picture of pictures) {
    const svg = await draw(engine, picture);
    const { path } = picture;
    if (!readFileSync(picture.page, "utf8").includes(path.split("/").at(-1))) {
      throw new Error(`${picture.page} does not show ${path}`);
    }
    if (existsSync(path) && readFileSync(path, "utf8") === svg) continue;
    stale.push(path);
    if (isCheck) continue;
    writeFileSync(path, svg);
  }
} finally {
  engine.close();
  await service.close();
  await close();
}
if (isCheck && stale.length > 0) {
  console.error(`Not what the code beside them draws: ${stale.join(", ")}. Run npm run pictures, and look at them.`);
  process.exit(1);
}
console.log(
  isCheck ? `${pictures.length} pictures are true` : `${stale.length} of ${pictures.length} pictures are new`,
);
process.exit(0);
