import { type Pseudonym, personsOf, pseudonymizer, pseudonymKeyId } from "../../client/page/pseudonym.js";
import type { Manifest } from "./manifest.js";

type Redaction = Pick<Manifest, "origin" | "pseudonyms">;

/** Pseudonyms of a generation, those of the service it was pulled from. Stored pseudonyms stay unchanged. */
export function snapshotPseudonym({ origin, pseudonyms }: Redaction): Pseudonym {
  return pseudonyms === undefined ? pseudonymizer(personsOf(origin)) : (value) => value;
}

/** Key id of these pseudonyms. */
export function snapshotKeyId({ origin, pseudonyms }: Redaction): string {
  return pseudonyms ?? pseudonymKeyId(personsOf(origin));
}
