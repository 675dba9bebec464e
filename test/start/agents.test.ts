import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, expect, test } from "vitest";
import { picture } from "../../testing/pictures.ts";
import { endScripts, freePort, said, startScript } from "../support/npm-start.ts";

/** An agent with the protocol's own client, over the network, against `npm start`: from nothing to an NFT that a person confirmed. */

const data = mkdtempSync(join(tmpdir(), "mintage-agents-"));
const PORTS = { PORT: String(await freePort()), NEAR_PORT: String(await freePort()) };
const run = startScript("start", { MINTAGE_DATA: data, NEAR_BLOCK_MS: "200", ...PORTS });
const RECEIVER = "6f32d9832f4b08752106a782aad702a3210e47906fce4a0cab9df0e1ba62f4ab";

afterAll(async () => {
  await endScripts([run]);
  rmSync(data, { recursive: true, force: true });
});

const url = `http://localhost:${PORTS.PORT}`;

const connect = async (key: string, questions: string[]): Promise<Client> => {
  const client = new Client(
    { name: "test", version: "1" },
    { versionNegotiation: { mode: "auto" }, capabilities: { elicitation: {} } },
  );
  client.setRequestHandler("elicitation/create", ({ params }) => {
    questions.push(params.message);
    return { action: "accept", content: {} };
  });
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  return client;
};

/** What an agent has sent and read: calls of tools, and the bytes of their arguments and results. */
const spent = { calls: 0, argument_bytes: 0, result_bytes: 0 };

/** What a tool returned. @throws with its error */
const call = async <Body>(client: Client, name: string, args: object = {}): Promise<Body> => {
  const { content, isError } = await client.callTool({ name, arguments: { ...args } });
  const [{ text }] = content as unknown as [{ text: string }];
  spent.calls += 1;
  spent.argument_bytes += Buffer.byteLength(JSON.stringify(args));
  spent.result_bytes += Buffer.byteLength(text);
  if (isError) throw new Error(`${name}: ${text}`);
  return JSON.parse(text) as Body;
};

interface Quoted {
  readonly quote: { readonly quote_uuid: string };
}

test("an agent drafts, uploads, quotes and executes, and mints once a person has confirmed it", async () => {
  await said(run, "Ctrl-C ends the service");
  const key = /demo key +(\S+)/.exec(run.output)?.[1] ?? "";
  const questions: string[] = [];
  const owner = await connect(key, questions);
  const { contracts } = await call<{ contracts: [{ contract_uuid: string }] }>(owner, "me");
  const saved = await call<{ draft: { collection_draft_uuid: string } }>(owner, "save_draft", {
    fields: { contract_uuid: contracts[0].contract_uuid, title: "Herons" },
    idempotency_key: "draft",
  });
  const { collection_draft_uuid } = saved.draft;
  const dataUrl = `data:image/png;base64,${Buffer.from(picture("png", 1)).toString("base64")}`;
  await call(owner, "upload_assets", {
    ...{ collection_draft_uuid, idempotency_key: "pictures" },
    assets: [{ url: dataUrl, copies: 3 }],
  });
  const quoted = (client: Client, write: object) => call<Quoted>(client, "quote", { ...write });
  const execute = <Body>(client: Client, { quote }: Quoted, idempotency_key: string) =>
    call<Body>(client, "execute", { quote_uuid: quote.quote_uuid, idempotency_key });
  const finalize = { write: "finalizeCollectionDraft", collection_draft_uuid };
  const made = await execute<{ answer: { collection_uuid: string } }>(
    owner,
    await quoted(owner, finalize),
    "launch",
  );
  const { collection_uuid } = made.answer;
  expect(questions).toEqual([]);
  const issued = await fetch(`${url}/api/v1/key`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ name: "Agent", scopes: ["mint", "read"], confirm_above: "0" }),
  });
  const { api_key } = (await issued.json()) as { api_key: string };
  const agent = await connect(api_key, questions);
  const mint = { write: "mint", collection_uuid, body: { receiver_addresses: [RECEIVER] } };
  const minted = await execute<{ operation_uuid: string }>(agent, await quoted(agent, mint), "first");
  expect(questions).toEqual([expect.stringContaining(RECEIVER)]);
  const { operation_uuid } = minted;
  expect(await call(agent, "follow", { operation_uuid })).toMatchObject({
    summary: expect.stringMatching(/^The mint succeeded\./),
  });
  const { items } = await call<{ items: object[] }>(agent, "list_tokens", {
    ...{ collection_uuid, owner: RECEIVER },
  });
  expect(items).toHaveLength(1);
});

/** The most that docs/measurements.md promises. */
const BARS = { calls: 7, result_bytes: 6_000, list_bytes: 13_000 };

test("an agent launches six pictures and gives one away in few calls with short answers", async () => {
  await said(run, "Ctrl-C ends the service");
  const agent = await connect(/demo key +(\S+)/.exec(run.output)?.[1] ?? "", []);
  const { tools } = await agent.listTools();
  const list_bytes = Buffer.byteLength(JSON.stringify(tools));
  Object.assign(spent, { calls: 0, argument_bytes: 0, result_bytes: 0 });
  const { contracts } = await call<{ contracts: [{ contract_uuid: string }] }>(agent, "me");
  const { draft } = await call<{ draft: { collection_draft_uuid: string } }>(agent, "save_draft", {
    fields: { contract_uuid: contracts[0].contract_uuid, title: "Six herons", description: "By the river." },
    idempotency_key: "six-draft",
  });
  const { collection_draft_uuid } = draft;
  await call(agent, "upload_assets", {
    ...{ collection_draft_uuid, idempotency_key: "six-pictures" },
    assets: Array.from({ length: 6 }, (_, n) => ({
      url: `data:image/png;base64,${Buffer.from(picture("png", 10 + n)).toString("base64")}`,
      ...{ copies: 1, subtitle: `Heron ${n + 1}` },
    })),
  });
  const carriedOut = async <Body>(write: object, idempotency_key: string) => {
    const { quote } = await call<Quoted>(agent, "quote", write);
    return call<Body>(agent, "execute", { quote_uuid: quote.quote_uuid, idempotency_key });
  };
  const finalize = { write: "finalizeCollectionDraft", collection_draft_uuid };
  const made = await carriedOut<{ answer: { collection_uuid: string } }>(finalize, "six-launch");
  const { collection_uuid } = made.answer;
  const gift = { write: "mint", collection_uuid, body: { receiver_addresses: [RECEIVER] } };
  const given = await carriedOut<{ answer: { token_ids: string[] } }>(gift, "six-gift");
  expect(given.answer.token_ids).toHaveLength(1);
  const figures = { ...spent, list_bytes };
  console.log(`an agent's launch: ${JSON.stringify(figures)}`);
  for (const [name, most] of Object.entries(BARS)) {
    const figure = figures[name as keyof typeof BARS];
    expect({ name, figure, isWithin: figure <= most }).toEqual({ name, figure, isWithin: true });
  }
});
