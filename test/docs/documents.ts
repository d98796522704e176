import { readdirSync, readFileSync } from "node:fs";

/** Pages whose blocks of TypeScript are run: the README, the page for assistants, and the documentation without the reference and the decisions. */
export const documents: readonly string[] = ["README.md", "SKILL.md", ...pagesIn("docs")];

function pagesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".md") && !/^docs\/(api|decisions)\//.test(path))
    .sort();
}

/** Blocks of another language. */
export function blocksOf(document: string, language: string): readonly string[] {
  const fence = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms");
  return [...readFileSync(document, "utf8").matchAll(fence)].map((match) => match[1] ?? "");
}
