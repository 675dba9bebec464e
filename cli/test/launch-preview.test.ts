import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { picture } from "../../testing/pictures.ts";
import { checkFolder } from "../launch/folder.ts";
import { servePreview } from "../launch/preview.ts";

const SETTINGS = `title: Night Herons
description: Painted after dark.
copies: 3
subtitle: "#$TOKEN_NUM of $TOTAL_NUM"
phases:
  public: { price: 2, starts: "2040-01-01 18:00 UTC", per_account: 5 }
royalties:
  resales: { ada.near: 5% }
page:
  address: night-herons
  accent: "#AA00FF"
  cover: 2.png
  creator:
    name: Ada <Heron>
    url: https://example.com/ada
    picture: page/ada.png
  about: page/about.md
  links:
    Shop: https://example.com/shop
`;

const folder = join(mkdtempSync(join(tmpdir(), "mintage-preview-")), "herons");
const write = (name: string, content: string | Uint8Array) => writeFileSync(join(folder, name), content);
beforeEach(() => {
  mkdirSync(join(folder, "page"), { recursive: true });
  write("collection.yaml", SETTINGS);
  write("page/ada.png", picture("png", 9));
  write("page/about.md", "# Why\n\nHerons **wait**.\n");
  for (const number of [1, 2]) {
    write(`${number}.png`, picture("png", number));
    write(`${number}.json`, JSON.stringify({ attributes: [{ trait_type: "Sky", value: `Sky ${number}` }] }));
  }
});
afterEach(() => rmSync(folder, { recursive: true }));
afterAll(() => rmSync(join(folder, ".."), { recursive: true }));

describe("page of collection.yaml", () => {
  test("has fields in place of an address; files of page/ are no NFTs and are not left out", async () => {
    const { file, page, plan, leftOut } = await checkFolder(folder);
    expect(file.page).toEqual({ slug: "night-herons" });
    expect(page).toEqual({
      accent: "#aa00ff",
      cover: "2.png",
      creator: { name: "Ada <Heron>", url: "https://example.com/ada", picture: expect.any(Uint8Array) },
      about: "# Why\n\nHerons **wait**.",
      links: [{ label: "Shop", url: "https://example.com/shop" }],
    });
    // WebP, small enough for the service.
    const bytes = Buffer.from(page.creator!.picture!);
    expect(bytes.toString("latin1", 8, 12)).toBe("WEBP");
    expect(bytes.length).toBeLessThan(32_768);
    expect(plan.assets).toHaveLength(2);
    expect(leftOut).toEqual([]);
  });

  test("takes its text from a file in page/ only", async () => {
    write("about.md", "Outside.");
    for (const path of [
      "about.md",
      "../herons/about.md",
      "page/../about.md",
      "/etc/motd.md",
      "page\\\\a.md",
    ]) {
      write("collection.yaml", SETTINGS.replace("page/about.md", path));
      await expect(checkFolder(folder), path).rejects.toThrow(
        "yaml:17 page.about: name a file in the folder's page/, such as page/about.md",
      );
    }
    write("collection.yaml", SETTINGS.replace("page/about.md", "More is in README.md"));
    expect((await checkFolder(folder)).page.about).toBe("More is in README.md");
  });

  test("names each mistake with its line and field", async () => {
    write(
      "collection.yaml",
      "title: H\npage:\n  adress: x\n  accent: green\n  creator: { url: http://a, picture: ada.png }\n  links: { Shop: shop }\n",
    );
    const problems = [
      /yaml:3 page\.adress: there is no such field; known are address/,
      /yaml:4 page\.accent: give a colour in quotes/,
      /yaml:5 page\.creator\.name: missing/,
      /yaml:5 page\.creator\.url: give a complete https address/,
      /yaml:5 page\.creator\.picture: name a picture in the folder's page\//,
      /yaml:6 page\.links\.Shop: give a complete https address/,
    ];
    for (const problem of problems) await expect(checkFolder(folder)).rejects.toThrow(problem);
    write("collection.yaml", SETTINGS.replace("2.png", "3.png").replace("about.md", "missing.md"));
    await expect(checkFolder(folder)).rejects.toThrow(
      /page: there is no file page\/missing\.md in the folder\.\n\s*page\.cover: there is no media file 3\.png/,
    );
    write("collection.yaml", SETTINGS);
    write("page/about.md", "x".repeat(4_001));
    await expect(checkFolder(folder)).rejects.toThrow(
      "page/about.md: use at most 4000 characters; there are 4001",
    );
    // Each file is named, one problem hides no other.
    write("page/about.md", "*".repeat(501));
    write("page/ada.png", picture("png", 9).subarray(0, 40));
    write("collection.yaml", SETTINGS.replace("2.png", "3.png"));
    await expect(checkFolder(folder)).rejects.toThrow(
      /page\/about\.md: use at most 500 asterisks and underscores; there are 501\.\n\s*page\/ada\.png: the picture can't be decoded \([^\n]+\)\. Export it again\.\n\s*page\.cover: there/,
    );
  });
});

