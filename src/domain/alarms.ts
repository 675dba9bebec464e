/** An alarm this late is set again: the platform may report it as set and never fire it. Milliseconds. */
const OVERDUE_MS = 10_000;

/**
 * The time to set an object's alarm to; null: no change. Milliseconds since the epoch.
 * @param alarm its present time; null: not set @param due when the object has work; null: never
 */
export const alarmToSet = (now: number, alarm: number | null, due: number | null): number | null => {
  if (due === null) return null;
  const at = Math.max(due, now);
  const isSet = alarm !== null && alarm <= at && alarm > now - OVERDUE_MS;
  return isSet ? null : at;
};
