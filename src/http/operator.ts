import { createMiddleware } from "hono/factory";
import { ServiceError } from "../domain/errors.ts";
import { countAddress } from "./address-limit.ts";
import type { AppEnv } from "./app-env.ts";

/**
 * Lets the operator in: `Authorization: Bearer <token>`. Without a token in the settings there is no such surface.
 * Digests are compared, in constant time, so that neither content nor length of the token shows in how long it takes.
 * Wrong tokens are limited by the address they come from.
 */
export const operatorOnly = createMiddleware<AppEnv>(async (c, next) => {
  const token = c.get("context").settings.ADMIN_TOKEN;
  if (token === undefined)
    throw new ServiceError("not_found", "Nothing exists at this address. Check it against /openapi.json.");
  const given = /^Bearer +(\S+) *$/i.exec(c.req.header("Authorization") ?? "")?.[1] ?? "";
  const [expected, actual] = await Promise.all([digest(token), digest(given)]);
  if (!crypto.subtle.timingSafeEqual(expected, actual)) {
    await countAddress(c, "attempt");
    throw new ServiceError(
      "admin_token_invalid",
      "Send `Authorization: Bearer <token>` with the operator's token.",
    );
  }
  c.set("isOperator", true);
  await next();
});

const digest = (text: string): Promise<ArrayBuffer> =>
  crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
