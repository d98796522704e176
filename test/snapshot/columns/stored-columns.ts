import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { ResourceName } from "../../../src/api/resources.js";
import { readManifest } from "../../../src/snapshot/folder/manifest-file.js";

/** The path of the column file that a snapshot has for a resource of a site. */
export async function columnsOf(root: string, resource: ResourceName, site = 1): Promise<string> {
  const { files } = await readManifest(root);
  const file = files.find((one) => one.resource === resource && one.site_id === site);
  if (!file?.columns) throw new Error(`${resource} of site ${site} has no column file`);
  return join(root, file.columns.path);
}

/** The header of a column file, and the offset at which the header ends. */
export function headerOf<Header>(file: string): Header & { readonly end: number } {
  const bytes = readFileSync(file);
  const end = 16 + bytes.readUInt32LE(8);
  return { ...(JSON.parse(bytes.toString("utf8", 16, end)) as Header), end };
}

/** Overwrites bytes of a file, which keeps its length. */
export function spoil(file: string, offset: number, bytes: number): void {
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.alloc(bytes, 0xff), 0, bytes, offset);
  closeSync(descriptor);
}
