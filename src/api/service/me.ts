import { show } from "../../http/answered.ts";
import { readMe } from "../../integrations/me.ts";
import { meView } from "../../resources/me.ts";
import { endpoint, json } from "../endpoint.ts";

export const me = endpoint(
  {
    method: "get",
    path: "/me",
    operationId: "getMe",
    tag: "Who am I",
    summary: "Show the key's integration, wallet, contracts and limits",
    description:
      "Lists the newest 50 contracts that are ready. Values that only the chain knows are up to five seconds old, and null while no node answers; `balance` and `available` include all that the wallet itself has done.",
    success: { 200: json("The integration.", meView) },
    errors: ["wallet_busy"],
  },
  async (c) => show(c, await readMe(c.get("context"), c.get("caller"))),
);
