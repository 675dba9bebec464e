import { expect, test } from "vitest";
// Inside: errors of the platform can't be had from outside at will.
import type { Uuid } from "../../src/domain/ids.ts";
import type { Bindings } from "../../src/env.ts";
import { endpointOf } from "../../src/events/webhooks/interface.ts";
import { withDeadlines } from "../../src/files/storage/deadlines.ts";
import { asServiceError } from "../../src/http/error-responses.ts";
import { acceptedUnread } from "../../src/operations/engine/in-doubt.ts";
import { walletOf } from "../../src/wallet/client.ts";

const UUID = "01a2202f-85fc-774b-bd53-d5374f530afe" as Uuid;

/** What a call throws. */
const thrownBy = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => null,
    (error: unknown) => error,
  );

/** Bindings whose objects fail each call with an error. */
const failing = (error: Error): Bindings => {
  const fail = () => Promise.reject(error);
  const space = { getByName: () => ({ carryOut: fail, status: fail, deliveries: fail, sendTest: fail }) };
  return { WALLET: space, WEBHOOK: space } as unknown as Bindings;
};

const reset = Object.assign(new Error("Durable Object reset because its code was updated."), {
  retryable: true,
});

test.each<[string, (env: Bindings) => Promise<unknown>]>([
  ["wallet", (env) => walletOf(env, UUID).status()],
  ["webhook", (env) => endpointOf(env, UUID).deliveries(null, 1)],
  ["webhook that is called once", (env) => endpointOf(env, UUID).sendTest(UUID)],
])(
  "an object of a %s that stays reset is unavailable, and its own errors are the service's",
  async (_, call) => {
    expect(asServiceError(await thrownBy(call(failing(reset))), true)).toMatchObject({
      status: 503,
      code: "database_unavailable",
      details: { outcome: "unknown", retryable: true, retryAfter: 10 },
    });
    const own = await thrownBy(call(failing(new TypeError("x is undefined"))));
    expect(asServiceError(own, true)).toMatchObject({ status: 500, code: "internal_error" });
  },
);

test("an accepted operation whose wallet stays reset is answered for with 503 and its uuid", async () => {
  const error = await thrownBy(walletOf(failing(reset), UUID).carryOut(UUID, 0));
  expect(acceptedUnread(UUID, error)).toMatchObject({
    status: 503,
    details: { outcome: "unknown", retryAfter: 10, operationUuid: UUID },
  });
});

test("an R2 that doesn't answer or fails is unavailable, also where an object called it", async () => {
  const hung = { get: () => new Promise(() => undefined) } as unknown as R2Bucket;
  const late = await thrownBy(withDeadlines(hung, 1).get("a"));
  const down = new Error("get: We encountered an internal error. Please try again. (10001)");
  for (const error of [late, down, new Error((late as Error).message), new Error("x", { cause: late })]) {
    const write = asServiceError(error, true);
    expect(write).toMatchObject({ status: 503, code: "database_unavailable" });
    expect(write.message).toMatch(/^The storage of files doesn't answer, and may have/);
    expect(write.details).toMatchObject({ outcome: "unknown", retryable: true, retryAfter: 10 });
    expect(asServiceError(error, false).details).not.toHaveProperty("outcome");
    expect(acceptedUnread(UUID, error)).toMatchObject({ status: 503 });
  }
  const wrong = new Error("put: The Content-MD5 you specified did not match what we received. (10037)");
  expect(asServiceError(wrong, true)).toMatchObject({ status: 500 });
});
