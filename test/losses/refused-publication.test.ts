import { test } from "vitest";
import { admin, bodyOf } from "../support/api.ts";
import { adopt, deployFormer } from "../support/former-contract.ts";

test("a refused publication of the code doesn't block later upgrades", async () => {
  const { integration_uuid: uuid, wallet_account_id: owner } = await bodyOf<{
    integration_uuid: string;
    wallet_account_id: string;
  }>(await admin("/integration", { json: { name: "First upgrade" } }), 201);
  const { contract_uuid: contract } = await adopt(uuid, await deployFormer({ owner }));
  const limit = async (operations_waiting: number | null) =>
    bodyOf(await admin(`/integration/${uuid}/limits`, { method: "PUT", json: { operations_waiting } }), 200);
  const upgrade = () => admin(`/contract/${contract}/upgrade`, { method: "POST" });
  await limit(0);
  await bodyOf(await upgrade(), 429);
  await limit(null);
  await bodyOf(await upgrade(), 200);
});
