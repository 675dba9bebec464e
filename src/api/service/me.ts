import { show } from "../../http/answered.ts";
import { readMe } from "../../integrations/me.ts";
import { meView } from "../../resources/me.ts";
import { endpoint, json } from "../endpoint.ts";

/** GET /me */
export const me = endpoint(
  {
    method: "get",
    path: "/me",
    operationId: "getMe",
    tag: "Who am I",
    summary: "What this key stands for: its integration, wallet, contracts and limits",
    description:
      "The newest 50 contracts that are ready. What only the chain knows is null while no node answers.",
    success: { 200: json("The integration.", meView) },
    errors: ["wallet_busy"],
  },
  async (c) => show(c, await readMe(c.get("context"), c.get("caller"))),
);
