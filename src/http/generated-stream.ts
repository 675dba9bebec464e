interface Guard {
  /** How long the client may take nothing; then the body breaks off. Milliseconds. */
  readonly patienceMs: number;
  readonly moved: () => void;
  /** The body is over, complete or not. */
  readonly ended: () => void;
}

const UNGUARDED: Guard = { patienceMs: 30_000, moved: () => undefined, ended: () => undefined };

/**
 * A body made piece by piece as the client takes it. Where the generator fails, or the client takes nothing for too
 * long, it breaks off: it never ends as if it were whole.
 */
export function streamOf(
  pieces: AsyncGenerator<Uint8Array, void, void>,
  { patienceMs, moved, ended }: Guard = UNGUARDED,
): ReadableStream<Uint8Array> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const breakOff = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    ended();
    controller.error(new Error("the client takes nothing of the body"));
    void pieces.return();
  };
  return new ReadableStream({
    async pull(controller) {
      clearTimeout(timer);
      moved();
      const { value } = await pieces.next().catch((error: unknown) => {
        ended();
        throw error;
      });
      if (value === undefined) {
        ended();
        controller.close();
        return;
      }
      controller.enqueue(value);
      timer = setTimeout(() => breakOff(controller), patienceMs);
    },
    async cancel() {
      clearTimeout(timer);
      ended();
      await pieces.return();
    },
  });
}
