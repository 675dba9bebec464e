import { expect, test } from "vitest";
import { api, BASE, bodyOf } from "../support/api.ts";

/** The documents beside the reference, and their lists for language models. */

/** Names and titles of docs/*.md. */
const DOCUMENTS = import.meta.glob<string>("../../docs/*.md", {
  query: "?raw",
  import: "default",
  eager: true,
});
const names = Object.keys(DOCUMENTS).map((path) => path.split("/").at(-1)!);

/** Links to files beside docs/, which aren't served: only their texts are. */
const BESIDE = /\]\(\.\.\//;

test("each document of docs/ is served with working links, and no other file is", async () => {
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) {
    const answer = await api(`/docs/${name}`);
    expect(answer.headers.get("content-type")).toMatch(/^text\/markdown(;|$)/);
    expect(answer.headers.get("cache-control")).toBe("public, max-age=3600");
    const lines = (await answer.text()).split("\n");
    const written = DOCUMENTS[`../../docs/${name}`]!.split("\n");
    expect(lines.filter((_, index) => !BESIDE.test(written[index] ?? ""))).toEqual(
      written.filter((line) => !BESIDE.test(line)),
    );
    expect(lines.filter((line) => BESIDE.test(line))).toEqual([]);
  }
  const again = await api("/docs/api.md");
  await again.body?.cancel();
  const etag = again.headers.get("etag")!;
  expect((await api("/docs/api.md", { headers: { "if-none-match": etag } })).status).toBe(304);
  const script = await api("/docs/reference.js");
  expect([script.status, script.headers.get("content-type")]).toEqual([
    200,
    "text/javascript; charset=utf-8",
  ]);
  await script.body?.cancel();
  const shown = await api("/docs/images/reference.png");
  expect([shown.status, shown.headers.get("content-type")]).toEqual([200, "image/png"]);
  await shown.body?.cancel();
  for (const path of [
    "/docs/none.md",
    "/docs/../wrangler.toml",
    "/docs/%2e%2e/package.json",
    "/docs/%2e%2e%2fpackage.json",
  ]) {
    expect(await bodyOf(await api(path), 404)).toMatchObject({ code: "not_found" });
  }
});

test("/llms.txt lists every document with its address, and /llms-full.txt contains those for users", async () => {
  const answer = await api("/llms.txt");
  expect(answer.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
  const text = await answer.text();
  expect(text).toMatch(/^# Mintage\n\n> /);
  const listed = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, address]) => address);
  expect(listed.sort()).toEqual(names.map((name) => `${BASE}/docs/${name}`).sort());
  const full = await (await api("/llms-full.txt", { headers: { range: "bytes=0-9" } })).text();
  const [users] = text.split("## Optional");
  for (const name of names) {
    const [title] = (await (await api(`/docs/${name}`)).text()).split("\n", 1);
    expect(full.split("\n").includes(title!)).toBe(users!.includes(`/docs/${name})`));
  }
});

test("every link of /llms-full.txt is an address that answers", async () => {
  const full = await (await api("/llms-full.txt")).text();
  const targets = [...full.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!.split("#", 1)[0]!);
  const own = [...new Set(targets)].filter((target) => target !== "" && !target.startsWith("https://"));
  expect(own.length).toBeGreaterThan(5);
  for (const target of own) {
    expect(target.startsWith(`${BASE}/`), target).toBe(true);
    const answer = await api(target.slice(BASE.length));
    await answer.body?.cancel();
    expect(answer.status, target).toBe(200);
  }
});
