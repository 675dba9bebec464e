import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MintageClient } from "../../client/src/index.ts";
import { type Reply, type Seen, scriptedService } from "../../client/test/scripted-service.ts";
import { UsageError } from "../command.ts";
import { readPage, showPage, slugOf, type WantedPage } from "../launch/page.ts";

describe("the page that collection.yaml asks for", () => {
  test("has the given address, an address made of the title, or is absent", () => {
    expect(readPage("night-herons")).toEqual({ value: { slug: "night-herons" } });
    expect(readPage("yes")).toEqual({ value: "by_title" });
    expect(readPage("No")).toEqual({ value: "none" });
    for (const bad of ["Night", "a", "-herons", "night--herons", "a/b", "x".repeat(65)]) {
      expect(readPage(bad), bad).toHaveProperty("problem");
    }
  });

  test("has a valid address, whatever the title is", () => {
    const title = fc.string({ unit: "grapheme", maxLength: 256 });
    fc.assert(
      fc.property(title, fc.nat(4_294_967_295), (text, number) => {
        expect(readPage(slugOf(text, number))).toEqual({ value: { slug: slugOf(text, number) } });
      }),
      {
        examples: [
          ["", 0],
          ["Éclairs du Nuit!", 7],
          ["夜鷺", 3],
          ["x".repeat(256), 4_294_967_295],
        ],
      },
    );
    expect(slugOf("Éclairs du Nuit!", 7)).toBe("eclairs-du-nuit-7");
  });
});

const COLLECTION = { uuid: "c", title: "Night Herons", number: 4 };
const MISSING: Reply = { status: 404, body: { code: "not_found", message: "There is no page." } };

async function shown(wanted: WantedPage, reply: (request: Seen) => Reply) {
  await using service = await scriptedService(reply);
  const client = new MintageClient({ baseUrl: service.url, apiKey: "mk_live_test", retry: { retries: 0 } });
  const outcome = await showPage(client, COLLECTION, wanted).catch((error: unknown) => error);
  return { outcome, seen: service.seen };
}

describe("publishing the page", () => {
  test("creates it if the collection has none, and leaves an existing one unchanged", async () => {
    const page = { slug: "night-herons-4", mint_url: "http://a/m/night-herons-4" };
    const fresh = await shown("by_title", ({ method }) =>
      method === "GET" ? MISSING : { status: 200, body: page },
    );
    expect(fresh.outcome).toEqual(page);
    expect(fresh.seen[1]).toMatchObject({ method: "PUT", path: "/api/v1/collection/c/page" });
    expect(JSON.parse(fresh.seen[1]?.body ?? "")).toEqual({ slug: "night-herons-4", enabled: true });
    for (const wanted of ["by_title", { slug: "night-herons-4" }] as const) {
      const again = await shown(wanted, () => ({ status: 200, body: page }));
      expect(again.outcome).toEqual(page);
      expect(again.seen.map(({ method }) => method)).toEqual(["GET"]);
    }
    const moved = await shown({ slug: "other" }, () => ({ status: 200, body: page }));
    expect(moved.outcome).toBeInstanceOf(UsageError);
    expect((moved.outcome as Error).message).toContain("pages are at night-herons-4, not at other.");
  });

  test("sends no request if collection.yaml asks for no page", async () => {
    expect(await shown("none", () => "drop")).toEqual({ outcome: null, seen: [] });
  });

  test("reports what to do if another page has the address", async () => {
    const taken = { code: "conflict", message: "Choose another slug." };
    const { outcome } = await shown({ slug: "herons" }, ({ method }) =>
      method === "GET" ? MISSING : { status: 409, body: taken },
    );
    expect(outcome).toBeInstanceOf(UsageError);
    expect((outcome as Error).message).toContain("such as page: herons-2, and run it again");
  });
});
