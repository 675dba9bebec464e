import { show } from "../../http/typed-response.ts";
import { readOverview } from "../../operator/overview.ts";
import { endpoint, json } from "../endpoint.ts";
import { overviewView } from "../resources/overview.ts";

export const overviewRead = endpoint(
  {
    method: "get",
    path: "/overview",
    operationId: "adminGetOverview",
    tag: "Operator: service",
    summary: "The state of the whole service, as the page /operator shows it",
    description:
      "The bucket, the nodes and the platform's account are up to five seconds old, wallets as old as the scheduled job's last look at them. The operation's end counts it, on the day (UTC) on which it ended.",
    success: { 200: json("The overview.", overviewView) },
    access: "admin",
  },
  async (c) => show(c, await readOverview(c.get("context"))),
);
