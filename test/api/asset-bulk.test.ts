import { describe, expect, test, vi } from "vitest";
import type { CollectionDraftAsset } from "../../client/src/index.ts";
import { picture } from "../../testing/pictures.ts";
import { bodyOf } from "../support/api.ts";
import { killAt, observeCheckpoints } from "../support/operations.ts";
import {
  attach,
  env,
  fileRows,
  formOf,
  newTenant,
  send,
  setDraftState,
  type Tenant,
  uploadPath,
  usage,
} from "../support/uploads.ts";

const MB = 1_048_576;

interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly issues?: { path: (string | number)[]; message: string }[];
}

const sha256 = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
  Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");

/** All assets of a tenant's draft. */
const assetsOf = async ({ draftId, key }: Tenant): Promise<CollectionDraftAsset[]> => {
  const assets: CollectionDraftAsset[] = [];
  for (let path: string | undefined = `/api/v1/collection-draft/${draftId}/asset`; path !== undefined; ) {
    const page: Response = await send(path, { key });
    assets.push(...(await bodyOf<CollectionDraftAsset[]>(page, 200)));
    const next = /<([^>]+)>; rel="next"/.exec(page.headers.get("Link") ?? "")?.[1];
    path = next && new URL(next).pathname + new URL(next).search;
  }
  return assets;
};

async function refused(tenant: Tenant, form: FormData, status: number): Promise<ErrorBody> {
  const error = await bodyOf<ErrorBody>(await attach(tenant, form), status);
  expect(await assetsOf(tenant)).toEqual([]);
  return error;
}

/** An upload that waits after its first bytes. */
function paused({ draftId, key }: Tenant, body: FormData, headers: Record<string, string> = {}) {
  const request = new Request("http://form.test", { method: "POST", body });
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const encoded = request.arrayBuffer().then((buffer) => new Uint8Array(buffer));
  const contentType = request.headers.get("Content-Type") ?? "";
  const answer = send(uploadPath(draftId), {
    method: "POST",
    key,
    headers: { ...headers, "Content-Type": contentType },
    body: readable,
  });
  return {
    begin: async () => writer.write((await encoded).subarray(0, 100)),
    finish: async () => {
      await writer.write((await encoded).subarray(100));
      await writer.close();
      return answer;
    },
  };
}

const paths = (error: ErrorBody): string[] => (error.issues ?? []).map(({ path }) => path.join("/")).sort();

