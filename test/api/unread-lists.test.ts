import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { apiWith } from "../support/api.ts";
import { heldTimers } from "../support/held-timers.ts";
import { LONG_SUBTITLES, largeDraft } from "../support/large-drafts.ts";
import { newTenant } from "../support/uploads.ts";
import { eventually } from "../support/waiting.ts";

/** Three pages of what one query reads. */
const ASSETS = 1_500;

let key: string;
let path: string;

beforeAll(async () => {
  const tenant = await newTenant();
  const draft = await largeDraft(
    { key: tenant.key, contractUuid: tenant.contractId },
    { assets: ASSETS, first: 0, ...LONG_SUBTITLES },
  );
  ({ key } = tenant);
  path = `/collection-draft/${draft}/asset`;
});
afterEach(() => {
  vi.restoreAllMocks();
});

const open = async (): Promise<Response> => (await apiWith({}, path, { key })).response;

test("a long list breaks off visibly if its client reads nothing for 30 s", async () => {
  const patience = heldTimers(30_000);
  const unread = await open();
  await eventually(() => expect(patience).toHaveLength(1));
  patience[0]!();
  await expect(unread.text()).rejects.toThrow("takes nothing");
});

test("a long list is complete for a client that reads it with pauses", async () => {
  const patience = heldTimers(30_000);
  const list = (await (await open()).json()) as unknown[];
  expect(list).toHaveLength(ASSETS);
  expect(patience.length).toBeGreaterThan(1);
});
