import { expect, test } from "vitest";
import { AuthenticationError, ConflictError, MintageClient } from "../src/index.ts";
import { type Reply, type Seen, scriptedService } from "./scripted-service.ts";

const clientOf = (baseUrl: string) =>
  new MintageClient({ baseUrl, apiKey: "mk_live_test", retry: { baseMs: 1, maxMs: 2, retries: 1 } });

const event = (seq: number) => ({
  seq,
  event_uuid: crypto.randomUUID(),
  type: "nft.minted",
  timestamp: new Date(0).toISOString(),
  data: {},
});
const page = (...seqs: number[]): Reply => ({ status: 200, body: seqs.map(event) });
const busy: Reply = { status: 503, body: { code: "chain_unavailable", message: "later" } };
const limited: Reply = { status: 429, body: { code: "rate_limited", message: "later" } };
const placesOf = (seen: readonly Seen[]) =>
  seen.map(({ path }) => Number(new URL(path, "http://x").searchParams.get("after")));

test("a stream yields each event once, in order, through disconnects, outages and too many requests", async () => {
  const outage: Reply[] = ["drop", busy, busy, "drop", "drop", limited, limited];
  const replies: Reply[] = ["drop", page(5, 6), ...outage, page(), page(7), page(8)];
  await using service = await scriptedService((_, count) => replies[count - 1] ?? page());
  const seqs: number[] = [];
  for await (const { seq } of clientOf(service.url).events.stream({ after: 4, type: "nft.minted" })) {
    seqs.push(seq);
    if (seq === 8) break;
  }
  expect(seqs).toEqual([5, 6, 7, 8]);
  expect(placesOf(service.seen)).toEqual([4, 4, ...outage.map(() => 6), 6, 6, 7]);
  expect(service.seen[0]?.path).toContain("wait=25&type=nft.minted");
}, 30_000);

test("a stream of one type continues after events of other types that the service has already examined", async () => {
  const link = (after: number) =>
    `<https://mint.example.com/api/v1/event?after=${after}&limit=1000>; rel="next"`;
  const nothing = (after: number): Reply => ({ status: 200, body: [], headers: { link: link(after) } });
  const some: Reply = { status: 200, body: [event(9_100)], headers: { link: link(9_400) } };
  const replies: Reply[] = [nothing(5_000), nothing(9_000), some, page(), page(9_500)];
  await using service = await scriptedService((_, count) => replies[count - 1] ?? page());
  const seqs: number[] = [];
  for await (const { seq } of clientOf(service.url).events.stream({ after: 4, type: "nft.minted" })) {
    seqs.push(seq);
    if (seq === 9_500) break;
  }
  expect(seqs).toEqual([9_100, 9_500]);
  expect(placesOf(service.seen)).toEqual([4, 5_000, 9_000, 9_400, 9_400]);
});

test("a stream ends with an error that a retry can't fix, and when it is aborted", async () => {
  const refusal = (status: number, code: string): Reply => ({ status, body: { code, message: "no" } });
  for (const [reply, error] of [
    [refusal(401, "unauthorized"), AuthenticationError],
    [refusal(409, "conflict"), ConflictError],
  ] as const) {
    await using service = await scriptedService(() => reply);
    await expect(clientOf(service.url).events.stream().next()).rejects.toThrow(error);
    expect(service.seen).toHaveLength(1);
  }
  await using service = await scriptedService(() => busy);
  const aborting = new AbortController();
  const next = clientOf(service.url).events.stream({ signal: aborting.signal }).next();
  aborting.abort(new Error("enough"));
  await expect(next).rejects.toThrow("enough");
});
