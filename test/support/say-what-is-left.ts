import type { TestProject } from "vitest/node";

/** Says which tests `npm test` leaves to `npm run test:full`. */
export default function sayWhatIsLeft({ vitest }: TestProject): void {
  if (vitest.projects.some(({ name }) => name === "long")) return;
  process.stderr.write(
    "left to npm run test:full: Jupyter and JupyterLab (they need Python and a browser), and what starts many processes: commands, headless notebooks, cells and questions about them through both compilers, conversations with kernels, random interrupts, loops of cells, pulls of several states and what differs between them, the debugger, kinds of completions, the server of the Model Context Protocol, slow readers, fifty killed pulls, code of the docs, snapshots that lie elsewhere, are damaged or of another format; long random tests: histories against an oracle, cells and odd times by every door, every JSON, every fault, agreement of services, sources and columns, many pages and windows of pages, exports by type, imports of records, stored histories, the past in SQL, SQL over snapshots, sums in SQL, printed queries, dialects, joined parts, questions on engines and their stored answers, spells with open ends; questions that Trino and Spark answer\n",
  );
}
