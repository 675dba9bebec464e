import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Account, JsonRpcProvider, KeyPair, type KeyPairString } from "near-api-js";
import {
  AccountDoesNotExistActionError,
  ContractExecutionError,
  NotEnoughBalanceError,
} from "near-api-js/rpc-errors";
import { readJson, UsageError } from "./command.ts";
import { near } from "./table.ts";

/** An account of the embedded chain with its key, as near-cli keeps credentials. */
export interface LocalAccount {
  readonly account_id: string;
  readonly public_key: string;
  readonly private_key: string;
}

/** Gives NEAR away; it holds a thousand million of it. */
const FAUCET = "faucet.near";
const FAUCET_BALANCE = (10n ** 33n).toString();
/** Gas of a mint from a wallet, as the interface has it. */
const MINT_GAS = 100_000_000_000_000n;
const ACCEPT_GAS = 10_000_000_000_000n;

/** The contract refused a call. */
export class ContractRefusal extends UsageError {}

/** Says what the chain refused. @throws ContractRefusal; UsageError where there is no such account; else the error */
function refused(error: unknown): never {
  if (error instanceof AccountDoesNotExistActionError)
    throw new UsageError(`${error.message}. npm run chain -- account makes it.`);
  if (!(error instanceof ContractExecutionError)) throw error;
  throw new ContractRefusal(
    `The contract refuses: ${error.message.replace(/^Smart contract panicked: (E_[A-Z_]+: )?/, "")}`,
  );
}

/** The chain that `npm start` runs on this machine, and the keys of the accounts made there. */
export class LocalChain {
  readonly #rpcUrl: string;
  readonly #folder: string;

  /** @param folder that keeps a file for each account */
  constructor(rpcUrl: string, folder: string) {
    this.#rpcUrl = rpcUrl;
    this.#folder = folder;
  }

  /** The accounts that were made here. */
  accounts(): LocalAccount[] {
    if (!existsSync(this.#folder)) return [];
    return readdirSync(this.#folder)
      .filter((name) => name.endsWith(".json"))
      .map((name) => readJson<LocalAccount>(join(this.#folder, name)));
  }

  /** Makes an account with a new key. @param yocto its balance, yoctoNEAR. @throws UsageError if it exists */
  async make(accountId: string, yocto: string): Promise<LocalAccount> {
    if ((await this.balance(accountId)) !== null)
      throw new UsageError(`The account ${accountId} exists already.`);
    const key = KeyPair.fromRandom("ed25519");
    const made = {
      account_id: accountId,
      public_key: key.getPublicKey().toString(),
      private_key: key.toString(),
    };
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    // Kept before it exists, so that no account is without its key.
    writeFileSync(this.#file(accountId), `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
    await this.#rpc("devchain_create_account", {
      account_id: accountId,
      public_key: made.public_key,
      balance: yocto,
    });
    return made;
  }

  /**
   * Transfers NEAR to any account; an implicit one comes into being by it.
   * @param yocto yoctoNEAR
   * @throws UsageError where there is no such account
   */
  async give(receiverId: string, yocto: string): Promise<void> {
    const known = existsSync(this.#file(FAUCET)) && (await this.balance(FAUCET)) !== null;
    if (!known) await this.make(FAUCET, FAUCET_BALANCE);
    await this.#signer(FAUCET)
      .transfer({ receiverId, amount: BigInt(yocto) })
      .catch(refused);
  }

  /**
   * Mints from an account that was made here, as a collector's wallet does.
   * @returns the token's id
   * @throws ContractRefusal where the contract refuses
   * @throws UsageError where the account hasn't the fee and the gas
   */
  async mint(accountId: string, contractId: string, collectionId: number, fee: string): Promise<string> {
    const call = { contractId, methodName: "nft_mint", args: { collection_id: collectionId }, gas: MINT_GAS };
    try {
      const minted = { ...call, deposit: BigInt(fee), waitUntil: "FINAL" } as const;
      return String(await this.#signer(accountId).callFunction(minted));
    } catch (error) {
      if (!(error instanceof NotEnoughBalanceError)) return refused(error);
      const { balance, cost } = error;
      throw new UsageError(
        `${accountId} has ${near(String(balance))} NEAR, and the mint takes up to ${near(String(cost))}, gas included. Give it more: npm run chain -- give ${accountId} 10`,
      );
    }
  }

  /** Has an account that was made here accept a contract of which it was proposed as the owner. @throws ContractRefusal */
  async accept(accountId: string, contractId: string): Promise<void> {
    const call = { contractId, methodName: "owner_accept", args: {}, gas: ACCEPT_GAS, deposit: 1n };
    await this.#signer(accountId)
      .callFunction({ ...call, waitUntil: "FINAL" })
      .catch(refused);
  }

  /** yoctoNEAR of an account; null if it doesn't exist. */
  async balance(accountId: string): Promise<string | null> {
    const answer = await this.#call("query", {
      request_type: "view_account",
      finality: "optimistic",
      account_id: accountId,
    });
    if (answer.result?.amount !== undefined) return answer.result.amount;
    if (answer.error?.cause?.name === "UNKNOWN_ACCOUNT") return null;
    throw new Error(`${this.#rpcUrl} answered ${JSON.stringify(answer)}`);
  }

  #signer(accountId: string): Account {
    const file = this.#file(accountId);
    if (!existsSync(file)) {
      throw new UsageError(
        `There is no key of ${accountId} here; make the account: npm run chain -- account ${accountId}`,
      );
    }
    const { private_key } = readJson<LocalAccount>(file);
    return new Account(accountId, new JsonRpcProvider({ url: this.#rpcUrl }), private_key as KeyPairString);
  }

  #file(accountId: string): string {
    return join(this.#folder, `${accountId}.json`);
  }

  async #rpc(method: string, params: object): Promise<void> {
    const answer = await this.#call(method, params);
    if (answer.error) throw new Error(`${method}: ${JSON.stringify(answer.error)}`);
  }

  async #call(method: string, params: object): Promise<RpcAnswer> {
    const response = await fetch(this.#rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: "cli", method, params }),
    }).catch(() => {
      throw new UsageError(`No chain answers at ${this.#rpcUrl}: run npm start first.`);
    });
    return (await response.json()) as RpcAnswer;
  }
}

interface RpcAnswer {
  readonly result?: { readonly amount?: string };
  readonly error?: { readonly cause?: { readonly name: string } };
}
