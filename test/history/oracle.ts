import { Temporal } from "temporal-polyfill";
import type { LayerFeature, PropertyChange } from "../../src/api/resources.js";
import { canonicalJson } from "../../src/core/json.js";

/**
 * The semantics of histories, rule by rule, over plain records: without indexes and codes. It shares only the equality of
 * JSON values with the library. Slow on purpose.
 */
export interface World {
  readonly features: readonly LayerFeature[];
  readonly changes: readonly PropertyChange[];
  /** Property columns in order, with the keys that each holds. */
  readonly columns: readonly { readonly column: string; readonly keys: readonly string[] }[];
  readonly timeZone: string;
  readonly readAt: Date;
  /** The last known microsecond. Default: the time of the reading. */
  readonly knownUs?: number;
}

export type Row = Readonly<Record<string, unknown>>;
type Time = Date | string;

const DAY = 86_400_000_000;

/** Microseconds since 1970 of an instant; without a zone it counts as UTC. */
export function micros(text: string): number {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const zoned = /(Z|[+-]\d\d(:?\d\d)?)$/i.test(text) ? text : `${text}Z`;
  const us = Number(Temporal.Instant.from(zoned).epochNanoseconds / 1000n);
  parsed.set(text, us);
  return us;
}

const parsed = new Map<string, number>();

/** The time in the id of a change, if that is a UUIDv7. */
function recorded({ id }: PropertyChange): Date | null {
  if (id[14] !== "7" || !/[89ab]/i.test(id[19] ?? "")) return null;
  return new Date(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16));
}

function date(us: number): Date {
  return new Date(Math.floor(us / 1000));
}

/** The date that calendars in the time zone of a world show; years of five digits have no sign. */
function localDate({ timeZone }: World, us: number): string {
  const local = Temporal.Instant.fromEpochMilliseconds(date(us).getTime()).toZonedDateTimeISO(timeZone);
  return local.toPlainDate().toString().replace(/^\+0/, "");
}

/** The first microsecond after what a time includes. */
export function endOf(world: World, time: Time): number {
  if (time instanceof Date) return time.getTime() * 1000 + 1;
  if (time.length > 10) return micros(time) + 1;
  const next = Temporal.PlainDate.from(time).add({ days: 1 });
  return Number(next.toZonedDateTime(world.timeZone).epochNanoseconds / 1000n);
}

const key = (text: string) => (text.length === 36 ? text.toLowerCase() : text);
const same = (a: unknown, b: unknown) => canonicalJson(a) === canonicalJson(b);

/** Changes by `created_at`, then id. */
function validOrder(changes: readonly PropertyChange[]): readonly PropertyChange[] {
  return [...changes].sort(
    (a, b) => micros(a.created_at) - micros(b.created_at) || (a.id.toLowerCase() < b.id.toLowerCase() ? -1 : 1),
  );
}

function insertionOrder(changes: readonly PropertyChange[]): readonly PropertyChange[] {
  return [...changes].sort((a, b) => (a.id.toLowerCase() < b.id.toLowerCase() ? -1 : 1));
}

function columnOf(world: World, change: PropertyChange): string {
  return world.columns.find(({ keys }) => keys.includes(key(change.property_key)))?.column ?? "?";
}

function featureOf(world: World, change: PropertyChange): LayerFeature | undefined {
  return world.features.find(({ id }) => id === change.layer_feature_id);
}

/** Changes of one cell, in valid order. */
function cellLog(world: World, feature: LayerFeature, column: string): readonly PropertyChange[] {
  return validOrder(
    world.changes.filter((change) => change.layer_feature_id === feature.id && columnOf(world, change) === column),
  );
}

function currentValue(world: World, feature: LayerFeature, column: string): unknown {
  const keys = world.columns.find((entry) => entry.column === column)?.keys ?? [];
  return keys.map((name) => feature.properties[name] ?? null).find((value) => value !== null) ?? null;
}

export interface Cell {
  readonly state: string;
  readonly value: unknown;
  readonly change: PropertyChange | undefined;
}

/** The creation time of a feature, if it is known. */
function createdUs({ knownUs = Number.POSITIVE_INFINITY }: World, feature: LayerFeature): number {
  const us = micros(feature.created_at);
  return us > knownUs ? Number.POSITIVE_INFINITY : us;
}

/**
 * The cell of a feature before a microsecond.
 *
 * @param full the whole world, if `world` is the part that was known
 */
