import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { bodiesInTransit } from "../../src/isolate-memory.ts";
import { api, apiWith, bodyOf } from "../support/api.ts";
import { HeldBody } from "../support/held-body.ts";
import { newTenant, type Tenant } from "../support/uploads.ts";
import { eventually } from "../support/waiting.ts";

const MB = 1_048_576;

let one: Tenant;
let other: Tenant;

beforeAll(async () => {
  [one, other] = [await newTenant(), await newTenant()];
});

afterEach(() => {
  vi.useRealTimers();
});

const draftOf = ({ contractId }: Tenant, title: string) =>
  JSON.stringify({ contract_uuid: contractId, title });

/** A draft of which nothing comes before it is let go on. */
class HeldDraft extends HeldBody {
  readonly answer: Promise<Response>;
  readonly #tenant: Tenant;

  /** @param declared its Content-Length; absent: it tells none */
  constructor(tenant: Tenant, declared?: number) {
    super();
    this.#tenant = tenant;
    const headers = {
      "content-type": "application/json",
      ...(declared !== undefined && { "content-length": String(declared) }),
    };
    const request = { key: tenant.key, method: "POST", body: this.stream, headers };
    this.answer = apiWith({}, "/collection-draft", request).then(({ response }) => response);
  }

  /** Sends a whole draft, byte by byte. */
  sendAll(): Promise<Response> {
    for (const letter of draftOf(this.#tenant, "Herons")) this.send(letter);
    this.end();
    return this.answer;
  }
}

const areRead = (bodies: readonly HeldDraft[]) => bodies.map(({ isRead }) => isRead);
const several = (count: number, make: () => HeldDraft) => Array.from({ length: count }, make);
const create = (tenant: Tenant) =>
  api("/collection-draft", {
    key: tenant.key,
    json: { contract_uuid: tenant.contractId, title: "Herons" },
  });

describe("JSON bodies that one isolate takes in at the same time", () => {
  it("are 8 MB of an integration; others wait unread, and are refused in the end, and nobody else is", async () => {
    const held = several(8, () => new HeldDraft(one));
    await eventually(async () => expect(areRead(held)).toEqual(Array(8).fill(true)));
    const refused = new HeldDraft(one);
    await bodyOf(await create(other), 201);
    const answer = await refused.answer;
    expect(answer.headers.get("retry-after")).toBe("5");
    expect(await bodyOf(answer, 429)).toMatchObject({ code: "rate_limited", retryable: true });
    expect(refused.isRead).toBe(false);

    const waiting = new HeldDraft(one);
    for (const body of held) await bodyOf(await body.sendAll(), 201);
    await bodyOf(await waiting.sendAll(), 201);
    await bodyOf(await create(one), 201);
  });

  it("take what they declare, so that small ones don't wait for large ones", async () => {
    const held = [...several(7, () => new HeldDraft(one)), new HeldDraft(one, MB - 2_000)];
    await eventually(async () => expect(areRead(held)).toEqual(Array(8).fill(true)));
    await bodyOf(await new HeldDraft(one, 1_000).sendAll(), 201);
    for (const body of held) await bodyOf(await body.sendAll(), 201);
  });

  it("leave no memory behind: those that break off, are too large, or are refused", async () => {
    for (let round = 0; round < 2; round++) {
      const held = several(8, () => new HeldDraft(other));
      await eventually(async () => expect(areRead(held)).toEqual(Array(8).fill(true)));
      const [broken, large, ...rest] = held;
      broken!.breakOff();
      expect(await bodyOf(await broken!.answer, 400)).toMatchObject({
        code: "invalid_json",
        message: expect.stringContaining("ended early"),
      });
      large!.send("x".repeat(MB + 1));
      expect(await bodyOf(await large!.answer, 413)).toMatchObject({ code: "payload_too_large" });
      for (const body of rest) await bodyOf(await body.sendAll(), 201);
    }
    expect(bodiesInTransit.take(8 * MB, other.integrationId, Date.now())).not.toBeNull();
  });

  it("are given up when nothing comes for a minute", async () => {
    const set = globalThis.setTimeout;
    const stalls: (() => void)[] = [];
    vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, milliseconds: number) => {
      if (milliseconds !== 60_000) return set(run, milliseconds);
      stalls.push(run);
      return set(() => undefined, 0);
    }) as typeof setTimeout);
    const body = new HeldDraft(one);
    await eventually(async () => expect(stalls).toHaveLength(1));
    body.send("{");
    await eventually(async () => expect(stalls).toHaveLength(2));
    stalls[1]!();
    expect(await bodyOf(await body.answer, 400)).toMatchObject({
      code: "invalid_json",
      message: "Nothing of the body came for 60 seconds. Send the whole body again.",
    });
    vi.restoreAllMocks();
  });
});
