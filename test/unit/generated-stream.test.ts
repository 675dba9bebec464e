import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { streamOf } from "../../src/http/generated-stream.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A body of several pieces, with a record of what happened to it. */
function body(count: number, fails = false) {
  const seen = { made: 0, closed: false, moved: 0, ended: 0 };
  async function* pieces(): AsyncGenerator<Uint8Array, void, void> {
    try {
      for (; seen.made < count; seen.made++) yield Uint8Array.of(seen.made);
      if (fails) throw new Error("a block is missing");
    } finally {
      seen.closed = true;
    }
  }
  const guard = { patienceMs: 1_000, moved: () => seen.moved++, ended: () => seen.ended++ };
  return { seen, reader: streamOf(pieces(), guard).getReader() };
}

test("a generated answer ends once, after all of it was read", async () => {
  const { seen, reader } = body(3);
  const taken: number[] = [];
  for (let part = await reader.read(); !part.done; part = await reader.read()) taken.push(...part.value);
  expect(taken).toEqual([0, 1, 2]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(seen).toMatchObject({ closed: true, ended: 1 });
  expect(seen.moved).toBeGreaterThanOrEqual(3);
});

test("a generated answer breaks off, without a regular end, if its client reads nothing for too long", async () => {
  const { seen, reader } = body(1_000);
  for (let slow = 0; slow < 5; slow++) {
    await reader.read();
    await vi.advanceTimersByTimeAsync(999);
  }
  expect(seen).toMatchObject({ closed: false, ended: 0 });
  await vi.advanceTimersByTimeAsync(1);
  expect(seen).toMatchObject({ closed: true, ended: 1 });
  expect(seen.made).toBeLessThan(10);
  await expect(reader.read()).rejects.toThrow("takes nothing");
});

test("a generated answer breaks off, without a regular end, if an error occurs while it is generated", async () => {
  const { seen, reader } = body(1, true);
  await reader.read();
  await expect(reader.read()).rejects.toThrow("missing");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(seen).toMatchObject({ closed: true, ended: 1 });
});

test("a generated answer ends when its client disconnects", async () => {
  const { seen, reader } = body(5);
  await reader.read();
  await reader.cancel();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(seen).toMatchObject({ closed: true, ended: 1 });
});
