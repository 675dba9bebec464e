/** A request of each kind, for `bench:growth` and its test: what it costs must not depend on what is there. */

/** What the requests are about: UUIDs. */
export interface Subjects {
  readonly contract: string;
  readonly collection: string;
  readonly operation: string;
  /** An account that exists. */
  readonly account: string;
}

/** A request below /api/v1. */
interface GrowthRequest {
  readonly name: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** @param turn a number that no request before had, for what has to be new */
export const growthRequests = (
  { contract, collection, operation, account }: Subjects,
  turn: number,
): GrowthRequest[] => {
  const get = (path: string): GrowthRequest => ({
    name: `GET ${path.replace(/[0-9a-f-]{36}/g, "{uuid}")}`,
    method: "GET",
    path,
  });
  const receivers = { receiver_addresses: [account] };
  return [
    get("/me"),
    get("/collection?limit=2"),
    get(`/collection/${collection}`),
    get("/collection-draft?limit=2"),
    get("/operation?limit=2"),
    get("/operation?limit=2&kind=mint&state=succeeded"),
    get(`/operation?limit=2&subject_uuid=${collection}`),
    get("/operation?limit=2&state=pending"),
    get(`/operation/${operation}`),
    get("/transaction?limit=2"),
    get("/event?after=0&limit=2"),
    get("/webhook"),
    {
      name: "POST draft",
      method: "POST",
      path: "/collection-draft",
      json: { contract_uuid: contract, title: "Herons" },
      headers: { "Idempotency-Key": `draft ${turn}` },
    },
    {
      name: "PUT collection",
      method: "PUT",
      path: `/collection/${collection}`,
      json: { title: `Herons ${turn}` },
    },
    {
      name: "PUT allowlist-add",
      method: "PUT",
      path: `/collection/${collection}/allowlist-add`,
      json: { accounts: [account] },
    },
    { name: "POST mint", method: "POST", path: `/collection/${collection}/mint`, json: receivers },
    {
      name: "POST mint with a key",
      method: "POST",
      path: `/collection/${collection}/mint`,
      json: receivers,
      headers: { "Idempotency-Key": `mint ${turn}` },
    },
  ];
};
