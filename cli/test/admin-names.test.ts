import { describe, expect, test } from "vitest";
import { AdminClient } from "../../client/src/admin.ts";
import { type Seen, scriptedService } from "../../client/test/scripted-service.ts";
import { withUuid } from "../admin/names.ts";
import { UsageError } from "../command.ts";

const ONE = "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11";
const TWO = "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12";
const TAKES_ONE = { takes: "<integration> --name TEXT" };

/** The words of a command after what the first names was looked up among those that the service has. */
async function resolved(takes: { takes: string }, words: readonly string[], found: readonly string[]) {
  const reply = ({ path }: Seen) => ({
    status: 200,
    body: path.startsWith("/admin/v1/contract")
      ? found.flatMap((contract_uuid, index) =>
          path.endsWith(`?account_id=c-${index}.near`) ? [{ contract_uuid }] : [],
        )
      : found.map((integration_uuid) => ({ integration_uuid })),
  });
  await using service = await scriptedService(reply);
  const admin = new AdminClient({ baseUrl: service.url, adminToken: "t".repeat(32), retry: { retries: 0 } });
  const outcome = await withUuid(admin, takes, words).catch((error: unknown) => error);
  return { outcome, asked: service.seen.map(({ path }) => path) };
}

describe("the integration that a command names", () => {
  test("is found by its name, whatever characters the name has", async () => {
    const { outcome, asked } = await resolved(TAKES_ONE, ["A & B shop", "rest"], [ONE]);
    expect(outcome).toEqual([ONE, "rest"]);
    expect(asked).toEqual(["/admin/v1/integration?name=A+%26+B+shop"]);
  });

  test("is found by its name behind another word", async () => {
    const { outcome } = await resolved({ takes: "<operation> [<integration>]" }, [TWO, "Shop"], [ONE]);
    expect(outcome).toEqual([TWO, ONE]);
  });

  test("is used as it is if it is a uuid, without a request", async () => {
    expect(await resolved(TAKES_ONE, [ONE], [])).toEqual({ outcome: [ONE], asked: [] });
  });

  test("is not looked up by commands that take no integration", async () => {
    const words = ["Shop"];
    expect(await resolved({ takes: "<operation>" }, words, [ONE])).toEqual({ outcome: words, asked: [] });
    expect(await resolved(TAKES_ONE, [], [ONE])).toEqual({ outcome: [], asked: [] });
  });

  test("is refused if no integration has the name, or several have it", async () => {
    const { outcome: none } = await resolved(TAKES_ONE, ["Shop"], []);
    expect(none).toBeInstanceOf(UsageError);
    expect((none as Error).message).toContain('No integration has the name "Shop".');
    const { outcome: several } = await resolved(TAKES_ONE, ["Shop"], [ONE, TWO]);
    expect((several as Error).message).toContain(`2 integrations have the name "Shop"`);
    expect((several as Error).message).toContain(`${ONE}, ${TWO}`);
  });
});

describe("the contract that a command names", () => {
  test.each(["<contract> --to ACCOUNT [--leave] | --withdraw", "[<contract>] [--all] [--dry-run]"])(
    "is found by its account id, or used as it is if it is a uuid: %s",
    async (takes) => {
      const { outcome, asked } = await resolved({ takes }, ["c-1.near"], [ONE, TWO]);
      expect(outcome).toEqual([TWO]);
      expect(asked).toEqual(["/admin/v1/contract?account_id=c-1.near"]);
      expect(await resolved({ takes }, [ONE], [])).toEqual({ outcome: [ONE], asked: [] });
    },
  );

  test("is refused if the service has no contract at this account", async () => {
    const { outcome } = await resolved({ takes: "<contract>" }, ["c-2.near"], [ONE, TWO]);
    expect(outcome).toBeInstanceOf(UsageError);
    expect((outcome as Error).message).toContain('There is no contract "c-2.near".');
  });
});
