import { openServedStore } from "../../src/cli/commands/serve-command.js";
import { startService } from "../../src/service/start-service.js";

/** The embedded service on a small sample company. */
export interface SampleService {
  readonly url: string;
  readonly apiKey: string;
  close(): Promise<void>;
}

export async function startSampleService(features = 1000): Promise<SampleService> {
  const apiKey = "sample-key";
  const { store, close } = await openServedStore(undefined, { features });
  const service = await startService({ store, apiKeys: [{ key: apiKey }] });
  return {
    url: service.url,
    apiKey,
    close: async () => {
      await service.close();
      await close();
    },
  };
}
