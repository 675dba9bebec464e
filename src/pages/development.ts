import { zValidator } from "@hono/zod-validator";
import type { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { z } from "zod";
import type { AppEnv } from "../http/app-env.ts";
import { refuseInvalid } from "../http/validation.ts";
import {
  makeDevelopmentAccount,
  readDevelopmentKey,
  requireDevelopmentWallet,
  sendDevelopmentTransaction,
} from "../showcase/development.ts";

const PATH = "/public/v1/development";

const publicKey = z.string().regex(/^ed25519:[1-9A-HJ-NP-Za-km-z]{32,44}$/, "Give an ed25519 key in base58.");

const accountBody = z.strictObject({ public_key: publicKey });
const keyBody = z.strictObject({ account_id: z.string().min(2).max(64), public_key: publicKey });
const transactionBody = z.strictObject({ signed_transaction: z.base64().max(100_000) });

const bytesOf = (base64: string): Uint8Array =>
  Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

/** As if it were not there, except by `npm start`. */
const only = createMiddleware<AppEnv>(async (c, next) => {
  requireDevelopmentWallet(c.get("context"));
  await next();
});

/**
 * What the development wallet asks of the embedded chain. A browser reaches the service alone, from any device. Bodies are
 * bounded like all under /public/v1 (app.ts).
 */
export const serveDevelopmentWallet = (app: Hono<AppEnv>): void => {
  app.use(`${PATH}/*`, only);
  app.post(`${PATH}/account`, zValidator("json", accountBody, refuseInvalid), async (c) =>
    c.json(await makeDevelopmentAccount(c.get("context"), c.req.valid("json").public_key)),
  );
  app.post(`${PATH}/key`, zValidator("json", keyBody, refuseInvalid), async (c) =>
    c.json(await readDevelopmentKey(c.get("context"), c.req.valid("json"))),
  );
  app.post(`${PATH}/transaction`, zValidator("json", transactionBody, refuseInvalid), async (c) => {
    await sendDevelopmentTransaction(c.get("context"), bytesOf(c.req.valid("json").signed_transaction));
    return c.json({});
  });
};
