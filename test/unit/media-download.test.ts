import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DownloadFailure, download, STALL_MS } from "../../src/files/uploads/media-download.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A host that sends a byte every so often. Milliseconds. */
const slowly = (every: number) => {
  const seen = { canceled: false };
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, every));
      if (!seen.canceled) controller.enqueue(Uint8Array.of(1));
    },
    cancel() {
      seen.canceled = true;
    },
  });
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response(body));
  return seen;
};

const read = async (most: number) => {
  const body = await download("https://media.example/a", most);
  let moved = 0;
  try {
    for await (const _ of body.chunks(() => moved++));
    return null;
  } catch (error) {
    return { moved, error };
  } finally {
    await body.close();
  }
};

test("a download continues while the host sends, however slowly, and reports each chunk", async () => {
  slowly(STALL_MS - 1);
  const result = read(3);
  await vi.advanceTimersByTimeAsync(5 * STALL_MS);
  expect(await result).toMatchObject({
    moved: 3,
    error: { message: expect.stringContaining("larger than 3") },
  });
});

test("a download ends if the host stops sending, and closes the connection", async () => {
  const host = slowly(STALL_MS + 1);
  const result = read(3);
  await vi.advanceTimersByTimeAsync(STALL_MS);
  const ended = await result;
  expect(ended?.error).toBeInstanceOf(DownloadFailure);
  expect(ended).toMatchObject({
    moved: 0,
    error: { message: `The host sent nothing for ${STALL_MS / 1_000} seconds.` },
  });
  expect(host.canceled).toBe(true);
});
