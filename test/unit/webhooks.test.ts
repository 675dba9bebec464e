import { createHmac } from "node:crypto";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import {
  DISABLED_AFTER_MS,
  isDelivered,
  isGone,
  OLD_SECRET_MS,
  pauseAfter,
  retryAfterOf,
} from "../../src/domain/webhooks.ts";
import { signedHeaders } from "../../src/events/webhooks/attempt.ts";
import { shownSecret } from "../../src/events/webhooks/secrets.ts";

const secretOf = () => crypto.getRandomValues(new Uint8Array(32));
const now = () => Math.floor(Date.now() / 1_000);

describe("a signed delivery", () => {
  test("is accepted by an independent receiver, with either secret during a rotation", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.jsonValue(), (id, data) => {
        const body = JSON.stringify({ type: "nft.minted", data });
        const [fresh, old] = [secretOf(), secretOf()];
        const headers = signedHeaders({ id, timestamp: now(), body }, [fresh, old]);
        for (const secret of [fresh, old]) {
          expect(new Webhook(shownSecret(secret)).verify(body, headers)).toEqual(JSON.parse(body));
        }
        expect(() => new Webhook(shownSecret(secretOf())).verify(body, headers)).toThrow();
      }),
      { numRuns: 30 },
    );
  });

  test("is refused after any change", () => {
    const secret = secretOf();
    const body = '{"seq":1}';
    const headers = signedHeaders({ id: "a", timestamp: now(), body }, [secret]);
    const receiver = new Webhook(shownSecret(secret));
    expect(receiver.verify(body, headers)).toEqual({ seq: 1 });
    expect(() => receiver.verify('{"seq":2}', headers)).toThrow();
    expect(() => receiver.verify(body, { ...headers, "webhook-id": "b" })).toThrow();
    expect(() => receiver.verify(body, { ...headers, "webhook-timestamp": String(now() + 1) })).toThrow();
  });

  test("is signed with HMAC-SHA-256 over id, timestamp and body", () => {
    const secrets = [secretOf(), secretOf()];
    const timestamp = now();
    const body = '{"name":"Zoë 🎨"}';
    const headers = signedHeaders({ id: "msg", timestamp, body }, secrets);
    const expected = secrets.map((secret) =>
      createHmac("sha256", secret).update(`msg.${timestamp}.${body}`).digest("base64"),
    );
    expect(headers["webhook-signature"]).toBe(expected.map((signature) => `v1,${signature}`).join(" "));
  });
});

describe("the answer to a delivery", () => {
  test("has to come within five days, and a replaced secret signs for one more", () => {
    expect([DISABLED_AFTER_MS, OLD_SECRET_MS]).toEqual([432_000_000, 86_400_000]);
  });

  test("is a success only with 2xx, and 410 disables the endpoint", () => {
    for (let status = 100; status < 600; status++) {
      expect(isDelivered({ status })).toBe(status >= 200 && status < 300);
      expect(isGone({ status })).toBe(status === 410);
    }
    expect(isDelivered({ status: null })).toBe(false);
  });

  test("leads to pauses from 5 s to a day, with jitter, and never shorter than its Retry-After", () => {
    const pauses = Array.from({ length: 10 }, (_, failed) =>
      pauseAfter(failed + 1, { retryAfterS: null }, 0),
    );
    expect(pauses).toEqual(
      [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
        .map((s) => s * 1_000)
        .concat(null as never),
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.option(fc.integer({ min: 0, max: 10 ** 9 })),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failed, retryAfterS, chance) => {
          const pause = pauseAfter(failed, { retryAfterS }, chance)!;
          expect(pause).toBeGreaterThanOrEqual(pauses[failed - 1]!);
          expect(pause).toBeGreaterThanOrEqual(Math.min(retryAfterS ?? 0, 86_400) * 1_000);
          expect(pause).toBeLessThanOrEqual(1_000 * 86_400 * 1.2);
        },
      ),
    );
    const pause = (retryAfterS: number, chance = 0) => pauseAfter(1, { retryAfterS }, chance);
    expect([pause(0), pause(0, 1), pause(7), pause(7, 1), pause(10 ** 9)]).toEqual([
      5_000, 6_000, 7_000, 7_000, 86_400_000,
    ]);
  });

  test("may have a Retry-After in seconds or as a date", () => {
    const at = Date.UTC(2026, 10, 22, 12);
    expect(retryAfterOf(null, at)).toBeNull();
    expect(retryAfterOf("120", at)).toBe(120);
    expect(retryAfterOf("Sun, 22 Nov 2026 12:01:00 GMT", at)).toBe(60);
    expect(retryAfterOf("Sun, 22 Nov 2026 11:00:00 GMT", at)).toBe(0);
    for (const text of ["soon", "", "1234567890 s", "120 seconds"]) expect(retryAfterOf(text, at)).toBeNull();
    expect(retryAfterOf("Sun, 22 Nov 2026 12:00:01 GMT", at + 1)).toBe(1);
  });
});
