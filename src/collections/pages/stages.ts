import type { PublicPhase } from "../../api/resources/public-collection.ts";

/** How far a phase has come. */
export type Stage = "live" | "soon" | "over";
export const isSoldOut = ({ supply, minted }: PublicPhase): boolean => supply !== null && minted >= supply;

export const stageOf = (phase: PublicPhase, now: Date): Stage => {
  const { starts_at: starts, ends_at: ends } = phase;
  if (isSoldOut(phase)) return "over";
  if (ends !== null && Date.parse(ends) <= now.getTime()) return "over";
  return starts !== null && Date.parse(starts) > now.getTime() ? "soon" : "live";
};

/** The moment that a phase comes to next, or has come to last; null: none. */
export const momentOf = (phase: PublicPhase, stage: Stage): string | null =>
  isSoldOut(phase) ? null : stage === "soon" ? phase.starts_at : phase.ends_at;

/** The phase whose price stands beside the button: the one that is open, the public one before others, or the next. */
export const phaseOf = (phases: readonly PublicPhase[], now: Date): PublicPhase | undefined => {
  const byStage = (stage: Stage) => phases.filter((phase) => stageOf(phase, now) === stage);
  const soon = byStage("soon").toSorted(
    (a, b) => Date.parse(a.starts_at ?? "") - Date.parse(b.starts_at ?? ""),
  );
  return byStage("live").at(-1) ?? soon[0];
};

/** Whether a phase is open or comes. */
export const isOffered = (phases: readonly PublicPhase[], now: Date): boolean =>
  phaseOf(phases, now) !== undefined;
