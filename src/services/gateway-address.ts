import type { Caller, ServiceContext } from "./context.ts";

/** The service's own address as the world sees it, without a slash at the end. */
export const publicBase = (context: ServiceContext, caller: Pick<Caller, "baseUrl">): string =>
  (context.settings.PUBLIC_URL ?? caller.baseUrl).replace(/\/+$/, "");

/** Where the gateway serves a CID, or a name below it. */
export const gatewayUrl = (base: string, cid: string, name?: string): string =>
  `${base}/ipfs/${cid}${name === undefined ? "" : `/${encodeURIComponent(name)}`}`;
