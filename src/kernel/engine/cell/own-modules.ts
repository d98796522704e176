import { preloadedNames } from "./preloaded-names.js";

/** What changes nothing when it is loaded. The rest waits for the cell that imports it. */
const inertModules = ["siteframe", "arquero", "siteframe/arquero", "siteframe/plot", "siteframe/widget"];

/** Those of Siteframe's modules, and of what it is made of, that cells are going to use. */
export function ownModules(codes: readonly string[]): readonly string[] {
  const code = codes.join("\n");
  const named = inertModules.filter((module) => code.includes(`"${module}"`) || code.includes(`'${module}'`));
  const preloaded = Object.entries(preloadedNames).filter(([name]) => new RegExp(`\\b${name}\\b`).test(code));
  return [...new Set([...named, ...preloaded.map(([, { module }]) => module)])];
}
