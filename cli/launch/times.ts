import type { Read } from "./prices.ts";

const SHAPE =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.0+)?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2}|[A-Za-z]+(?:[/_+-][A-Za-z0-9]+)+)?$/;

const EXAMPLE = "2026-12-24 18:00 Europe/Berlin";
const DAY_MS = 86_400_000;

/**
 * A time with its zone: `2026-12-24 18:00 Europe/Berlin`, `2026-12-24 18:00 UTC`, `2026-12-24T18:00:00+01:00`. Nobody's
 * own zone is assumed, and a time that clocks show twice or never when they are changed is refused.
 * @returns RFC 3339 in UTC
 */
export function readTime(text: string): Read<string> {
  const match = SHAPE.exec(text);
  if (!match) return { problem: `give a date, a time and a zone, such as "${EXAMPLE}"; it is "${text}"` };
  const [, year, month, day, hour, minute, second = "00", zone] = match;
  const local = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
  const exists = new Date(local)
    .toISOString()
    .startsWith(`${year}-${month}-${day}T${hour}:${minute}:${second}`);
  if (!exists || local < DAY_MS) return { problem: `give a date and time that exist; "${text}" doesn't` };
  if (zone === undefined) {
    return { problem: `add the zone, such as "${text} UTC" or "${text} Europe/Berlin"` };
  }
  const fixed = fixedOffset(zone);
  if (fixed === null && !isZone(zone)) {
    return { problem: `the zone "${zone}" is unknown; name one such as Europe/Berlin, UTC or +01:00` };
  }
  const moments = fixed === null ? momentsIn(local, zone) : [local - fixed];
  const [moment, other] = moments;
  if (moment === undefined) {
    return { problem: `clocks in ${zone} are put forward and skip "${text}"; give another time` };
  }
  if (other !== undefined) {
    return { problem: `clocks in ${zone} are put back and show "${text}" twice; give it with +hh:mm or UTC` };
  }
  return { value: new Date(moment).toISOString() };
}

/** Milliseconds that a zone without daylight saving time is ahead of UTC; null for a name such as Europe/Berlin. */
function fixedOffset(zone: string): number | null {
  if (/^(Z|UTC|GMT)$/.test(zone)) return 0;
  const match = /^([+-])(\d{2}):?(\d{2})$/.exec(zone);
  if (!match) return null;
  return (match[1] === "-" ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3])) * 60_000;
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    // RangeError is how Intl says that it doesn't know a zone.
    return false;
  }
}

/** The moments at which clocks of a zone show a local time: one, and none or two when they are changed. */
function momentsIn(local: number, zone: string): number[] {
  const offsets = new Set([-DAY_MS, DAY_MS].map((away) => offsetAt(local + away, zone)));
  return [...offsets]
    .map((offset) => local - offset)
    .filter((moment) => moment + offsetAt(moment, zone) === local)
    .sort((a, b) => a - b);
}

/** Milliseconds that a zone is ahead of UTC at a moment. */
function offsetAt(moment: number, zone: string): number {
  const parts = new Intl.DateTimeFormat("en", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(moment);
  const [year = 0, month = 1, day, hour, minute, second] = [
    "year",
    "month",
    "day",
    "hour",
    "minute",
    "second",
  ].map((type) => Number(parts.find((part) => part.type === type)?.value));
  return Date.UTC(year, month - 1, day, hour, minute, second) - moment;
}
