/**
 * An alarm that is late by so much is set again: its object may never be rung otherwise, while the platform goes on saying
 * that it is set. Setting one again that was only late does no harm. Milliseconds.
 */
const OVERDUE_MS = 10_000;

/**
 * The time for which an object's alarm has to be set; null: it is set well already. Milliseconds since the epoch.
 * @param alarm what it is set for; null: it isn't
 * @param due when the object has something to do; null: it has nothing to do
 */
export const alarmToSet = (now: number, alarm: number | null, due: number | null): number | null => {
  if (due === null) return null;
  const at = Math.max(due, now);
  const rings = alarm !== null && alarm <= at && alarm > now - OVERDUE_MS;
  return rings ? null : at;
};
