import type { ServiceContext } from "./context.ts";

/** What work comes to within a time; null if it takes longer, in which case it goes on. Milliseconds. */
export const inTime = async <T>(
  { waitUntil }: Pick<ServiceContext, "waitUntil">,
  work: Promise<T>,
  milliseconds: number,
): Promise<T | null> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), milliseconds);
  });
  const ended = await Promise.race([work, late]);
  clearTimeout(timer);
  if (ended !== "late") return ended;
  waitUntil(work);
  return null;
};
