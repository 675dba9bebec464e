/** Works through the items, several at a time. After the first failure no new one is begun and those under way end. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T, signal: AbortSignal) => Promise<void>,
  outer?: AbortSignal,
): Promise<void> {
  const failure = new AbortController();
  const signal = outer ? AbortSignal.any([outer, failure.signal]) : failure.signal;
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) {
      signal.throwIfAborted();
      await work(item, signal);
    }
  };
  const workers = Array.from({ length: Math.min(width, items.length) }, () =>
    worker().catch((error: unknown) => {
      failure.abort(error);
      throw error;
    }),
  );
  const results = await Promise.allSettled(workers);
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}
