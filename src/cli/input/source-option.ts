import { Option } from "commander";
import { openSnapshot } from "../../snapshot/open-snapshot.js";
import { connect } from "../../source/connect.js";
import type { Source } from "../../source/source.js";

/** Returns the option `--base-url`. */
export function baseUrlOption(): Option {
  return new Option(
    "--base-url <url>",
    "address of the service (default: SITEFRAME_BASE_URL; the key is SITEFRAME_API_KEY)",
  );
}

/** Source of a command, as given on the command line. */
export interface GivenSource {
  /** Folder or address of a snapshot. Default: the live service. */
  readonly snapshot?: string | undefined;
  /** Default: the current one. */
  readonly generation?: number | undefined;
  /** Default: the environment variable. */
  readonly baseUrl?: string | undefined;
}

/** Opens the snapshot of a command, or else connects to the live service. */
export async function openSource({ snapshot, generation, baseUrl }: GivenSource): Promise<Source> {
  if (snapshot !== undefined) return openSnapshot(snapshot, generation === undefined ? {} : { generation });
  return connect(baseUrl === undefined ? {} : { baseUrl });
}
