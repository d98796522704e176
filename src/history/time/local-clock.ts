import { Temporal } from "temporal-polyfill";
import { US_PER_DAY, US_PER_HOUR } from "../../core/instant.js";

/** A stretch of time in which clocks are equally far ahead of UTC. */
export interface OffsetSpan {
  readonly fromUs: number;
  /** Excluded. */
  readonly toUs: number;
  readonly offsetUs: number;
}

/** What clocks in a time zone show, for many instants: the calendar is asked once per stretch of equal offset. */
export class LocalClock {
  readonly #timeZone: string;
  readonly #spans: OffsetSpan[] = [];
  #last: OffsetSpan | undefined;

  constructor(timeZone: string) {
    this.#timeZone = timeZone;
  }

  /** Hour of the ISO week at an instant: 0 is Monday from midnight to one. */
  hourOfWeek(us: number): number {
    const hours = Math.floor((us + this.#spanAt(us).offsetUs) / US_PER_HOUR);
    // 1970 began on a Thursday.
    return (((hours + 3 * 24) % 168) + 168) % 168;
  }

  /**
   * The instant at which clocks show a time: the first of two, and of a time that they skip the one as much later.
   *
   * @param localUs what they show, microseconds since 1970 as if it were UTC
   */
  instantOf(localUs: number): number {
    // No offset is a day or more, and none changes twice in two days.
    const before = this.#spanAt(localUs - US_PER_DAY).offsetUs;
    const after = this.#spanAt(localUs + US_PER_DAY).offsetUs;
    const isThen = (offsetUs: number) => this.#spanAt(localUs - offsetUs).offsetUs === offsetUs;
    return localUs - (isThen(before) || !isThen(after) ? before : after);
  }

  /** The stretches of equal offset from the one that a time lies in to the one of a later time. */
  offsetsBetween(firstUs: number, lastUs: number): readonly OffsetSpan[] {
    const spans: OffsetSpan[] = [];
    for (let us = firstUs; us <= lastUs; us = spans.at(-1)?.toUs ?? Number.POSITIVE_INFINITY)
      spans.push(this.#spanAt(us));
    return spans;
  }

  #spanAt(us: number): OffsetSpan {
    const holds = (span: OffsetSpan) => span.fromUs <= us && us < span.toUs;
    if (this.#last && holds(this.#last)) return this.#last;
    this.#last = this.#spans.find(holds) ?? this.#askCalendar(us);
    return this.#last;
  }

  #askCalendar(us: number): OffsetSpan {
    const ms = Math.floor(us / 1000);
    const time = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(this.#timeZone);
    const after = time.getTimeZoneTransition("next");
    const before = time.add({ milliseconds: 1 }).getTimeZoneTransition("previous");
    const span = {
      fromUs: before ? before.epochMilliseconds * 1000 : Number.NEGATIVE_INFINITY,
      toUs: after ? after.epochMilliseconds * 1000 : Number.POSITIVE_INFINITY,
      offsetUs: time.offsetNanoseconds / 1000,
    };
    this.#spans.push(span);
    return span;
  }
}
