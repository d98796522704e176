import type { Content } from "../wire/message.js";
import type { HistoryEntry, HistoryStore } from "./history-store.js";

/** The entries that a `history_request` asks for, oldest first. */
export function searchHistory(store: HistoryStore, request: Content): readonly HistoryEntry[] {
  switch (request["hist_access_type"]) {
    case "range":
      return range(store, request);
    case "search":
      return search(store, request);
    default:
      return newest(store, count(request["n"]), () => true);
  }
}

/** Session 0 is this one; negative numbers count back from it. `stop` is not included. */
function range(store: HistoryStore, request: Content): readonly HistoryEntry[] {
  const asked = Number(request["session"] ?? 0);
  const session = asked > 0 ? asked : store.session + asked;
  const start = Number(request["start"] ?? 0);
  const stop = Number(request["stop"] ?? Number.POSITIVE_INFINITY) || Number.POSITIVE_INFINITY;
  return store.read(session).filter(({ line }) => line >= start && line < stop);
}

function search(store: HistoryStore, request: Content): readonly HistoryEntry[] {
  const pattern = globPattern(String(request["pattern"] ?? "*"));
  const seen = new Set<string>();
  const matches = ({ input }: HistoryEntry) => {
    if (!pattern.test(input)) return false;
    if (request["unique"] === true && seen.has(input)) return false;
    seen.add(input);
    return true;
  };
  return newest(store, count(request["n"]), matches);
}

function newest(store: HistoryStore, n: number, matches: (entry: HistoryEntry) => boolean): readonly HistoryEntry[] {
  const found: HistoryEntry[] = [];
  for (const session of store.sessions()) {
    for (const entry of [...store.read(session)].reverse()) {
      if (found.length >= n) return found.reverse();
      if (matches(entry)) found.push(entry);
    }
  }
  return found.reverse();
}

function count(n: unknown): number {
  return typeof n === "number" ? n : Number.POSITIVE_INFINITY;
}

/** `*` stands for any text, `?` for one character, as in a shell. */
function globPattern(glob: string): RegExp {
  const source = glob
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*/g, ".*")
    .replace(/\?/g, ".");
  return new RegExp(`^${source}$`, "su");
}
