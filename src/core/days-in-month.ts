const monthDays = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Days of a month of the Gregorian calendar; 0 if there is no such month.
 *
 * @param month from 1
 */
export function daysInMonth(year: number, month: number): number {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return leap ? 29 : (monthDays[month] ?? 0);
}
