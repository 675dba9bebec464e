import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { build } from "esbuild";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { verifyWebhook, WebhookVerificationError } from "../src/index.ts";

const secretOf = () => `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64")}`;
const secret = secretOf();
const event = { seq: 7, event_uuid: crypto.randomUUID(), type: "nft.minted", data: { title: "Réiher – 1" } };
const body = JSON.stringify(event);

/** All is signed at one time: the signatures of two secrets are of the same second. */
const now = Date.now();

/** Headers as an independent sender signs them. @param age seconds */
const signed = (text = body, { key = secret, age = 0 } = {}) => {
  const at = new Date(now - age * 1_000);
  return {
    "webhook-id": event.event_uuid,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": new Webhook(key).sign(event.event_uuid, at, text),
  };
};

test("a signed delivery is accepted with either of two secrets, and in each form of headers and body", async () => {
  const headers = signed();
  for (const form of [headers, new Headers(headers)]) {
    expect(await verifyWebhook(form, body, secret)).toEqual(event);
    expect(await verifyWebhook(form, new TextEncoder().encode(body), secret)).toEqual(event);
  }
  const other = secretOf();
  const both = {
    ...headers,
    "webhook-signature": `${signed(body, { key: other })["webhook-signature"]} ${headers["webhook-signature"]}`,
  };
  for (const key of [secret, other]) expect(await verifyWebhook(both, body, key)).toEqual(event);
});

test.each<[string, object, string]>([
  ["another body", signed(), `${body} `],
  ["another id", { ...signed(), "webhook-id": "other" }, body],
  ["another time", { ...signed(), "webhook-timestamp": String(Math.floor(now / 1_000) - 1) }, body],
  ["another secret", signed(body, { key: secretOf() }), body],
  ["a time six minutes ago", signed(body, { age: 360 }), body],
  ["a time six minutes ahead", signed(body, { age: -360 }), body],
  ["no signature", { ...signed(), "webhook-signature": undefined }, body],
  ["an asymmetric signature", { ...signed(), "webhook-signature": "v1a,AAAA" }, body],
  ["no base64", { ...signed(), "webhook-signature": "v1,***" }, body],
  ["no time", { ...signed(), "webhook-timestamp": "now" }, body],
])("a delivery with %s is refused", async (_what, headers, text) => {
  const verifying = verifyWebhook(headers as Record<string, string>, text, secret);
  await expect(verifying).rejects.toThrow(WebhookVerificationError);
});

test("an invalid secret throws an error at the caller", async () => {
  for (const none of ["", "whsec_", "whsec_***", body]) {
    await expect(verifyWebhook(signed(), body, none)).rejects.toThrow(TypeError);
  }
});

test("the verification needs nothing that browsers lack", async () => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "..", "src", "index.ts")],
    bundle: true,
    write: false,
    platform: "browser",
    format: "iife",
    globalName: "client",
  });
  // What pages and workers have of it; nothing of Node's own.
  const page = {
    crypto,
    Headers,
    TextEncoder,
    TextDecoder,
    Uint8Array,
    atob,
    headers: signed(),
    body,
    secret,
  };
  const call = "client.verifyWebhook(headers, body, secret)";
  expect(await runInNewContext(`${outputFiles[0]!.text}\n${call}`, page)).toEqual(event);
});
