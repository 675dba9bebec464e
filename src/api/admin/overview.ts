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
    summary: "The whole service at one look, as the page /operator shows it",
    description:
      "Contracts and the last day are up to 30 seconds old, the bucket, the platform and the schedule up to five. A wallet's runway is what it could spend when the scheduled job last looked, divided by what it spent a day in the last seven. A contract's is its free balance, divided by the storage of the tokens that the API minted in the last day, each at the most that it may take.",
    success: { 200: json("The overview.", overviewView) },
    errors: ["wallet_busy"],
    access: "admin",
  },
  async (c) => show(c, await readOverview(c.get("context"))),
);