describe("an upload of assets", () => {
  test("attaches files, references and details, in any order of parts", async () => {
    for (const detailsFirst of [true, false]) {
      const tenant = await newTenant();
      const files = [
        { name: "b.gif", bytes: picture("gif", 2) },
        { name: "a.png", bytes: picture("png", 1) },
        { name: "a.json", bytes: '{"attributes":[]}', part: "reference_file" },
        { name: "c.jpg", bytes: picture("jpeg", 3) },
        { name: "d.webp", bytes: picture("webp", 4) },
      ];
      const details = [
        { asset_filename: "a.png", copies: 3, reference_filename: "a.json", asset_subtitle: "#$TOKEN_NUM" },
        { asset_filename: "b.gif", copies: 1 },
        { asset_filename: "c.jpg", copies: 2, reference_filename: null },
        { asset_filename: "d.webp", copies: 4 },
      ];
      const assets = await bodyOf<CollectionDraftAsset[]>(
        await attach(tenant, formOf(details, files, detailsFirst)),
        201,
      );
      expect(
        assets.map(({ position, asset_filename, copies }) => [position, asset_filename, copies]),
      ).toEqual([
        [0, "a.png", 3],
        [1, "b.gif", 1],
        [2, "c.jpg", 2],
        [3, "d.webp", 4],
      ]);
      expect(assets[0]).toMatchObject({
        collection_draft_uuid: tenant.draftId,
        asset_size: picture("png", 1).length,
        asset_media_type: "image/png",
        reference_filename: "a.json",
        reference_size: 17,
        asset_subtitle: "#$TOKEN_NUM",
      });
      expect(assets.map(({ asset_media_type }) => asset_media_type)).toEqual([
        "image/png",
        "image/gif",
        "image/jpeg",
        "image/webp",
      ]);
      const served = await send(new URL(assets[0]?.asset_url ?? "").pathname);
      expect(new Uint8Array(await served.arrayBuffer())).toEqual(picture("png", 1));
      const listed = await send(`/api/v1/collection-draft/${tenant.draftId}/asset`, { key: tenant.key });
      expect(await bodyOf(listed, 200)).toEqual(assets);
    }
  });

  test("adds up over several forms, and stores the same bytes once", async () => {
    const tenant = await newTenant();
    const bytes = picture("png", 77);
    for (const name of ["1.png", "2.png"]) {
      await bodyOf(
        await attach(tenant, formOf([{ asset_filename: name, copies: 1 }], [{ name, bytes }])),
        201,
      );
    }
    const rows = await assetsOf(tenant);
    expect(rows.map(({ position, asset_filename: name }) => [position, name])).toEqual([
      [0, "1.png"],
      [1, "2.png"],
    ]);
    expect(rows[0]?.asset_cid).toEqual(rows[1]?.asset_cid);
  });

  test("lets several details use one file", async () => {
    const tenant = await newTenant();
    const details = [
      { asset_filename: "a.png", copies: 1, asset_subtitle: "one" },
      { asset_filename: "a.png", copies: 1, asset_subtitle: "two" },
    ];
    const form = formOf(details, [{ name: "a.png", bytes: picture("png", 5) }]);
    const assets = await bodyOf<CollectionDraftAsset[]>(await attach(tenant, form), 201);
    expect(assets.map(({ asset_subtitle }) => asset_subtitle)).toEqual(["one", "two"]);
  });

  test("accepts a file of exactly 1 MB, and rejects one byte more, naming the file", async () => {
    const tenant = await newTenant();
    const detail = [{ asset_filename: "big.png", copies: 1 }];
    const error = await refused(
      tenant,
      formOf(detail, [{ name: "big.png", bytes: picture("png", 1, MB + 1) }]),
      413,
    );
    expect(error.code).toBe("file_too_large");
    expect(paths(error)).toEqual(["asset_file/big.png"]);
    await bodyOf(
      await attach(tenant, formOf(detail, [{ name: "big.png", bytes: picture("png", 1, MB) }])),
      201,
    );
  });

  test("returns 415 if every problem is a file's type", async () => {
    const files = [
      { name: "a.png", bytes: "not a picture" },
      { name: "b.png", bytes: "<svg/>" },
    ];
    const details = files.map(({ name }) => ({ asset_filename: name, copies: 1 }));
    const error = await refused(await newTenant(), formOf(details, files), 415);
    expect(error.code).toBe("unsupported_media");
    expect(paths(error)).toEqual(["asset_file/a.png", "asset_file/b.png"]);
  });

  test("reports all problems of a form together as 400", async () => {
    const files = [
      { name: "large.png", bytes: picture("png", 1, MB + 1) },
      { name: "text.png", bytes: "hello" },
      { name: "empty.png", bytes: "" },
      { name: "twice.png", bytes: picture("png", 2) },
      { name: "twice.png", bytes: picture("png", 3) },
      { name: "unused.png", bytes: picture("png", 4) },
      { name: "list.json", bytes: "[]", part: "reference_file" },
      { name: "broken.json", bytes: "{", part: "reference_file" },
      { name: "ok.json", bytes: "{}", part: "reference_file" },
      { name: "x.png", bytes: picture("png", 5), part: "asset_fil" },
    ];
    const details = [
      { asset_filename: "large.png", copies: 1 },
      { asset_filename: "text.png", copies: 0 },
      { asset_filename: "empty.png", copies: 1.5, reference_filename: "list.json" },
      { asset_filename: "twice.png", copies: 1, reference_filename: "broken.json", typo: true },
      { asset_filename: "missing.png", copies: 1, reference_filename: "missing.json" },
      { asset_filename: "ok.json", copies: 1, asset_subtitle: "x".repeat(257) },
      { asset_filename: "ok.json", copies: 1, reference_filename: "twice.png" },
      "no object",
    ];
    const error = await refused(await newTenant(), formOf(details, files), 400);
    expect(error.code).toBe("invalid_assets");
    expect(paths(error)).toEqual(
      [
        "asset_fil",
        "asset_file/empty.png",
        "asset_file/large.png",
        "asset_file/text.png",
        "asset_file/twice.png",
        "asset_file/unused.png",
        "assets_detail/1/copies",
        "assets_detail/2/copies",
        "assets_detail/3/typo",
        "assets_detail/4/asset_filename",
        "assets_detail/4/reference_filename",
        "assets_detail/5/asset_subtitle",
        "assets_detail/6/asset_filename",
        "assets_detail/6/reference_filename",
        "assets_detail/7",
        "reference_file/broken.json",
        "reference_file/list.json",
      ].sort(),
    );
    expect(error.message).toMatch(/^Nothing was stored\./);
  });

  test("refuses a second placeholder, also with other files between the two", async () => {
    const part = "asset_placeholder";
    const files = [
      { name: "one.png", bytes: picture("png", 1), part },
      { name: "a.png", bytes: picture("png", 2) },
      { name: "two.png", bytes: picture("png", 3), part },
    ];
    const form = formOf([{ asset_filename: "a.png", copies: 1 }], files);
    const error = await refused(await newTenant(), form, 400);
    expect(error.code).toBe("invalid_assets");
    expect(paths(error)).toContain("asset_placeholder/two.png");
  });

  test.each([
    ["no assets_detail", undefined, "assets_detail"],
    ["an empty assets_detail", [], "assets_detail"],
    ["assets_detail that is no JSON", "{", "assets_detail"],
    ["assets_detail that is no array", {}, "assets_detail"],
    ["a file that is missing", [{ asset_filename: "b.png", copies: 1 }], "assets_detail/0/asset_filename"],
  ])("refuses %s", async (_, details, path) => {
    const error = await refused(
      await newTenant(),
      formOf(details, [{ name: "a.png", bytes: picture("png", 9) }]),
      400,
    );
    expect(paths(error)).toContain(path);
  });

  test.each([
    "../a.png",
    "a/b.png",
    "C:\\a.png",
    "..",
    ".",
    "a\u0000.png",
    "a\tb.png",
    `${"é".repeat(128)}.png`,
  ])("refuses the file name %j", async (name) => {
    const details = [{ asset_filename: name, copies: 1 }];
    const error = await refused(
      await newTenant(),
      formOf(details, [{ name, bytes: picture("png", 9) }]),
      400,
    );
    expect(paths(error)).toContain(`asset_file/${name}`);
  });

  test("refuses a body above 100 MB, declared or not", async () => {
    const tenant = await newTenant();
    const declared = await send(uploadPath(tenant.draftId), {
      method: "POST",
      key: tenant.key,
      headers: { "Content-Type": "multipart/form-data; boundary=x", "Content-Length": String(100 * MB + 1) },
      body: "x",
    });
    expect((await bodyOf<ErrorBody>(declared, 413)).code).toBe("payload_too_large");
    const chunk = new Uint8Array(MB);
    let sent = 0;
    const endless = new ReadableStream({
      type: "bytes",
      pull: (controller) => {
        sent += chunk.length;
        controller.enqueue(chunk.slice());
      },
    });
    const head = '--x\r\nContent-Disposition: form-data; name="asset_file"; filename="a.png"\r\n\r\n';
    const { readable, writable } = new TransformStream();
    const writing = (async () => {
      const writer = writable.getWriter();
      await writer.write(new TextEncoder().encode(head));
      writer.releaseLock();
      await endless.pipeTo(writable);
    })().catch(() => undefined);
    const streamed = await send(uploadPath(tenant.draftId), {
      method: "POST",
      key: tenant.key,
      headers: { "Content-Type": "multipart/form-data; boundary=x" },
      body: readable,
    });
    expect((await bodyOf<ErrorBody>(streamed, 413)).code).toBe("payload_too_large");
    await writing;
    expect(sent).toBeLessThan(110 * MB);
  });

  test("refuses assets_detail above 8 MB", async () => {
    const details = JSON.stringify([{ asset_filename: "a".repeat(8 * MB), copies: 1 }]);
    const error = await refused(await newTenant(), formOf(details, []), 413);
    expect(error).toMatchObject({ code: "payload_too_large", issues: [{ path: ["assets_detail"] }] });
  });

  test.each([
    ["application/json", "{}", 415, "unsupported_content_type"],
    ["multipart/form-data", "x", 400, "invalid_multipart"],
    ["multipart/form-data; boundary=a", "x", 400, "invalid_multipart"],
    ["multipart/form-data; boundary=a", undefined, 400, "invalid_multipart"],
    ["multipart/form-data; boundary=a", "--a\r\nContent-Disp", 400, "invalid_multipart"],
    // A parser that backtracks takes seconds for this, and minutes for a few more characters.
    [
      "multipart/form-data; boundary=a",
      `--a\r\nContent-Disposition: form-data; name="${"\\".repeat(8_000)}\r\n\r\nx\r\n--a--`,
      400,
      "invalid_multipart",
    ],
  ])("refuses the content type %s with the body %j", async (type, body, status, code) => {
    const { draftId, key } = await newTenant();
    const headers = { "Content-Type": type };
    const answer = await send(uploadPath(draftId), { method: "POST", key, headers, body });
    expect((await bodyOf<ErrorBody>(answer, status)).code).toBe(code);
  });

  test("rejects drafts of other integrations, unknown drafts and those being finalized", async () => {
    const [mine, other] = [await newTenant(), await newTenant()];
    const form = () =>
      formOf([{ asset_filename: "a.png", copies: 1 }], [{ name: "a.png", bytes: picture("png", 1) }]);
    await bodyOf(await attach({ ...mine, draftId: other.draftId }, form()), 404);
    await bodyOf(await attach({ ...mine, draftId: mine.contractId }, form()), 404);
    await setDraftState(mine.draftId, "finalizing");
    expect((await bodyOf<ErrorBody>(await attach(mine, form()), 409)).code).toBe("draft_locked");
  });

  test("rejects the form and stores nothing if the finalization begins during the upload", async () => {
    const tenant = await newTenant();
    const form = formOf(
      [{ asset_filename: "late.png", copies: 1 }],
      [{ name: "late.png", bytes: picture("png", 31) }],
    );
    const upload = paused(tenant, form);
    await upload.begin();
    await setDraftState(tenant.draftId, "finalizing");
    const answer = upload.finish();
    expect((await bodyOf<ErrorBody>(await answer, 409)).code).toBe("draft_locked");
    const digest = Buffer.from(await sha256(picture("png", 31)), "hex");
    const row = (await fileRows()).find((file) => digest.equals(file.sha256));
    expect(row?.going).toBe("marked");
  });

  test("attaches thousands of files within the limits of D1 and of connections", async () => {
    const tenant = await newTenant();
    const count = 3000;
    const details = Array.from({ length: count }, (_, index) => ({
      asset_filename: `${index}.png`,
      copies: 1,
      reference_filename: `${index}.json`,
      asset_subtitle: `${"long subtitle ".repeat(15)}${index}`,
    }));
    const files = details.flatMap((_, index) => [
      { name: `${index}.png`, bytes: picture("png", 100_000 + index) },
      { name: `${index}.json`, bytes: `{"n":${index}}`, part: "reference_file" },
    ]);
    usage.most = 0;
    const assets = await bodyOf<CollectionDraftAsset[]>(await attach(tenant, formOf(details, files)), 201);
    expect(assets.map(({ position }) => position)).toEqual(details.map((_, index) => index));
    expect(usage.most).toBeLessThanOrEqual(6);
    const rows = await assetsOf(tenant);
    expect(rows.map(({ asset_uuid }) => asset_uuid)).toEqual(assets.map(({ asset_uuid }) => asset_uuid));
    expect(rows.at(-1)?.asset_filename).toBe(`${count - 1}.png`);
  });

  test("refuses the 20,001st file", async () => {
    const files = Array.from({ length: 20_001 }, (_, index) => ({ name: `${index}`, bytes: "x" }));
    const error = await refused(await newTenant(), formOf([], files), 413);
    expect(error).toMatchObject({
      code: "payload_too_large",
      message: expect.stringContaining("20000 files"),
    });
  });
});

