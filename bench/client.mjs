// Reading 200,000 features with 50 ms of latency a request, 10,000 a page, against an ideal download of the same
// concurrency that also parses. Runs take turns, a process each; medians of 5. Build first.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { startServer } from "./client/start-server.mjs";

const rows = 200_000;
const server = await startServer(rows, 50);
const download = fileURLToPath(new URL("client/download.mjs", import.meta.url));
const run = (way) => Number(execFileSync(process.execPath, [download, way, server.url, String(rows)]));
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

const ways = ["bytes", "ideal", "siteframe"];
for (const way of ways) run(way);
const rounds = Array.from({ length: 5 }, () => ways.map(run));
server.stop();

const [bytes, ideal, siteframe] = ways.map((_, index) => median(rounds.map((round) => round[index])));
const ms = (value) => `${value.toFixed(0)} ms`;
console.log(`bytes alone ${ms(bytes)}, ideal with parsing ${ms(ideal)}, siteframe ${ms(siteframe)}`);
console.log(`siteframe / ideal ${(siteframe / ideal).toFixed(2)} (at most 1.3)`);
console.log(`overhead beyond bytes and parsing ${((siteframe / ideal - 1) * 100).toFixed(1)}% (under 10%)`);
