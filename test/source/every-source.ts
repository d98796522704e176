import { join } from "node:path";
import { beforeAll } from "vitest";
import { connect, fromRecords, openSnapshot, pull, type Source } from "../../src/index.js";
import { movingService } from "../snapshot/moving-service.js";

/** The kinds of sources. */
export const everySource = ["live", "snapshot", "memory"] as const;

/** The same records as every kind of source, while the tests of a file run. */
export function openEverySource(
  folder: string,
  records: Parameters<typeof fromRecords>[0],
): (name: (typeof everySource)[number]) => Source {
  const sources = new Map<string, Source>();
  beforeAll(async () => {
    const server = await movingService(folder, records);
    const live = connect({ baseUrl: server.url, apiKey: "k" });
    const path = join(folder, "every.snapshot");
    await pull(live, path);
    sources
      .set("live", live)
      .set("memory", fromRecords(records))
      .set("snapshot", await openSnapshot(path));
    return async () => {
      for (const source of sources.values()) await source.close();
      await server.close();
    };
  });
  return (name) => sources.get(name) as Source;
}