describe("an upload of assets with an Idempotency-Key", () => {
  const details = [{ asset_filename: "a.png", copies: 2 }];
  const form = (seed = 1) => formOf(details, [{ name: "a.png", bytes: picture("png", seed) }]);
  const withKey = (tenant: Tenant, body: FormData, key = "k") =>
    send(uploadPath(tenant.draftId), {
      method: "POST",
      body,
      key: tenant.key,
      headers: { "Idempotency-Key": key },
    });

  test("has its effect once, and returns the same answer after the draft was locked", async () => {
    const tenant = await newTenant();
    const first = await bodyOf<CollectionDraftAsset[]>(await withKey(tenant, form()), 201);
    for (const state of ["draft", "finalizing"] as const) {
      await setDraftState(tenant.draftId, state);
      const again = await withKey(tenant, form());
      expect(again.headers.get("Idempotency-Replayed")).toBe("true");
      expect(await bodyOf(again, 201)).toEqual(first);
    }
    expect((await bodyOf<ErrorBody>(await withKey(tenant, form(2)), 422)).code).toBe(
      "idempotency_key_reused",
    );
    expect((await bodyOf<ErrorBody>(await withKey(tenant, form(), "other"), 409)).code).toBe("draft_locked");
    expect(await assetsOf(tenant)).toHaveLength(1);
  });

  test("has its effect once if the Worker stops between attaching and responding", async () => {
    const tenant = await newTenant();
    killAt("idempotency.before_answer");
    await withKey(tenant, form()).then(
      (lost) => lost.body?.cancel(),
      () => undefined,
    );
    observeCheckpoints(null);
    const again = await withKey(tenant, form());
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    expect(await bodyOf<CollectionDraftAsset[]>(again, 201)).toHaveLength(1);
    expect(await assetsOf(tenant)).toHaveLength(1);
  });

  test("has its effect once if it is repeated during the first upload, and both get the response", async () => {
    const tenant = await newTenant();
    const first = paused(tenant, form(), { "Idempotency-Key": "k" });
    await first.begin();
    const second = await bodyOf<CollectionDraftAsset[]>(await withKey(tenant, form()), 201);
    expect(await bodyOf<CollectionDraftAsset[]>(await first.finish(), 201)).toEqual(second);
    expect(await assetsOf(tenant)).toHaveLength(1);
  });

  test("stores large responses in R2", async () => {
    const tenant = await newTenant();
    const many = Array.from({ length: 300 }, (_, index) => ({ ...details[0], asset_subtitle: `#${index}` }));
    const large = () => formOf(many, [{ name: "a.png", bytes: picture("png", 1) }]);
    const first = await bodyOf<CollectionDraftAsset[]>(await withKey(tenant, large()), 201);
    expect(first).toHaveLength(300);
    expect(await bodyOf(await withKey(tenant, large()), 201)).toEqual(first);
    expect((await env.BUCKET.list({ prefix: `response/${tenant.integrationId}/` })).objects).toHaveLength(1);
  });
});

