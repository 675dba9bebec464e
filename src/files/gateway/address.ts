/** Where the gateway serves a CID, or a name below it. */
export const gatewayUrl = (base: string, cid: string, name?: string): string =>
  `${base}/ipfs/${cid}${name === undefined ? "" : `/${encodeURIComponent(name)}`}`;