/** Asks as no browser does: with any path and name of the host. */
const ask = (address: string, path: string, host?: string): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    const { port } = new URL(address);
    const headers = host === undefined ? {} : { Host: host };
    get({ host: "127.0.0.1", port, path, headers, setHost: host === undefined }, async (answer) => {
      const chunks: Buffer[] = [];
      for await (const chunk of answer) chunks.push(chunk as Buffer);
      resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString() });
    }).on("error", reject);
  });

describe("a preview", () => {
  let address: string;
  let close: () => void;
  // Bundles the pages, which a busy machine takes a while for.
  beforeAll(async () => {
    const served = await servePreview(folder);
    address = served.address;
    close = () => served.server.close();
  }, 120_000);
  afterAll(() => close());

  test("shows mint page, gallery and NFTs of a folder as it is then, and says what is wrong with it", async () => {
    const read = async (path: string, status = 200) => {
      const answer = await fetch(`${address}${path}`);
      expect(answer.status, path).toBe(status);
      return answer.text();
    };
    const mint = await read("/");
    expect(mint).toMatch(/This is a preview\. Nothing here is worth anything\./);
    expect(mint).toMatch(
      /<h1 dir="auto">Night Herons<\/h1>.*Ada &lt;Heron&gt;.*0 of 6 minted, 6 left\..*2 NEAR/s,
    );
    expect(mint).toMatch(/Opens <time datetime="2040-01-01T18:00:00\.000Z">/);
    expect(mint).toContain('<h3 dir="auto">Why</h3>\n<p dir="auto">Herons <strong>wait</strong>.</p>');
    expect(mint).toContain("5 % to ada.near");
    expect(mint).toContain('<a href="https://example.com/shop"');
    expect(mint).toContain("--accent: #aa00ff");
    const cover = /<img class="picture" src="([^"]+)" alt="Cover of/.exec(mint)?.[1] ?? "";
    expect(Buffer.from(await (await fetch(cover)).arrayBuffer())).toEqual(Buffer.from(picture("png", 2)));
    expect((await fetch(`${address}/creator`)).headers.get("Content-Type")).toBe("image/webp");
    expect(await read("/g/preview")).toMatch(/No\. 1<.*No\. 2</s);
    expect(await read("/g/preview/2")).toMatch(/No\. 2 of 6.*Sky<\/bdi>.*Sky 2<\/bdi>.*50 %/s);
    await read("/g/preview/3", 404);
    await read("/file/2", 404);
    // What changes meanwhile is there at once.
    write(
      "collection.yaml",
      `${SETTINGS.replace("Night Herons", "Day Herons")}reveal: 2040-02-01 18:00 UTC\n`,
    );
    expect(await read("/m/preview", 400)).toContain("add placeholder.png");
    write("placeholder.png", picture("png", 7));
    expect(await read("/g/preview")).toMatch(/Day Herons.*Hidden until/s);
    expect(await read("/g/preview/1")).not.toMatch(/Traits|Rarity/);
  });

  test("continues after an invalid address and after a file is removed", async () => {
    expect((await fetch(`${address}/m/preview`)).status).toBe(200);
    expect(await ask(address, "//")).toEqual({ status: 500, body: expect.stringContaining("Invalid URL") });
    rmSync(join(folder, "2.png"));
    expect(await ask(address, "/file/1")).toEqual({ status: 500, body: expect.stringContaining("ENOENT") });
    expect((await fetch(`${address}/file/0`)).status).toBe(200);
  });

  test("answers only under this machine's own names, and lets pages do no more than they need", async () => {
    const { port } = new URL(address);
    for (const host of [`herons.example:${port}`, "127.0.0.1", "localhost:1", `localhost.:${port}`]) {
      const { status, body } = await ask(address, "/file/0", host);
      expect([status, body], host).toEqual([403, `Open ${address}/m/preview.`]);
    }
    const named = await ask(address, "/m/preview", `localhost:${port}`);
    expect(named).toEqual({ status: 200, body: expect.stringContaining(`http://localhost:${port}/file/1`) });
    for (const path of ["/m/preview", "/g/preview", "/g/preview/1"]) {
      const answer = await fetch(`${address}${path}`);
      expect(answer.headers.get("X-Content-Type-Options")).toBe("nosniff");
      const policy = answer.headers.get("Content-Security-Policy") ?? "";
      expect(policy).toMatch(/^default-src 'none'; style-src 'nonce-preview';/);
      const page = await answer.text();
      const styles = page.match(/<style[^>]*>/g) ?? [];
      expect(new Set(styles)).toEqual(new Set(['<style nonce="preview">']));
      // What the policy would forbid.
      expect(page).not.toMatch(/<script|<[^>]* style=/);
    }
    expect((await fetch(`${address}/file/0`)).headers.get("X-Content-Type-Options")).toBe("nosniff");
  });

  test("checks the folder for each page, and not for each of a page's pictures", async () => {
    expect((await fetch(`${address}/m/preview`)).status).toBe(200);
    write("1.png", picture("png", 1).subarray(0, 40));
    expect((await fetch(`${address}/m/preview`)).status).toBe(400);
    for (const path of ["/file/1", "/creator"]) expect((await fetch(`${address}${path}`)).status).toBe(200);
  });
});