test("assets of concurrent forms get different positions", async () => {
  const tenant = await newTenant();
  const answers: Response[] = [];
  // Six forms would use more connections than one Worker has, so each request has its own Worker.
  for (let turn = 0; turn < 3; turn++) {
    const both = [0, 1].map((index) => {
      const name = `${turn}-${index}.png`;
      const files = [{ name, bytes: picture("png", 500 + 2 * turn + index) }];
      return attach(tenant, formOf([{ asset_filename: name, copies: 1 }], files));
    });
    answers.push(...(await Promise.all(both)));
  }
  const positions: (number | undefined)[] = [];
  for (const answer of answers)
    positions.push((await bodyOf<CollectionDraftAsset[]>(answer, 201))[0]?.position);
  expect(positions.toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
  expect((await assetsOf(tenant)).map(({ position }) => position).sort()).toEqual([0, 1, 2, 3, 4, 5]);
});

describe("copies of all assets of a draft", () => {
  const MOST = 4_294_967_295;
  const formWith = (copies: number, name = "a.png") =>
    formOf([{ asset_filename: name, copies }], [{ name, bytes: picture("png", 1) }]);
  const message = (all: number) =>
    `The draft's assets would have ${all} copies; a collection has at most ${MOST}.`;

  test("are checked against a collection's maximum, together with other problems", async () => {
    const tenant = await newTenant();
    await bodyOf(await attach(tenant, formWith(MOST)), 201);
    const tooMany = { path: ["assets_detail"], message: message(MOST + 1) };
    const error = await bodyOf<ErrorBody>(await attach(tenant, formWith(1)), 400);
    expect(error).toMatchObject({ code: "invalid_assets", issues: [tooMany] });
    const wrong = formOf(
      [{ asset_filename: "b.png", copies: 1 }],
      [{ name: "a.png", bytes: picture("png", 1) }],
    );
    const both = await bodyOf<ErrorBody>(await attach(tenant, wrong), 400);
    expect(both.issues!.length).toBeGreaterThan(1);
    expect(both.issues!.at(-1)).toEqual(tooMany);
    expect(await assetsOf(tenant)).toHaveLength(1);
  });

  test("are counted when a form is attached, not when its upload begins", async () => {
    const tenant = await newTenant();
    const first = paused(tenant, formWith(MOST));
    await first.begin();
    const [small] = await bodyOf<CollectionDraftAsset[]>(await attach(tenant, formWith(7)), 201);
    const error = await bodyOf<ErrorBody>(await first.finish(), 400);
    expect(error.issues).toEqual([{ path: ["assets_detail"], message: message(MOST + 7) }]);
    expect(await assetsOf(tenant)).toHaveLength(1);
    const second = paused(tenant, formWith(MOST));
    await second.begin();
    const path = `/api/v1/collection-draft/${tenant.draftId}/asset/${small!.asset_uuid}`;
    expect((await send(path, { method: "DELETE", key: tenant.key })).status).toBe(204);
    expect(await bodyOf<CollectionDraftAsset[]>(await second.finish(), 201)).toMatchObject([
      { copies: MOST },
    ]);
  });

  test("don't prevent a repeated form from getting its response", async () => {
    const tenant = await newTenant();
    const upload = () =>
      send(uploadPath(tenant.draftId), {
        method: "POST",
        key: tenant.key,
        headers: { "Idempotency-Key": "all" },
        body: formWith(MOST),
      });
    const first = await bodyOf(await upload(), 201);
    const again = await upload();
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    expect(await bodyOf(again, 201)).toEqual(first);
  });
});

test("a form is rejected if its draft is locked before it is attached", async () => {
  const tenant = await newTenant();
  const form = () =>
    formOf([{ asset_filename: "a.png", copies: 1 }], [{ name: "a.png", bytes: picture("png", 1) }]);
  const headers = { "Idempotency-Key": "late" };
  const first = paused(tenant, form(), headers);
  await first.begin();
  await setDraftState(tenant.draftId, "finalizing");
  const refusal = await bodyOf<ErrorBody>(await first.finish(), 409);
  expect(refusal.code).toBe("draft_locked");
  const repeat = (body: FormData) =>
    send(uploadPath(tenant.draftId), { method: "POST", key: tenant.key, headers, body });
  expect(await bodyOf<ErrorBody>(await repeat(form()), 409)).toMatchObject({ code: "draft_locked" });
  expect(await assetsOf(tenant)).toEqual([]);
});

test("a form whose file isn't stored is refused, and can be sent again", async () => {
  const tenant = await newTenant();
  const form = () =>
    formOf([{ asset_filename: "a.png", copies: 1 }], [{ name: "a.png", bytes: picture("png", 12) }]);
  const put = vi
    .spyOn(env.BUCKET, "put")
    .mockRejectedValue(new Error("put: We encountered an internal error. Please try again. (10001)"));
  expect(await refused(tenant, form(), 503)).toMatchObject({ code: "database_unavailable" });
  put.mockRestore();
  await bodyOf(await attach(tenant, form()), 201);
});

test.each(["png", "jpeg", "gif", "webp"] as const)(
  "a %s that is cut off is refused by its name, and nothing is stored",
  async (format) => {
    const tenant = await newTenant();
    const whole = picture(format, 11, 2_000);
    const form = formOf(
      [
        { asset_filename: "whole", copies: 1 },
        { asset_filename: "cut", copies: 1 },
      ],
      [
        { name: "whole", bytes: whole },
        { name: "cut", bytes: whole.subarray(0, whole.length - 5) },
      ],
    );
    const body = await bodyOf<ErrorBody>(await attach(tenant, form), 400);
    expect(body).toMatchObject({ code: "invalid_assets" });
    expect(body.issues).toEqual([
      { path: ["asset_file", "cut"], message: expect.stringContaining("ends before") },
    ]);
    expect(await assetsOf(tenant)).toEqual([]);
  },
);

describe("a draft's assets", () => {
  test("are listed in order, and one can be deleted", async () => {
    const tenant = await newTenant();
    const names = ["a.png", "b.png", "c.png", "d.png", "e.png"];
    const form = formOf(
      names.map((asset_filename) => ({ asset_filename, copies: 1 })),
      names.map((name, index) => ({ name, bytes: picture("png", index) })),
    );
    const assets = await bodyOf<CollectionDraftAsset[]>(await attach(tenant, form), 201);
    const path = `/api/v1/collection-draft/${tenant.draftId}/asset`;
    const seen: string[] = [];
    let next: string | undefined = `${path}?limit=2`;
    while (next !== undefined) {
      const page: Response = await send(next, { key: tenant.key });
      seen.push(
        ...(await bodyOf<CollectionDraftAsset[]>(page, 200)).map(({ asset_filename }) => asset_filename),
      );
      const link = /<([^>]+)>; rel="next"/.exec(page.headers.get("Link") ?? "")?.[1];
      next = link && new URL(link).pathname + new URL(link).search;
    }
    expect(seen).toEqual(names);

    const gone = `${path}/${assets[1]?.asset_uuid}`;
    expect((await send(gone, { method: "DELETE", key: tenant.key })).status).toBe(204);
    await bodyOf(await send(gone, { method: "DELETE", key: tenant.key }), 404);
    const left = await bodyOf<CollectionDraftAsset[]>(await send(path, { key: tenant.key }), 200);
    expect(left.map(({ position }) => position)).toEqual([0, 2, 3, 4]);

    const other = await newTenant();
    await bodyOf(await send(path, { key: other.key }), 404);
    await bodyOf(await send(`${path}/${assets[0]?.asset_uuid}`, { method: "DELETE", key: other.key }), 404);
    await setDraftState(tenant.draftId, "finalizing");
    await bodyOf(await send(`${path}/${assets[0]?.asset_uuid}`, { method: "DELETE", key: tenant.key }), 409);
    await bodyOf(await send(`${path}?limit=2&cursor=x`, { key: tenant.key }), 400);
  });
});

test("R2 has exactly the files that the rows name", async () => {
  const files = [{ name: "a.png", bytes: picture("png", 1) }];
  await bodyOf(await attach(await newTenant(), formOf([{ asset_filename: "a.png", copies: 1 }], files)), 201);
  const visible = (await fileRows()).filter(({ going }) => going === null);
  expect(visible.length).toBeGreaterThan(0);
  for (const { sha256: digest, size } of visible.slice(0, 50)) {
    const object = await env.BUCKET.head(`blob/${Buffer.from(digest).toString("hex")}`);
    expect(object?.size).toBe(size);
  }
});
