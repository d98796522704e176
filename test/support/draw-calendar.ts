import { type CalendarOption, calendar, type History } from "../../src/index.js";
import type { QuestionDraw } from "./question-calls.js";

const calendars = {
  offices: calendar({
    timeZone: "Europe/Berlin",
    hours: ["08:00-12:00", "13:00-17:30"],
    holidays: ["2024-04-01", { date: "2024-12-24", hours: "08:00-11:00" }],
  }),
  // Its days span two days of UTC, and daylight saving changes within working hours.
  nights: calendar({
    timeZone: "Australia/Lord_Howe",
    weekend: ["friday", 0],
    hours: ["00:00-05:30", "22:00-24:00"],
    holidays: (year) => [`${year}-01-01`, { date: `${year}-06-30`, hours: "01:15-02:00" }],
  }),
  weekdays: calendar({ timeZone: "America/Santiago" }),
};

/** Maximum number of days in a statement. */
const MOST_DAYS = 25_000;

/** Options with a calendar for questions that accept one. Empty if the log spans too many days for engines. */
export function drawCalendars(history: History, draw: QuestionDraw): readonly CalendarOption[] {
  const created = history.asOf(history.readAt, { absent: "keep" }).array("created_at") as readonly (Date | null)[];
  const made = history.changes().array("created_at") as readonly (Date | null)[];
  const times = [...created, ...made, history.readAt].flatMap((time) => (time ? [time.getTime()] : []));
  const days = (times.reduce((a, b) => Math.max(a, b)) - times.reduce((a, b) => Math.min(a, b))) / 86_400_000;
  if (days > MOST_DAYS - 2) return [];
  const name = draw.pick(Object.keys(calendars)) as keyof typeof calendars;
  return [{ calendar: calendars[name] }];
}
