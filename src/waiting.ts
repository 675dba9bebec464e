/** Waits, milliseconds. */
export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The result of work within a time, in milliseconds; null if it takes longer. The work isn't cancelled. */
export const within = async <T>(milliseconds: number, work: Promise<T>): Promise<T | null> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

/** As `within`; work that takes longer may outlive the answer. Milliseconds. */
export const inTime = async <T>(
  { waitUntil }: { readonly waitUntil: (work: Promise<unknown>) => void },
  work: Promise<T>,
  milliseconds: number,
): Promise<T | null> => {
  const ended = await within(milliseconds, work);
  if (ended === null) waitUntil(work);
  return ended;
};

/** How long something is waited for, and how often it is looked for. Milliseconds. */
export interface PollPolicy {
  readonly patienceMs: number;
  readonly everyMs: number;
  readonly now: () => Date;
}

/** What a look finds, as soon as one finds something; null if none does in time. */
export const pollUntil = async <T>(
  { patienceMs, everyMs, now }: PollPolicy,
  look: () => T | null,
): Promise<T | null> => {
  const until = now().getTime() + patienceMs;
  for (;;) {
    const found = look();
    if (found !== null || now().getTime() >= until) return found;
    await pause(everyMs);
  }
};

/** How often a call is made, and the pause before the second time, which doubles. Milliseconds. */
interface RetryPolicy {
  readonly tries: number;
  readonly firstPauseMs: number;
  /** Errors after which the call isn't made again. */
  readonly isLasting?: (error: unknown) => boolean;
}

/** Makes a call that may be repeated without harm until it succeeds. @throws what the last one threw */
export const retry = async <T>(
  { tries, firstPauseMs, isLasting = () => false }: RetryPolicy,
  call: () => Promise<T>,
): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt === tries || isLasting(error)) throw error;
      await pause(firstPauseMs * 2 ** (attempt - 1));
    }
  }
};
