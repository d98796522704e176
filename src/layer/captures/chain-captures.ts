import type { Point } from "../place/geometry-place.js";
import { metersBetween, NearPoints } from "../place/near-points.js";

/** The features of one capture, by row. */
export interface Capture {
  readonly ids: readonly number[];
  /** Their centres; null where a feature has no place. */
  readonly points: readonly (Point | null)[];
  /** The features that each says it is the same as; ids of no earlier capture are passed over. */
  readonly related: readonly (readonly number[])[];
}

/** How a feature was found to be the same as an earlier one. */
export type MatchedBy = "id" | "relation" | "place";

/** One feature of a capture as part of a chain. */
export interface Sighting {
  /** Place of the chain among all, in the order in which they begin. */
  readonly chain: number;
  readonly capture: number;
  readonly row: number;
  /** The sighting before it in the chain. */
  readonly previous: Sighting | null;
  readonly by: MatchedBy | null;
  /** Metres from the sighting before; null where either has no place. */
  readonly meters: number | null;
}

/** A feature of a capture that may be the next sighting of a chain. */
interface Pair {
  readonly row: number;
  readonly chain: number;
  readonly meters: number;
}

/**
 * Makes chains of the features of captures: each is one thing on site, which a capture shows at most once.
 *
 * Features are matched with the last sighting of chains, in four rounds: by the id that they share, by relation, by place
 * with chains that the capture before shows, by place with those that are gone. In each round the nearest pair is matched
 * first, of equally near ones that of the chain that began first, then that of the first row, and each feature and each
 * chain once.
 *
 * @param captures in the order of time
 * @param maxMeters how far apart two sightings may be that are matched by place
 * @returns the sightings of each capture, by row
 */
export function chainCaptures(captures: readonly Capture[], maxMeters: number): readonly (readonly Sighting[])[] {
  const chains = new Chains(captures);
  return captures.map((capture, place) => {
    const round = new Round(chains, capture, place);
    round.match("id", round.named(capture.ids.map((id) => [id])));
    round.match("relation", round.named(capture.related));
    round.match(
      "place",
      round.near(maxMeters, (last) => last.capture === place - 1),
    );
    round.match(
      "place",
      round.near(maxMeters, () => true),
    );
    return round.finish();
  });
}

/** All chains so far. */
class Chains {
  /** The last sighting of each. */
  readonly last: Sighting[] = [];
  /** The chain of each feature that was seen. */
  readonly ofFeature = new Map<number, number>();
  readonly #captures: readonly Capture[];

  constructor(captures: readonly Capture[]) {
    this.#captures = captures;
  }

  /** Where a chain was seen last. */
  pointOf(chain: number): Point | null {
    const last = this.last[chain];
    return (last && this.#captures[last.capture]?.points[last.row]) ?? null;
  }
}

/** The matching of one capture. */
class Round {
  readonly #chains: Chains;
  readonly #capture: Capture;
  readonly #place: number;
  readonly #sightings = new Map<number, Sighting>();
  readonly #taken = new Set<number>();

  constructor(chains: Chains, capture: Capture, place: number) {
    this.#chains = chains;
    this.#capture = capture;
    this.#place = place;
  }

  /** Pairs of rows and the chains of the features that they name. */
  *named(ids: readonly (readonly number[])[]): Generator<Pair> {
    for (const [row, named] of ids.entries()) {
      for (const id of named) {
        const chain = this.#chains.ofFeature.get(id);
        if (chain === undefined) continue;
        const meters = this.#meters(row, chain) ?? Number.POSITIVE_INFINITY;
        yield { row, chain, meters };
      }
    }
  }

  /** Pairs of rows and chains that are near each other. */
  *near(maxMeters: number, isMeant: (last: Sighting) => boolean): Generator<Pair> {
    const points = this.#chains.last.map((last, chain) =>
      isMeant(last) && !this.#taken.has(chain) ? this.#chains.pointOf(chain) : null,
    );
    const placed = new NearPoints(points);
    for (const [row, point] of this.#capture.points.entries()) {
      if (point === null || this.#sightings.has(row)) continue;
      for (const { row: chain, meters } of placed.within(point, maxMeters)) yield { row, chain, meters };
    }
  }

  /** Matches the nearest first, each row and each chain once. */
  match(by: MatchedBy, pairs: Iterable<Pair>): void {
    // Two infinite distances have no difference.
    const byDistance = (a: Pair, b: Pair) => (a.meters === b.meters ? 0 : a.meters - b.meters);
    const sorted = [...pairs].sort((a, b) => byDistance(a, b) || a.chain - b.chain || a.row - b.row);
    for (const { row, chain } of sorted) {
      if (this.#sightings.has(row) || this.#taken.has(chain)) continue;
      const previous = this.#chains.last[chain] ?? null;
      this.#add(row, { chain, previous, by, meters: this.#meters(row, chain) });
    }
  }

  /** Begins chains with the rows that are left. */
  finish(): readonly Sighting[] {
    const sightings = this.#capture.ids.map((_, row) => {
      const found = this.#sightings.get(row);
      return found ?? this.#add(row, { chain: this.#chains.last.length, previous: null, by: null, meters: null });
    });
    for (const sighting of sightings) {
      this.#chains.ofFeature.set(this.#capture.ids[sighting.row] as number, sighting.chain);
    }
    return sightings;
  }

  #add(row: number, found: Omit<Sighting, "row" | "capture">): Sighting {
    const sighting = { ...found, row, capture: this.#place };
    this.#sightings.set(row, sighting);
    this.#taken.add(found.chain);
    this.#chains.last[found.chain] = sighting;
    return sighting;
  }

  #meters(row: number, chain: number): number | null {
    const [here, there] = [this.#capture.points[row], this.#chains.pointOf(chain)];
    return here && there ? metersBetween(here, there) : null;
  }
}
