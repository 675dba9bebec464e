/**
 * Embedded chains on demand, in a separate process, so that executing wasm never blocks the test runner. `POST
 * /chains` starts one and answers with the settings that a service needs to use it; `DELETE /chains/{port}` ends it.
 * The process ends when its standard input closes, that is, with the runner.
 */
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { ed25519 } from "@noble/curves/ed25519.js";
import { base58 } from "@scure/base";
import { type Devchain, startDevchain } from "../../devchain/index.ts";

/** What the service under test is configured with. */
export interface ChainHandle {
  readonly rpcUrl: string;
  readonly port: number;
  readonly platformAccountId: string;
  /** `ed25519:<base58 of seed and public key>`, generated for this chain alone. */
  readonly platformPrivateKey: string;
}

/** Short blocks keep tests quick; the protocol's rules are the same at any length. Milliseconds. */
const BLOCK_MS = 25;
const PLATFORM_ACCOUNT = "platform.test";
/** yoctoNEAR: ten million NEAR. */
const PLATFORM_BALANCE = `${10n ** 31n}`;

/** What test files said of the statements that they saw (statements.ts), as they said it. */
const census: string[] = [];

const chains = new Map<number, Devchain>();

async function open(): Promise<ChainHandle> {
  const seed = randomBytes(32);
  const publicKey = ed25519.getPublicKey(seed);
  const chain = await startDevchain({
    port: 0,
    blockMs: BLOCK_MS,
    accounts: [
      {
        accountId: PLATFORM_ACCOUNT,
        publicKey: `ed25519:${base58.encode(publicKey)}`,
        balance: PLATFORM_BALANCE,
      },
    ],
  });
  chains.set(chain.port, chain);
  return {
    rpcUrl: chain.url,
    port: chain.port,
    platformAccountId: PLATFORM_ACCOUNT,
    platformPrivateKey: `ed25519:${base58.encode(Buffer.concat([seed, publicKey]))}`,
  };
}

const server = createServer(async (request, response) => {
  const answer = (status: number, body: unknown) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  try {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    if (request.method === "POST" && path === "/chains") return answer(200, await open());
    if (path === "/census") {
      if (request.method === "POST") census.push(await text(request));
      return answer(200, request.method === "POST" ? {} : census);
    }
    const named = /^\/chains\/(\d+)$/.exec(path);
    if (request.method === "DELETE" && named) {
      const chain = chains.get(Number(named[1]));
      chains.delete(Number(named[1]));
      await chain?.close();
      return answer(200, {});
    }
    return answer(404, { message: "no such address" });
  } catch (error) {
    return answer(500, { message: String(error) });
  }
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the farm has no port");
  process.stdout.write(`chain farm listening on http://127.0.0.1:${address.port}\n`);
});
process.stdin.resume().on("end", () => process.exit(0));
