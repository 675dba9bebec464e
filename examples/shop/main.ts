/** `npm run shop`, beside `npm start`: puts pictures on-chain, opens the shop, and orders one of them. */
import { createServer } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { keyAccess, run } from "../../cli/command.ts";
import { uploadFolder } from "../../client/src/folder/index.ts";
import { MintageClient } from "../../client/src/index.ts";
import { createShop, type Order, WEBHOOK_TYPES } from "./shop.ts";

const url = `http://localhost:${process.env.SHOP_PORT ?? "8790"}`;
/** An account without a name exists as soon as it gets something. */
const BUYER = "b".repeat(64);

await run(async () => {
  const { contractUuid, ...access } = keyAccess();
  const mintage = new MintageClient(access);
  const made = await mintage.drafts.create({ contract_uuid: contractUuid ?? "", title: "Shop" });
  const draft = made.collection_draft_uuid;
  await uploadFolder(mintage, draft, join(import.meta.dirname, "../../cli/pictures"), { copies: 5 });
  const pictures = new Map<string, string>();
  for await (const { asset_filename, asset_uuid } of mintage.drafts.assets(draft))
    pictures.set(asset_filename, asset_uuid);
  const { collection_uuid: collection } = await mintage.drafts.finalize(draft);

  const webhook = await mintage.webhooks.create({ url: `${url}/mintage`, types: [...WEBHOOK_TYPES] });
  const shop = createShop({ mintage, collection, pictures, webhookSecret: webhook.secret });
  const server = createServer(async (request, response) => {
    const { method = "GET", headers } = request;
    const body = method === "GET" ? undefined : await buffer(request);
    const asked = { method, headers: headers as Record<string, string>, body };
    const answer = await shop.fetch(new Request(url + request.url, asked));
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(new URL(url).port, resolve));

  const ask = async (path: string, init?: RequestInit): Promise<Order> => {
    const order = (await (await fetch(url + path, init)).json()) as Order;
    console.log(
      `order ${order.id}: ${order.picture} is ${order.state} ${order.token ?? order.problem ?? ""}`,
    );
    return order;
  };
  const body = JSON.stringify({ picture: [...pictures.keys()][0], account: BUYER });
  const { id } = await ask("/orders", { method: "POST", body });
  let order = await ask(`/orders/${id}/paid`, { method: "POST" });
  while (order.state === "minting") {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    order = await ask(`/orders/${id}`);
  }
  await mintage.webhooks.delete(webhook.webhook_uuid);
  server.close();
  process.exitCode = order.state === "fulfilled" ? 0 : 1;
});
