import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scriptedService } from "../../client/test/scripted-service.ts";
import { startCommand } from "../../test/support/killed-command.ts";
import { beginState, stateFile, writeState } from "../launch/state.ts";

const COLLECTION = "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11";
const EXPIRES = "2040-01-01T00:00:00.000Z";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mintage-set-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What `set` shows of a collection without phases that has an open claim link, before it asks. */
const shown = (...args: string[]): Promise<string> => shownOf([], args);

async function shownOf(locks: readonly string[], args: readonly string[]): Promise<string> {
  const collection = { title: "Herons", total_copies: 40, minted: 10, locks, phases: [] };
  const drop = { links: 1, claimed: 0, revoked: 0, quantity: 2, expires_at: EXPIRES };
  const quote = { quote_uuid: COLLECTION, cost: { at_most: "1" } };
  await using service = await scriptedService(({ path }) => {
    if (path.endsWith("/quote")) return { status: 201, body: quote };
    return { status: 200, body: path.includes("/drop") ? [drop] : collection };
  });
  const file = stateFile(folder, service.url);
  const begun = beginState(file, service.url, { contract_uuid: COLLECTION, title: "Herons" });
  writeState(file, { ...begun, collection_uuid: COLLECTION });
  const env = { MINTAGE_URL: service.url, MINTAGE_API_KEY: `mk_live_${"a".repeat(43)}` };
  const { code, stderr } = await startCommand("launch.ts", ["set", folder, ...args], env).ended;
  // Nobody is there to agree.
  expect([code, stderr]).toEqual([2, expect.stringContaining("--yes")]);
  expect(service.seen.filter(({ method }) => method === "PUT")).toEqual([]);
  return stderr;
}

test.each([
  ["3", "everyone"],
  ["public", "everyone"],
  ["allowlist", "accounts on its allowlist"],
])("who may mint in a phase %s that is new is shown before it is made", async (phase, who) => {
  const text = await shown("--phase", phase, "--price", "5");
  expect(text).toMatch(new RegExp(`^(phase )?${phase} who +nobody +${who}$`, "m"));
  expect(text).toMatch(/ price +no such phase +5 NEAR$/m);
  expect(text).toContain("needs 2 of the 30 copies left; 28 more can be minted");
});

test("a locked supply leaves no copies", async () => {
  const text = await shownOf(["supply"], ["--phase", "public", "--price", "5"]);
  expect(text).toContain("of the 0 copies left");
});
