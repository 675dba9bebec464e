import { env } from "cloudflare:test";
import { CarReader } from "@ipld/car";
import { decode } from "@ipld/dag-pb";
import { CID } from "multiformats/cid";
import { sha256 } from "multiformats/hashes/sha2";
import { expect } from "vitest";
import type { ServiceContext } from "../../src/context.ts";
import { settingsOf } from "../../src/env.ts";
import { continuePinning } from "../../src/operator/jobs/pinning.ts";
import { contextAt } from "./uploads.ts";

/** The node's address: below a path, as behind a proxy. */
export const KUBO_URL = "https://kubo.example/node/";

/** A node with the part of Kubo's RPC that pinning uses. It pins only files of which it has all blocks. */
export class FakeKubo {
  readonly blocks = new Map<string, Uint8Array>();
  readonly imports: number[] = [];
  readonly pinned: string[] = [];
  failing: Response | null = null;

  async answer(request: Request): Promise<Response> {
    if (request.headers.get("Authorization") !== "Bearer secret") return new Response("no", { status: 401 });
    const url = new URL(request.url.replace("/node", ""));
    if (this.failing) return this.failing.clone();
    if (url.pathname === "/api/v0/dag/import") {
      expect(url.searchParams.get("pin-roots")).toBe("false");
      const form = await request.formData();
      const file = form.get("file") as unknown as File;
      const bytes = new Uint8Array(await file.arrayBuffer());
      this.imports.push(bytes.length);
      for await (const { cid, bytes: block } of (await CarReader.fromBytes(bytes)).blocks()) {
        expect((await sha256.digest(block)).digest).toEqual(cid.multihash.digest);
        this.blocks.set(cid.toString(), block);
      }
      return new Response("");
    }
    if (url.pathname === "/api/v0/pin/add") {
      const root = url.searchParams.get("arg") ?? "";
      this.walk(CID.parse(root));
      this.pinned.push(root);
      return Response.json({ Pins: [root] });
    }
    return new Response("404 page not found", { status: 404 });
  }

  walk(cid: CID): void {
    const block = this.blocks.get(cid.toString());
    if (!block) throw new Error(`the node lacks ${cid}`);
    if (cid.code === 0x70) for (const { Hash } of decode(block).Links) this.walk(Hash);
  }
}

/** A context whose settings name the node. @param ahead milliseconds of its clock */
const contextWithKubo = (ahead = 0): ServiceContext => {
  const context = contextAt(ahead);
  const kubo = { KUBO_RPC_URL: KUBO_URL, KUBO_RPC_AUTHORIZATION: "Bearer secret" };
  // Read as the Worker reads them, because an address may end in a slash.
  return { ...context, settings: settingsOf({ ...env, ...kubo }) };
};

/** Runs the part of the schedule that pins. @returns how many CARs it sent */
export const pin = (ahead = 0): Promise<number> => continuePinning(contextWithKubo(ahead));
