/** The two courses that fault runs take, and the kinds of fault that have to come in each. */
import type { FaultRunOptions, FaultRunSummary } from "./run.ts";

type CourseOptions = Omit<FaultRunOptions, "seed" | "clients" | "shops" | "without" | "say">;

/** What a block stands for, milliseconds of the run's clock. */
const BLOCK_MS = 600;

/** How much faster the run's clock is than the machine's, unless told otherwise. */
export const RATE = 4;

/** Blocks of 150 ms and a clock four times as fast stand for blocks of 600 ms. */
const paceOf = (rate: number) => ({ blockMs: BLOCK_MS / rate, rate });

/** The run of `npm run test:faults`. */
export const longCourse = (operations: number, rate = RATE): CourseOptions => ({
  ...paceOf(rate),
  operations,
  firstPart: Math.round(operations * 0.85),
  stormOperations: Math.max(10, Math.min(100, Math.round(operations / 40))),
  killShare: 0.004,
  storageShare: 0.01,
  objectShare: 0.004,
  overdueShare: 0.03,
  hangMs: 80_000,
  runtimeKillEvery: Math.max(40, operations / 16),
  freezeEvery: operations / 8,
  freezeFor: operations / 40,
  orphanEvery: operations / 25,
  deleteKeyEvery: operations / 20,
});

/** The short run of `npm test -- --slow`, or two of them: every kind comes at least once. */
export const SHORT_COURSE: CourseOptions = {
  ...paceOf(RATE),
  operations: 120,
  firstPart: 90,
  stormOperations: 6,
  killShare: 0.01,
  storageShare: 0.02,
  objectShare: 0.02,
  overdueShare: 0.3,
  hangMs: 20_000,
  runtimeKillEvery: 60,
  freezeEvery: 60,
  freezeFor: 15,
  orphanEvery: 20,
  deleteKeyEvery: 15,
};

/** Every kind of fault. */
const KINDS = [
  "request_lost",
  "reply_lost",
  "timeout",
  "duplicate",
  "delay",
  "reorder",
  "lag",
  "freeze",
  "down",
  "rate_limit",
  "garbage",
  "expired",
  "unknown_transaction",
  "forget",
  "orphan",
  "per_hash",
  "delete_key",
  "D1",
  "D1 down for two calls",
  "d1_hang",
  "alarm_overdue",
  "R2",
  "killed",
  "runtime_killed",
  "object_lost",
  "object_rollback",
  "platform_rollback",
  "object_reset",
  "r2_hang",
  "d1_rollback",
  "jump",
  "webhook_500",
  "webhook_unread",
  "webhook_301",
  "webhook_410",
  "webhook_429",
  "webhook_slow",
  "webhook_hung",
  "webhook_broken_off",
  "webhook_broken_answer",
];

/** Kinds that never came. */
export const missing = ({ kinds }: Pick<FaultRunSummary, "kinds">): string[] =>
  KINDS.filter((kind) => !kinds[kind]);
