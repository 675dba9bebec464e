/** RFC 3339, section 5.6: date, `T`, time with seconds, and `Z` or an offset. */
const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/**
 * Reads an RFC 3339 time; null if it is not one. Times before 1970 are refused, since the contract counts
 * milliseconds from then; a leap second counts as the second after it; digits after the milliseconds are dropped.
 */
export const parseInstant = (text: string): Date | null => {
  const match = RFC3339.exec(text);
  if (!match) return null;
  const [, year, month, day, hour, minute, second, fraction = "", zone = "Z"] = match;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return null;
  const midnight = new Date(`${year}-${month}-${day}T00:00:00Z`);
  // Dates that don't exist, such as 30 February, roll over to another day.
  if (Number.isNaN(midnight.getTime()) || midnight.getUTCDate() !== Number(day)) return null;
  const offset = offsetMinutes(zone);
  if (offset === null) return null;
  const milliseconds = Math.floor(Number(`0${fraction}`) * 1000);
  const minutes = Number(hour) * 60 + Number(minute) - offset;
  const time = midnight.getTime() + minutes * 60_000 + Number(second) * 1000 + milliseconds;
  return time >= 0 ? new Date(time) : null;
};

const offsetMinutes = (zone: string): number | null => {
  if (zone.toUpperCase() === "Z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 23 || minutes > 59) return null;
  return (zone[0] === "-" ? -1 : 1) * (hours * 60 + minutes);
};
