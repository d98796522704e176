/** What people read of a change comes first; UUIDs and numbers of machines come last. */
const order = [
  "visible_id",
  "column",
  "value",
  "previous",
  "created_at",
  "user_id",
  "system",
  "id",
  "seq",
  "created_at_us",
  "change_id",
  "property_key",
  "caused_by_change_id",
];

/** The columns of `changes()` in the order in which a history shows its log. */
export function shownLog(names: readonly string[]): readonly string[] {
  return [...order.filter((name) => names.includes(name)), ...names.filter((name) => !order.includes(name))];
}
