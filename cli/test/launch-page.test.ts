import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MintageClient } from "../../client/src/index.ts";
import { type Reply, type Seen, scriptedService } from "../../client/test/scripted-service.ts";
import { UsageError } from "../command.ts";
import { showPage, slugOf } from "../launch/page.ts";
import { type PageSettings, readPage, type WantedPage } from "../launch/page-settings.ts";

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

const COLLECTION = { uuid: "c", draftUuid: "d", title: "Night Herons", number: 4 };
const PLAIN: PageSettings = { accent: null, cover: null, creator: null, about: null, links: null };
const MISSING: Reply = { status: 404, body: { code: "not_found", message: "There is no page." } };

async function shown(wanted: WantedPage, reply: (request: Seen) => Reply, settings = PLAIN) {
  await using service = await scriptedService(reply);
  const client = new MintageClient({ baseUrl: service.url, apiKey: "mk_live_test", retry: { retries: 0 } });
  const outcome = await showPage(client, COLLECTION, wanted, settings).catch((error: unknown) => error);
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

  test("sends what the folder says beside the address, and again only what has changed", async () => {
    const picture = new TextEncoder().encode("a picture");
    const settings: PageSettings = {
      accent: "#1f6f54",
      cover: "2.png",
      creator: { name: "Ada", url: "https://example.com/ada", picture },
      about: "**Herons**",
      links: [{ label: "Shop", url: "https://example.com" }],
    };
    const assets = [1, 2].map((number) => ({ asset_uuid: `a${number}`, asset_filename: `${number}.png` }));
    const page = {
      slug: "herons",
      enabled: false,
      theme: { accent: "#1f6f54" },
      cover_asset_uuid: "a2",
      about: "**Herons**",
      links: settings.links,
      // The first 16 digits of the picture's SHA-256.
      creator: {
        name: "Ada",
        url: "https://example.com/ada",
        picture_url: `https://a/public/v1/creator/herons/${createHash("sha256").update(picture).digest("hex").slice(0, 16)}`,
      },
    };
    const answer =
      (there: object | null) =>
      ({ method, path }: Seen): Reply => {
        if (path.includes("/asset")) return { status: 200, body: assets };
        if (method === "PUT") return { status: 200, body: page };
        return there === null ? MISSING : { status: 200, body: there };
      };
    const sent = async (there: object | null) => {
      const { seen } = await shown({ slug: "herons" }, answer(there), settings);
      return seen.filter(({ method }) => method === "PUT").map(({ body }) => JSON.parse(body) as object);
    };
    const body = {
      slug: "herons",
      theme: page.theme,
      cover_asset_uuid: "a2",
      creator: {
        name: "Ada",
        url: "https://example.com/ada",
        picture: Buffer.from(picture).toString("base64"),
      },
      about: "**Herons**",
      links: settings.links,
    };
    expect(await sent(null)).toEqual([{ ...body, enabled: true }]);
    expect(await sent(page)).toEqual([]);
    // A page that was taken away stays so.
    for (const changed of [
      { about: "Herons" },
      { links: [] },
      { theme: null },
      { creator: null },
      { creator: { ...page.creator, picture_url: null } },
    ])
      expect(await sent({ ...page, ...changed }), JSON.stringify(changed)).toEqual([
        { ...body, enabled: false },
      ]);
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