export function cell(world: World, full: World, feature: LayerFeature, column: string, endUs: number): Cell {
  const before = (change: PropertyChange) => micros(change.created_at) < endUs;
  const own = world.changes.filter((change) => change.layer_feature_id === feature.id);
  if (createdUs(world, feature) >= endUs && !own.some(before)) {
    return { state: "absent", value: null, change: undefined };
  }
  const last = cellLog(world, feature, column).filter(before).at(-1);
  if (last) return { state: last.new_value === null ? "cleared" : "logged", value: last.new_value, change: last };
  if (cellLog(full, feature, column).length > 0) return { state: "unknown", value: null, change: undefined };
  return { state: "unchanged", value: currentValue(world, feature, column), change: undefined };
}

function backward(from: unknown, to: unknown, order: readonly unknown[] | undefined): Row {
  if (!order) return {};
  const [before, after] = [from, to].map((value) => order.findIndex((known) => same(known, value)));
  if (before === undefined || after === undefined || before < 0 || after < 0) return { backward: null };
  return { backward: after < before };
}

export class Oracle {
  readonly #world: World;
  readonly #full: World;

  constructor(world: World, full: World = world) {
    this.#world = world;
    this.#full = full;
  }

  /** @param knownUs the last known microsecond */
  knownAt(isKnown: (change: PropertyChange) => boolean, knownUs: number): Oracle {
    const changes = this.#world.changes.filter(isKnown);
    const isPast = knownUs < this.#world.readAt.getTime() * 1000;
    return new Oracle({ ...this.#world, changes, knownUs: isPast ? knownUs : Number.POSITIVE_INFINITY }, this.#full);
  }

  isAfter(a: Time, b: Time): boolean {
    return endOf(this.#world, a) > endOf(this.#world, b);
  }

  changes(): Row[] {
    const inserted = insertionOrder(this.#world.changes);
    return validOrder(this.#world.changes).map((change) => {
      const before = validOrder(this.#world.changes).filter(
        (other) =>
          other.layer_feature_id === change.layer_feature_id &&
          key(other.property_key) === key(change.property_key) &&
          validOrder([other, change])[1] === change &&
          other !== change,
      );
      return {
        change_id: change.id.toLowerCase(),
        seq: inserted.indexOf(change),
        id: change.layer_feature_id,
        visible_id: featureOf(this.#world, change)?.visible_id,
        column: columnOf(this.#world, change),
        property_key: key(change.property_key),
        value: change.new_value,
        previous: before.at(-1)?.new_value ?? null,
        system: change.system,
        user_id: change.user_id,
        caused_by_change_id: change.caused_by_change_id?.toLowerCase() ?? null,
        created_at: date(micros(change.created_at)),
        created_at_us: micros(change.created_at),
        recorded_at: recorded(change),
        local_date: localDate(this.#world, micros(change.created_at)),
      };
    });
  }

  states(time: Time, keepAbsent: boolean): Row[] {
    return this.#cells(endOf(this.#world, time))
      .filter(({ cell: { state } }) => keepAbsent || state !== "absent")
      .map(({ feature, column, cell: { state, value, change } }) => ({
        id: feature.id,
        visible_id: feature.visible_id,
        column,
        value,
        state,
        change_id: change?.id.toLowerCase() ?? null,
        changed_at: change ? date(micros(change.created_at)) : null,
        changed_at_us: change ? micros(change.created_at) : null,
        user_id: change?.user_id ?? null,
        system: change?.system ?? null,
      }));
  }

  asOf(time: Time, { backfill = false, keepAbsent = false } = {}): Row[] {
    const endUs = endOf(this.#world, time);
    return this.#world.features.flatMap((feature) => {
      const cells = this.#world.columns.map(({ column }) => {
        const found = this.#cell(feature, column, endUs);
        const first = cellLog(this.#world, feature, column).at(0);
        const value = backfill && found.state === "unknown" && first ? first.new_value : found.value;
        return { column, state: found.state, value };
      });
      if (!keepAbsent && cells.some(({ state }) => state === "absent")) return [];
      const values = Object.fromEntries(cells.map(({ column, value }) => [column, value]));
      return [{ id: feature.id, visible_id: feature.visible_id, ...values }];
    });
  }

  panel(dates: readonly Time[]): Row[] {
    return dates.flatMap((asked) => this.asOf(asked).map((row) => ({ date: asked, ...row })));
  }

  counts(column: string, dates: readonly Time[], by?: string): Row[] {
    const rows = dates.flatMap((asked, index) =>
      this.#cells(endOf(this.#world, asked))
        .filter((entry) => entry.column === column && entry.cell.state !== "absent")
        .map(({ feature, cell: { state, value } }) => ({
          index,
          asked,
          state,
          value,
          group: this.#group(feature, by, asked),
        })),
    );
    return grouped(rows, ({ index, state, value, group }) => [index, state, value, group]).map((members) => {
      const [{ asked, state, value, group }] = members;
      return { date: asked, ...(by ? { [by]: group } : {}), state, value, count: members.length };
    });
  }

  totals(column: string, dates: readonly Time[], by?: string): Row[] {
    return dates.flatMap((asked) => {
      const cells = this.#cells(endOf(this.#world, asked))
        .filter((entry) => entry.column === column && entry.cell.state !== "absent")
        .map((entry) => ({ ...entry.cell, group: this.#group(entry.feature, by, asked) }));
      const groups = by ? grouped(cells, ({ group }) => group) : [cells];
      return groups.map((members) => {
        const numbers = members.map(({ value }) => value).filter((value) => typeof value === "number");
        return {
          date: asked,
          ...(by ? { [by]: members[0]?.group } : {}),
          sum: numbers.reduce((a, b) => a + b, 0),
          count: numbers.length,
          unknown: members.filter(({ state }) => state === "unknown").length,
        };
      });
    });
  }

  /** Whether a column has values and no number among them, so that there is nothing to add up. */
  hasOnlyOthers(column: string): boolean {
    const logged = this.#world.changes
      .filter((change) => columnOf(this.#world, change) === column)
      .map(({ new_value }) => new_value);
    const unchanged = this.#world.features
      .filter((feature) => cellLog(this.#full, feature, column).length === 0)
      .map((feature) => currentValue(this.#world, feature, column));
    const values = [...logged, ...unchanged].filter((value) => value !== null);
    return values.length > 0 && !values.some((value) => typeof value === "number");
  }

  intervals(column: string): Row[] {
    return this.#world.features.flatMap((feature) => {
      const times = this.#world.changes
        .filter((change) => change.layer_feature_id === feature.id)
        .map((change) => micros(change.created_at));
      const begin = Math.min(createdUs(this.#world, feature), ...times);
      if (begin === Number.POSITIVE_INFINITY) return [];
      const cuts = [...new Set([begin, ...cellLog(this.#world, feature, column).map((c) => micros(c.created_at))])];
      const pieces = cuts
        .sort((a, b) => a - b)
        .map((from, index) => ({ from, to: cuts[index + 1], ...this.#cell(feature, column, from + 1) }));
      const joined: typeof pieces = [];
      for (const piece of pieces) {
        const last = joined.at(-1);
        if (last && last.state === piece.state && same(last.value, piece.value)) last.to = piece.to;
        else joined.push(piece);
      }
      return joined.map(({ from, to, state, value, change }) => ({
        id: feature.id,
        visible_id: feature.visible_id,
        value,
        state,
        valid_from: date(from),
        valid_to: to === undefined ? null : date(to),
        change_id: change?.id.toLowerCase() ?? null,
        valid_from_us: from,
        valid_to_us: to ?? null,
        local_date: localDate(this.#world, from),
      }));
    });
  }

  reached(column: string, wanted: unknown): Row[] {
    const having = this.intervals(column).filter(({ state, value }) => state !== "unknown" && same(value, wanted));
    const firsts = having.filter((row, index) => having.findIndex(({ id }) => id === row["id"]) === index);
    return firsts.map((row) => {
      const isLogged = row["change_id"] !== null;
      return {
        ...{ id: row["id"], visible_id: row["visible_id"], reached_at: isLogged ? row["valid_from"] : null },
        ...{ change_id: row["change_id"], reached_at_us: isLogged ? row["valid_from_us"] : null },
      };
    });
  }

  durations(column: string, until?: Time): Row[] {
    const isDay = typeof until === "string" && until.length === 10;
    const behindUs = endOf(this.#world, until ?? this.#world.readAt);
    const endUs = behindUs - (isDay ? 0 : 1);
    const stays = this.intervals(column)
      .filter(({ valid_from_us }) => Number(valid_from_us) < behindUs)
      .map((row) => ({
        ...row,
        us: Math.min(Number(row["valid_to_us"] ?? endUs), endUs) - Number(row["valid_from_us"]),
      }));
    return grouped(stays, ({ id, state, value }: Row) => [id, state, value]).map((members) => {
      const { id, visible_id, value, state } = members[0] as Row;
      return { id, visible_id, value, state, days: sum(members.map(({ us }) => us)) / DAY, intervals: members.length };
    });
  }

  /** Every value that a column has had, or has by the features' records. */
  valuesOf(column: string): readonly unknown[] {
    const logged = this.#full.changes.filter((change) => columnOf(this.#full, change) === column);
    const keys = this.#full.columns.find((entry) => entry.column === column)?.keys ?? [];
    const all = [
      ...logged.map(({ new_value }) => new_value),
      ...this.#full.features.flatMap(({ properties }) => keys.map((name) => properties[name] ?? null)),
    ];
    return all.filter((value, index) => all.findIndex((other) => same(other, value)) === index);
  }

  steps(column: string, order?: readonly unknown[]): Row[] {
    const rows = this.intervals(column);
    return rows.flatMap((row, index) => {
      const before = rows[index - 1];
      if (!before || before["id"] !== row["id"] || before["state"] === "unknown") return [];
      const change = this.#world.changes.find(({ id }) => id.toLowerCase() === row["change_id"]);
      return [
        {
          id: row["id"],
          visible_id: row["visible_id"],
          from: before["value"],
          to: row["value"],
          days: (Number(before["valid_to_us"]) - Number(before["valid_from_us"])) / DAY,
          change_id: row["change_id"],
          changed_at: row["valid_from"],
          changed_at_us: row["valid_from_us"],
          user_id: change?.user_id,
          system: change?.system,
          ...backward(before["value"], row["value"], order),
        },
      ];
    });
  }

  transitions(column: string, order?: readonly unknown[]): Row[] {
    return grouped(this.steps(column), ({ from, to }: Row) => [from, to]).map((members) => {
      const held = members.map(({ days }: Row) => Math.round(Number(days) * DAY)).sort((a, b) => a - b);
      const [low, high] = [held[Math.ceil(held.length / 2) - 1] ?? 0, held[Math.floor(held.length / 2)] ?? 0];
      const median_days = (low + high) / 2 / DAY;
      const { from, to } = members[0] as Row;
      return { from, to, count: members.length, median_days, ...backward(from, to, order) };
    });
  }

  diff(a: Time, b: Time): Row[] {
    const [fromUs, toUs] = [endOf(this.#world, a), endOf(this.#world, b)];
    const after = this.#cells(toUs);
    return this.#cells(fromUs).flatMap(({ feature, column, cell: before }, index) => {
      const now = after[index]?.cell ?? before;
      const changes = cellLog(this.#world, feature, column).filter(
        (change) => micros(change.created_at) >= fromUs && micros(change.created_at) < toUs,
      ).length;
      if (changes === 0 && before.state === now.state && same(before.value, now.value)) return [];
      return {
        id: feature.id,
        visible_id: feature.visible_id,
        column,
        before: before.value,
        after: now.value,
        before_state: before.state,
        after_state: now.state,
        changes,
      };
    });
  }

  lateEdits(): Row[] {
    const inserted = insertionOrder(this.#world.changes);
    return inserted.flatMap((change, index) => {
      const earlier = inserted
        .slice(0, index)
        .filter(
          (c) => c.layer_feature_id === change.layer_feature_id && key(c.property_key) === key(change.property_key),
        );
      const newest = Math.max(...earlier.map((c) => micros(c.created_at)));
      const us = micros(change.created_at);
      if (newest <= us) return [];
      return {
        change_id: change.id.toLowerCase(),
        id: change.layer_feature_id,
        column: columnOf(this.#world, change),
        value: change.new_value,
        created_at: date(us),
        overtaken_created_at: date(newest),
        late_by_days: (newest - us) / DAY,
      };
    });
  }

  /** Undefined if no id has a time. */
  lateEntries(moreThanDays: number): Row[] | undefined {
    const inserted = insertionOrder(this.#world.changes);
    if (inserted.length > 0 && inserted.every((change) => recorded(change) === null)) return undefined;
    return inserted.flatMap((change) => {
      const [us, recordedAt] = [micros(change.created_at), recorded(change)];
      const days = recordedAt === null ? Number.NaN : (recordedAt.getTime() * 1000 - us) / DAY;
      if (!(days > moreThanDays)) return [];
      return {
        change_id: change.id.toLowerCase(),
        id: change.layer_feature_id,
        visible_id: featureOf(this.#world, change)?.visible_id,
        column: columnOf(this.#world, change),
        value: change.new_value,
        created_at: date(us),
        recorded_at: recordedAt,
        late_by_days: days,
      };
    });
  }

  causes(): Row[] {
    const byId = new Map(this.#world.changes.map((change) => [change.id.toLowerCase(), change]));
    const causeOf = (id: string) => byId.get(id)?.caused_by_change_id?.toLowerCase() ?? undefined;
    const climb = (start: string) => {
      const path = [start];
      for (;;) {
        const here = path.at(-1) ?? start;
        const up = causeOf(here);
        if (up === undefined) return { root: here, depth: path.length - 1 };
        const back = path.indexOf(up);
        if (back >= 0) {
          const cycle = path.slice(back).sort();
          const root = cycle[0] ?? up;
          const steps = path.includes(root) ? path.indexOf(root) : 0;
          return { root, depth: steps };
        }
        path.push(up);
      }
    };
    const causing = new Set([...byId.keys()].map(causeOf));
    return [...byId].flatMap(([id, change]) => {
      if (causeOf(id) === undefined && !causing.has(id)) return [];
      const { root, depth } = climb(id);
      const column = columnOf(this.#world, change);
      return {
        root_change_id: root,
        change_id: id,
        depth,
        id: change.layer_feature_id,
        column,
        value: change.new_value,
      };
    });
  }

  reconcile(): { readonly rows: Row[]; readonly mismatches: Row[] } {
    const pairs = this.#world.columns.flatMap(({ column }) =>
      this.#world.features.flatMap((feature) => {
        const log = cellLog(this.#world, feature, column);
        if (log.length === 0) return [];
        const current = currentValue(this.#world, feature, column);
        const readAtUs = this.#world.readAt.getTime() * 1000;
        const logged = log.findLast(({ created_at }) => micros(created_at) <= readAtUs)?.new_value ?? null;
        const valid = same(logged, current);
        const insertion = same(insertionOrder(log).at(-1)?.new_value, current);
        return [{ id: feature.id, visible_id: feature.visible_id, column, logged, current, insertion, valid }];
      }),
    );
    const rows = this.#world.columns.map(({ column }) => {
      const own = pairs.filter((pair) => pair.column === column);
      return {
        column,
        pairs: own.length,
        valid: own.filter(({ valid }) => valid).length,
        insertion: own.filter(({ insertion }) => insertion).length,
        both: own.filter(({ valid, insertion }) => valid && insertion).length,
        neither: own.filter(({ valid, insertion }) => !valid && !insertion).length,
      };
    });
    const mismatches = this.#world.features.flatMap(({ id }) =>
      pairs.filter((pair) => pair.id === id && !pair.valid).map(({ valid: _, ...row }) => row),
    );
    return { rows, mismatches };
  }

  people(): { readonly rows: Row[]; readonly hours: Row[] } {
    const edits = this.#world.changes.map(({ user_id, system, created_at }) => {
      const local = Temporal.Instant.fromEpochMilliseconds(date(micros(created_at)).getTime()).toZonedDateTimeISO(
        this.#world.timeZone,
      );
      return { user_id, system, us: micros(created_at), weekday: local.dayOfWeek, hour: local.hour };
    });
    return {
      rows: grouped(edits, ({ user_id, system }) => [user_id, system]).map((own) => ({
        user_id: own[0]?.user_id,
        system: own[0]?.system,
        edits: own.length,
        first_at: date(Math.min(...own.map(({ us }) => us))),
        last_at: date(Math.max(...own.map(({ us }) => us))),
      })),
      hours: grouped(edits, ({ us: _, ...rest }) => rest).map((own) => {
        const { us: _, ...rest } = own[0] ?? { us: 0 };
        return { ...rest, edits: own.length };
      }),
    };
  }

  #cell(feature: LayerFeature, column: string, endUs: number): Cell {
    return cell(this.#world, this.#full, feature, column, endUs);
  }

  #cells(endUs: number) {
    return this.#world.features.flatMap((feature) =>
      this.#world.columns.map(({ column }) => ({ feature, column, cell: this.#cell(feature, column, endUs) })),
    );
  }

  #group(feature: LayerFeature, by: string | undefined, time: Time): unknown {
    if (by === undefined) return null;
    if (by === "dataset_id") return feature.dataset_id;
    return this.#cell(feature, by, endOf(this.#world, time)).value;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}

function grouped<T>(rows: readonly T[], by: (row: T) => unknown): [T, ...T[]][] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const row of rows) {
    const text = canonicalJson(by(row));
    const group = groups.get(text);
    if (group) group.push(row);
    else groups.set(text, [row]);
  }
  return [...groups.values()];
}
