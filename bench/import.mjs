// How long `import("siteframe")` takes beyond Node's own start: median of 5, one process each. Build first.
import { execFileSync } from "node:child_process";
import { performance } from "node:perf_hooks";

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const time = (code) => {
  const started = performance.now();
  execFileSync(process.execPath, ["-e", code]);
  return performance.now() - started;
};
const runs = Array.from({ length: 5 }, () => [time(""), time('import("siteframe")')]);
const [empty, loaded] = [median(runs.map(([a]) => a)), median(runs.map(([, b]) => b))];
console.log(
  `node alone ${empty.toFixed(0)} ms, with siteframe ${loaded.toFixed(0)} ms: ${(loaded - empty).toFixed(0)} ms more`,
);
