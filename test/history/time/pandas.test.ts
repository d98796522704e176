import { execFileSync } from "node:child_process";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { calendar } from "../../../src/history/time/working-calendar.js";
import { findPython } from "../../support/python.js";

const python = findPython("pandas");

const DAY = 86_400_000;
const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const dateText = (day: number) => new Date(Date.UTC(2024, 0, 1) + day * DAY).toISOString().slice(0, 10);
const clock = (half: number) => `${String(Math.floor(half / 2)).padStart(2, "0")}:${half % 2 === 0 ? "00" : "30"}`;

/** What both can be asked: hours of one stretch, no half days, clocks that never change. */
const asked = fc
  .record({
    weekend: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { maxLength: 4 }),
    holidays: fc.uniqueArray(fc.integer({ min: 0, max: 200 }), { maxLength: 12 }),
    opens: fc.integer({ min: 0, max: 30 }),
    length: fc.integer({ min: 1, max: 16 }),
    at: fc.integer({ min: 0, max: 150 * 24 * 60 }),
    days: fc.integer({ min: 0, max: 40 }),
    hours: fc.integer({ min: 1, max: 90 }),
  })
  .map(({ weekend, holidays, opens, length, at, days, hours }) => ({
    weekend,
    holidays: holidays.map(dateText),
    start: clock(opens),
    end: clock(opens + length),
    at: new Date(Date.UTC(2024, 0, 1) + at * 60_000),
    to: new Date(Date.UTC(2024, 0, 1) + at * 60_000 + days * DAY),
    hours,
  }));

/** What pandas says of one question. */
interface Offsets {
  readonly later: string;
  readonly forward: string;
  readonly days: readonly string[];
  readonly isDay: boolean;
}

describe.runIf(python)("pandas' CustomBusinessHour and CustomBusinessDay", () => {
  it("say the same of sums of hours, of the next working time, and of the days between two", () => {
    const questions = fc.sample(asked, { numRuns: 300, seed: 1 });
    const lines = questions.map(({ weekend, at, to, ...rest }) =>
      JSON.stringify({
        ...rest,
        weekmask: weekdays.filter((_, day) => !weekend.includes(day)).join(" "),
        at: at.toISOString().slice(0, 19),
        to: to.toISOString().slice(0, 19),
      }),
    );
    const script = join(import.meta.dirname, "python", "custom_business.py");
    const printed = execFileSync(python?.program ?? "", [script], { input: lines.join("\n"), encoding: "utf8" });
    const answers = printed
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Offsets);
    expect(answers.length).toBe(questions.length);
    for (const [place, { weekend, holidays, start, end, at, to, hours }] of questions.entries()) {
      const answer = answers[place] as Offsets;
      const made = calendar({ timeZone: "UTC", weekend, holidays, hours: `${start}-${end}` });
      const whole = calendar({ timeZone: "UTC", weekend, holidays });
      const text = JSON.stringify(questions[place]);
      expect(made.nextWorking(at), text).toEqual(new Date(`${answer.forward}Z`));
      // At the end of hours pandas goes on to the beginning of the next, between which nobody works.
      const later = new Date(`${answer.later}Z`);
      expect(made.nextWorking(made.addHours(at, hours)), text).toEqual(made.nextWorking(later));
      expect(made.hoursBetween(at, later), text).toBe(hours);
      expect(whole.isWorking(at), text).toBe(answer.isDay);
      const last = new Date(Math.floor(to.getTime() / DAY) * DAY + DAY);
      const first = new Date(Math.floor(at.getTime() / DAY) * DAY);
      expect(whole.daysBetween(first, last), text).toBe(answer.days.length);
    }
  });
});
