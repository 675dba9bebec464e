import { grouped } from "../src/domain/counted.ts";

/** Shows how long it is until the moments of a page, and calls back when one has come. @param now server's time, ms */
export function countDown(now: () => number, reached: () => void): void {
  const tick = () => {
    for (const span of document.querySelectorAll<HTMLElement>(".countdown")) {
      const left = Date.parse(span.dataset.until ?? "") - now();
      if (left > 0) span.textContent = `(in ${spell(left)})`;
      else if (span.textContent !== "") {
        span.textContent = "";
        enter(span.closest("li"));
        reached();
      }
    }
  };
  tick();
  setInterval(tick, 1_000);
}

/** A phase that has begun or ended says so. */
function enter(phase: HTMLElement | null): void {
  const state = phase?.querySelector(".state");
  if (!phase || !state) return;
  const hasBegun = phase.className === "soon";
  phase.className = hasBegun ? "live" : "over";
  state.textContent = hasBegun ? "Live" : "Ended";
}

/** A duration in its two largest units. */
export const spell = (ms: number): string => {
  const seconds = Math.ceil(ms / 1_000);
  const units: [number, string][] = [
    [86_400, "d"],
    [3_600, "h"],
    [60, "min"],
    [1, "s"],
  ];
  const first = units.findIndex(([length]) => seconds >= length);
  return units
    .slice(first, first + 2)
    .map(([length, unit], index) => {
      const whole = index === 0 ? seconds : seconds % (units[first]?.[0] ?? 1);
      return `${grouped(Math.floor(whole / length))} ${unit}`;
    })
    .join(" ");
};

/** Writes moments in the collector's own zone. */
export function localTimes(): void {
  for (const time of document.querySelectorAll("time")) {
    time.textContent = new Date(time.dateTime).toLocaleString(undefined, {
      dateStyle: "medium",
      timeStyle: "short",
    });
  }
}
