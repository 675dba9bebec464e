import type { Context } from "hono";
import type { AppEnv } from "../http/app-env.ts";
import { costLimitOf } from "../operations/quotes.ts";

const PREFIX = "/api/v1";

/** Lets a write cost what its headers say at most. @throws ServiceError those of `costLimitOf` */
export const limitCost = async (c: Context<AppEnv>): Promise<void> => {
  const quote = c.req.header("Mintage-Quote");
  const most = c.req.header("Mintage-Max-Cost");
  if (quote === undefined && most === undefined) return;
  const { method, path } = c.req;
  const text = await c.req.text();
  const body: unknown = text.trim() === "" ? undefined : JSON.parse(text);
  const write = { method, path: path.slice(PREFIX.length), body };
  const caller = c.get("caller");
  const costLimit = await costLimitOf(c.get("context"), caller, { quote, most }, write);
  c.set("caller", { ...caller, costLimit });
};
