import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { AppEnv } from "./app-env.ts";

declare const ANSWER: unique symbol;

/** A response typed by its status and JSON, so that the compiler checks it against the endpoint's definition. */
export type TypedResponse<Body, Status extends number> = Response & {
  readonly [ANSWER]: { readonly body: Body; readonly status: Status };
};

/** Types a response. */
export const typedResponse = <Body, Status extends number>(response: Response) =>
  response as TypedResponse<Body, Status>;

/** Answers with JSON. */
export const show = <Body extends object, Status extends ContentfulStatusCode = 200>(
  c: Context<AppEnv>,
  body: Body,
  status: Status = 200 as Status,
): TypedResponse<Body, Status> => typedResponse(c.json(body, status));

/** Like `show`, for a response with a secret. */
export const showSecret = <Body extends object, Status extends ContentfulStatusCode = 200>(
  c: Context<AppEnv>,
  body: Body,
  status: Status = 200 as Status,
): TypedResponse<Body, Status> => {
  c.set("hasSecret", true);
  return show(c, body, status);
};

/** Answers 204. */
export const showNothing = (c: Context<AppEnv>): TypedResponse<null, 204> => typedResponse(c.body(null, 204));
