import { describe, expect, test } from "vitest";
import { inTime, pollUntil, retry, within } from "../../src/waiting.ts";

/** A call that fails the given number of times before it succeeds, and counts its tries. */
const failing = (failures: number) => {
  const call = async () => {
    call.count += 1;
    if (call.count <= failures) throw new Error(`failure ${call.count}`);
    return "done";
  };
  call.count = 0;
  return call;
};

describe("a call that may be repeated", () => {
  const attempts = { tries: 3, firstPauseMs: 0 };

  test("is repeated until it succeeds", async () => {
    const call = failing(2);
    expect([await retry(attempts, call), call.count]).toEqual(["done", 3]);
  });

  test("ends with the error of its last attempt", async () => {
    const call = failing(9);
    await expect(retry(attempts, call)).rejects.toThrow("failure 3");
    expect(call.count).toBe(3);
  });

  test("isn't repeated after a permanent error", async () => {
    const call = failing(9);
    const isLasting = (error: unknown) => error instanceof Error && error.message === "failure 2";
    await expect(retry({ ...attempts, isLasting }, call)).rejects.toThrow("failure 2");
  });
});

describe("work with a deadline", () => {
  const endless = new Promise<string>(() => undefined);

  test("returns its result, or null", async () => {
    expect(await within(1_000_000, Promise.resolve("done"))).toBe("done");
    expect(await within(0, endless)).toBeNull();
    await expect(within(1_000_000, Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  });

  test("continues after the response only if it takes longer", async () => {
    const later: Promise<unknown>[] = [];
    const waitUntil = (work: Promise<unknown>) => void later.push(work);
    await inTime({ waitUntil }, Promise.resolve("done"), 1_000_000);
    expect(later).toEqual([]);
    await inTime({ waitUntil }, endless, 0);
    expect(later).toEqual([endless]);
  });
});

describe("a condition that is polled", () => {
  /** A clock that goes on by ten milliseconds with each look at it. */
  const clock = () => {
    let ms = 0;
    return () => {
      ms += 10;
      return new Date(ms);
    };
  };

  test("is met at the first look that finds it", async () => {
    let looks = 0;
    const found = await pollUntil({ patienceMs: 1_000, everyMs: 0, now: clock() }, () =>
      ++looks === 3 ? "it" : null,
    );
    expect([found, looks]).toEqual(["it", 3]);
  });

  test("is checked once more when the time is over, and then no more", async () => {
    let looks = 0;
    const look = () => {
      looks += 1;
      return null;
    };
    expect(await pollUntil({ patienceMs: 30, everyMs: 0, now: clock() }, look)).toBeNull();
    expect(looks).toBe(3);
    expect(await pollUntil({ patienceMs: 0, everyMs: 0, now: clock() }, look)).toBeNull();
    expect(looks).toBe(4);
  });
});
