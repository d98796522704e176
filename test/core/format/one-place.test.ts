import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const FORMATTERS =
  /\.toLocale\w*String\(|Intl\.(?:Number|DateTime)Format\(|toISOString\(\)\s*\.(?:slice|replace|split)\(/;
/** Zones are read and checked here, but their dates are not written. */
const ZONES = ["core/local-clock.ts", "core/time-zone.ts", "history/time/working-calendar.ts"];
/** Writes an ISO 8601 string with a time zone as read from a file. */
const READERS = ["core/strptime.ts", "tables/cells/instant-column.ts"];

test("numbers and dates become text in src/core/format only", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).map((name) => name.replaceAll("\\", "/"));
  const others = files.filter(
    (name) => name.endsWith(".ts") && !name.startsWith("core/format/") && ![...ZONES, ...READERS].includes(name),
  );
  expect(others.filter((name) => FORMATTERS.test(readFileSync(`src/${name}`, "utf8")))).toEqual([]);
});
