// Runs the plain tests and collects the messages of the errors that they cause: `npm run messages`. Writes out/messages.md, a
// table to read from top to bottom. Fails for messages that do not end as a sentence.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

const folder = "out/messages";
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const words = ["vitest", "run", "--project", "plain", "--project", "isolated", ...process.argv.slice(2)];
spawnSync("npx", words, { env: { ...process.env, SITEFRAME_TEST_MESSAGES: folder }, stdio: "inherit" });

const byPlace = new Map();
for (const name of readdirSync(folder)) {
  for (const line of readFileSync(`${folder}/${name}`, "utf8").trim().split("\n").filter(Boolean)) {
    const error = JSON.parse(line);
    byPlace.set(error.place, error);
  }
}
const errors = [...byPlace.values()].sort((a, b) => a.place.localeCompare(b.place, "en", { numeric: true }));
const cell = (text) =>
  String(text ?? "")
    .replaceAll("|", "\\|")
    .replaceAll("\n", " ");
const rows = errors.map(({ place, name, message, hint }) => {
  return `| ${place.replace(/^src\//, "")} | ${name} | ${cell(message)} | ${cell(hint)} |`;
});
writeFileSync("out/messages.md", `| place | error | message | fix |\n|---|---|---|---|\n${rows.join("\n")}\n`);
console.log(`out/messages.md: ${errors.length} messages, ${errors.filter(({ hint }) => !hint).length} without a fix`);

const incomplete = errors.filter(({ message }) => !/[.?!)\]]$/.test(message));
for (const { place, message } of incomplete) console.error(`${place}: not a sentence: ${message}`);
if (errors.length === 0 || incomplete.length > 0) process.exitCode = 1;
