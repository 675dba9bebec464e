import { afterEach, describe, expect, test, vi } from "vitest";
import { picture } from "../../testing/pictures.ts";
import { bodyOf } from "../support/api.ts";
import { HeldBody } from "../support/held-body.ts";
import { takeMemory } from "../support/memory.ts";
import { newTenant, send, type Tenant, uploadPath } from "../support/uploads.ts";
import { eventually } from "../support/waiting.ts";

const BOUNDARY = "----form";

/** A form of one picture, of which nothing comes before it is let go on. */
class HeldForm extends HeldBody {
  readonly answer: Promise<Response>;
  readonly #picture: Uint8Array;

  constructor({ draftId, key }: Tenant, seed: number) {
    super();
    const headers = { "Content-Type": `multipart/form-data; boundary=${BOUNDARY}` };
    this.#picture = picture("png", seed, 500);
    this.answer = send(uploadPath(draftId), { method: "POST", body: this.stream, headers, key });
  }

  /** Sends the whole form. */
  sendAll(): Promise<Response> {
    const part = (disposition: string) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`;
    const detail = JSON.stringify([{ asset_filename: "a.png", copies: 1 }]);
    this.send(part('name="asset_file"; filename="a.png"'));
    this.send(this.#picture);
    this.send(`\r\n${part('name="assets_detail"')}${detail}\r\n--${BOUNDARY}--\r\n`);
    this.end();
    return this.answer;
  }
}

let seed = 40_000;
const hold = (tenant: Tenant) => new HeldForm(tenant, seed++);
const read = (forms: readonly HeldForm[]) => forms.map(({ isRead }) => isRead);

afterEach(() => {
  vi.useRealTimers();
});

describe("forms that one isolate receives at the same time", () => {
  test("are at most five, three per integration, and others wait without being read", async () => {
    // None has waited for ten seconds before it may be read, even on a slow machine.
    vi.setSystemTime(Date.now());
    const [one, other] = [await newTenant(), await newTenant()];
    const forms = [hold(one), hold(one), hold(one), hold(one)];
    await eventually(async () => expect(read(forms)).toEqual([true, true, true, false]));
    forms.push(hold(other), hold(other), hold(other));
    await eventually(async () => expect(read(forms)).toEqual([true, true, true, false, true, true, false]));
    // 96 - 5 * 16 = 16 MB are left to what is smaller.
    expect(takeMemory(9 * 1_048_576, "somebody")).toBeNull();
    const giveBack = takeMemory(8 * 1_048_576, "somebody");
    expect(giveBack).not.toBeNull();
    giveBack!();

    await bodyOf(await forms[0]!.sendAll(), 201);
    await eventually(async () => expect(forms.filter(({ isRead }) => isRead)).toHaveLength(6));
    for (const form of forms.slice(1)) await bodyOf(await form.sendAll(), 201);
  });

  test("wait at most ten seconds, then store nothing and may be retried", async () => {
    const tenant = await newTenant();
    const forms = [hold(tenant), hold(tenant), hold(tenant)];
    await eventually(async () => expect(read(forms)).toEqual([true, true, true]));
    const refused = hold(tenant);
    const answer = await refused.answer;
    expect(answer.headers.get("retry-after")).toBe("5");
    expect(await bodyOf(answer, 429)).toMatchObject({ code: "rate_limited", limit: "rate", retryable: true });
    expect(refused.isRead).toBe(false);
    await bodyOf(await forms[0]!.sendAll(), 201);
    await bodyOf(await hold(tenant).sendAll(), 201);
    for (const form of forms.slice(1)) await bodyOf(await form.sendAll(), 201);
  });

  test("release their memory if they are rejected or break off, or their response isn't read to the end", async () => {
    const tenant = await newTenant();
    for (let round = 0; round < 2; round++) {
      const forms = [hold(tenant), hold(tenant), hold(tenant)];
      await eventually(async () => expect(read(forms)).toEqual([true, true, true]));
      forms[0]!.breakOff();
      await bodyOf(await forms[0]!.answer, 400);
      await (await forms[1]!.sendAll()).body?.cancel();
      const locked = hold({ ...tenant, draftId: crypto.randomUUID() as Tenant["draftId"] });
      await bodyOf(await locked.answer, 404);
      await bodyOf(await forms[2]!.sendAll(), 201);
    }
  });
});
