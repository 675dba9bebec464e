import { beforeAll, describe, expect, test } from "vitest";
import { bodyOf } from "../support/api.ts";
import { attach, formOf, newTenant, send, type Tenant, uploadPath } from "../support/uploads.ts";

/** Requests with more errors than anyone reads. They are refused for their number, with a short answer. */

interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly issues: { path: (string | number)[]; message: string }[];
}

/** Most bytes of an answer to a wrong request. */
const LONGEST_ANSWER = 100_000;

let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
});

async function refused(answer: Response, status: number): Promise<ErrorBody> {
  const text = await answer.clone().text();
  const body = await bodyOf<ErrorBody>(answer, status);
  expect(text.length).toBeLessThan(LONGEST_ANSWER);
  expect(body.issues?.length ?? 0).toBeLessThanOrEqual(100);
  return body;
}

const post = (json: string): Promise<Response> =>
  send("/api/v1/collection-draft", {
    method: "POST",
    key: tenant.key,
    headers: { "Content-Type": "application/json" },
    body: json,
  });

const draft = (fields: object) =>
  JSON.stringify({ contract_uuid: tenant.contractId, title: "Herons", ...fields });

const fields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`unknown_${index}`, 0]));

describe("a JSON body", () => {
  test("with a hundred thousand unknown fields is refused with their number", async () => {
    const body = await refused(await post(`{${'"a":0,'.repeat(100_000)}"title":"x"}`), 400);
    expect(body).toMatchObject({ code: "invalid_request", issues: [{ path: [] }] });
    const distinct = await refused(await post(JSON.stringify(fields(50_000))), 400);
    expect(distinct.issues).toEqual([
      { path: [], message: "Send fewer entries: there are 50000, and a whole body has at most 10100." },
    ]);
  });

  test("with thousands of nested lists is refused with their number", async () => {
    const body = await refused(await post(`{"title":${"[".repeat(12_000)}${"]".repeat(12_000)}}`), 400);
    const message = "Send fewer fields and entries: a whole body has at most 10100, however deep.";
    expect(body).toMatchObject({ message: `Correct the body: ${message}`, issues: [{ path: [], message }] });
  });

  test("with a whole number beyond all limits is refused once, with the field's own message", async () => {
    const fee = { mint_fee: "0", limit_per_account: 1e300 };
    const body = await refused(await post(draft({ public_mint_config: fee })), 400);
    expect(body.issues.map(({ path }) => path)).toEqual([["public_mint_config", "limit_per_account"]]);
    const details = formOf([{ asset_filename: "a.png", copies: 1e300 }], [{ name: "a.png", bytes: "" }]);
    const form = await refused(await attach(tenant, details), 400);
    expect(form.issues.filter(({ path }) => path.includes("copies"))).toHaveLength(1);
  });

  test("with eighty thousand invalid royalties is refused with their number", async () => {
    const royalties = Object.fromEntries(Array.from({ length: 80_000 }, (_, index) => [`A${index}`, -1]));
    const body = await refused(await post(draft({ initial_royalties: royalties })), 400);
    expect(body.issues).toEqual([
      {
        path: ["initial_royalties"],
        message: expect.stringContaining("Send fewer entries: there are 80000"),
      },
    ]);
  });

  test("with lists that are too long is refused with their number", async () => {
    const accounts = Array.from({ length: 300_000 }, () => 0);
    const body = await refused(await post(draft({ bypass_mint_fee_accounts: accounts })), 400);
    expect(body.issues[0]?.path).toEqual(["bypass_mint_fee_accounts"]);
    const nested = await refused(await post(`{"a":${"[".repeat(400_000)}${"]".repeat(400_000)}}`), 400);
    expect(nested.code).toBe("invalid_request");
  });

  test("with a thousand mistakes is refused with a hundred of them and the number of others", async () => {
    const body = await refused(await post(draft(fields(1_000))), 400);
    expect(body.issues).toHaveLength(100);
    expect(body.message).toContain("and 900 more");
    const accounts = Array.from({ length: 600 }, () => "NO ACCOUNT");
    const listed = await refused(await post(draft({ bypass_mint_fee_accounts: accounts })), 400);
    expect(listed.message).toContain("and 500 more");
  });

  test("with a mistake at a long name is refused with the name's beginning", async () => {
    const body = await refused(await post(draft({ ["n".repeat(900_000)]: 0 })), 400);
    expect(body.issues[0]?.path).toEqual([`${"n".repeat(512)}…`]);
  });

  test("may have every list at its maximum length", async () => {
    const names = (kind: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${kind}${index}.near`);
    const lists = {
      bypass_mint_fee_accounts: names("bypass", 1_000),
      approvals_allowed_accounts: names("allowed", 1_000),
      approvals_denied_accounts: names("denied", 1_000),
      transfers_denied_accounts: names("transfer", 1_000),
      public_mint_config: { mint_fee: "0", starts_at: null, ends_at: null, limit_per_account: null },
      description: ",".repeat(1_024),
    };
    await bodyOf(await post(draft(lists)), 201);
  });

  test.each([
    ["__proto__", "__proto__"],
    ["an escaped __proto__", "\\u005f_proto__"],
  ])("with a field named %s is refused", async (_, name) => {
    const royalties = `{"contract_uuid":"${tenant.contractId}","title":"x","initial_royalties":{"${name}":95}}`;
    const body = await refused(await post(royalties), 400);
    expect(body.issues.map(({ path }) => path)).toEqual([["initial_royalties", "__proto__"]]);
    const top = await refused(await post(draft({}).replace("{", `{"${name}":{"title":"y"},`)), 400);
    expect(top.issues.map(({ path }) => path)).toEqual([["__proto__"]]);
  });
});

describe("a form of assets", () => {
  test.each([
    ["numbers", `[${"0,".repeat(1_000_000)}0]`],
    ["lists", `[${"[],".repeat(700_000)}0]`],
    ["a detail with fields without end", `[{${'"a":0,'.repeat(300_000)}"b":0}]`],
    ["details without end", `[${'{"asset_filename":"a.png","copies":1},'.repeat(20_000)}0]`],
  ])("with %s instead of asset details is refused with their number", async (_, detail) => {
    const body = await refused(await attach(tenant, formOf(detail, [])), 413);
    expect(body).toMatchObject({ code: "payload_too_large", issues: [{ path: ["assets_detail"] }] });
  });

  test("with two hundred thousand unknown parts is refused with their number", async () => {
    const part = '--a\r\nContent-Disposition: form-data; name="x"\r\n\r\n\r\n';
    const answer = await send(uploadPath(tenant.draftId), {
      method: "POST",
      key: tenant.key,
      headers: { "Content-Type": "multipart/form-data; boundary=a" },
      body: `${part.repeat(200_001)}--a--`,
    });
    expect((await refused(answer, 413)).code).toBe("payload_too_large");
  });

  test("with many mistakes is refused with a hundred of them and the number of others", async () => {
    const details = Array.from({ length: 400 }, (_, index) => ({
      asset_filename: `${index}.png`,
      copies: 0,
    }));
    const body = await refused(await attach(tenant, formOf(details, [])), 400);
    expect(body.issues).toHaveLength(100);
    expect(body.message).toContain("and 300 more");
    const files = Array.from({ length: 300 }, (_, index) => ({ name: `${index}.png`, bytes: "no picture" }));
    const media = await refused(
      await attach(
        tenant,
        formOf(
          files.map(({ name }) => ({ asset_filename: name, copies: 1 })),
          files,
        ),
      ),
      415,
    );
    expect(media.message).toContain("and 200 more");
  });

  test("with a field named __proto__ in an asset detail is refused", async () => {
    const detail = '[{"asset_filename":"a.png","copies":1,"__proto__":{"asset_subtitle":"x"}}]';
    const body = await refused(await attach(tenant, formOf(detail, [{ name: "a.png", bytes: "" }])), 400);
    expect(body.issues.map(({ path }) => path)).toContainEqual(["assets_detail", 0, "__proto__"]);
  });

  test("with a long file name that is missing is refused with the name's beginning", async () => {
    const details = [{ asset_filename: "n".repeat(1_000_000), copies: 1 }];
    await refused(await attach(tenant, formOf(details, [])), 400);
  });
});
