import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { request } from "undici";
import { inject } from "vitest";

const SCRIPT = join(import.meta.dirname, "../../scripts/trino.mjs");

/** The Trino that tests share: a coordinator and two workers. */
export interface TrinoCluster {
  /** Address of the coordinator. */
  readonly server: string;
  readonly catalog: string;
  /** Folder for tables; `local:///` in Trino. */
  readonly files: string;
  readonly nodes: readonly { readonly name: string; readonly pid: number }[];
}

/** Whether a Trino can be started. @throws if `SITEFRAME_REQUIRE_ALL` is set and it cannot */
export function hasTrino(): boolean {
  if (process.env["SITEFRAME_TEST_TRINO"] !== undefined) return true;
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, "--check"], { encoding: "utf8" });
  if (status === 0) return true;
  if (process.env["SITEFRAME_REQUIRE_ALL"]) throw new Error(stderr);
  process.stderr.write(`skipped: ${stderr}`);
  return false;
}

/** Returns the running cluster. The first call starts it, which takes one to three minutes. */
export async function trinoCluster(): Promise<TrinoCluster> {
  const { statusCode, body } = await request(inject("trinoDoor"), { headersTimeout: 0 });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(text);
  return JSON.parse(text);
}

/** A new folder that the cluster can read. */
export function clusterFolder({ files }: TrinoCluster): string {
  mkdirSync(join(files, "tests"), { recursive: true });
  return mkdtempSync(join(files, "tests", "t"));
}
