import { isCause, RpcError, ViewError } from "../chain/errors.ts";
import { connect } from "../chain/rpc.ts";
import { sendTransaction } from "../chain/send.ts";
import { accountBalance, query } from "../chain/views.ts";
import type { ServiceContext } from "../context.ts";
import { ServiceError } from "../domain/errors.ts";
import { EMBEDDED_NETWORK } from "../env.ts";
import { noSuchAddress } from "../http/error-responses.ts";
import { pause } from "../waiting.ts";

/** yoctoNEAR of a new account: a hundred NEAR, on a chain where they are worth nothing. */
const GIVEN = `${10n ** 26n}`;

/** How often a new account is looked for in the last final block, a few blocks away. */
const FINAL_TRIES = 50;
const FINAL_PAUSE_MS = 200;

/** Whether pages offer the development wallet: `npm start` enables it on its own chain. */
export const hasDevelopmentWallet = ({ settings }: ServiceContext): boolean =>
  settings.DEVELOPMENT_WALLET === "on" && settings.NEAR_NETWORK === EMBEDDED_NETWORK;

/** @throws ServiceError not_found where there is no development wallet, as for any address that isn't there */
export const requireDevelopmentWallet = (context: ServiceContext): void => {
  if (hasDevelopmentWallet(context)) return;
  throw noSuchAddress();
};

interface AccountKey {
  readonly account_id: string;
  readonly public_key: string;
}

/** Creates an account; one that exists is unchanged. @throws ServiceError chain_unavailable, invalid_request */
export const makeDevelopmentAccount = async (context: ServiceContext, key: AccountKey): Promise<void> => {
  const rpc = connect(context.settings);
  await rpc.call("devchain_create_account", { ...key, balance: GIVEN });
  // Everything that follows reads final blocks.
  for (let tries = 0; tries < FINAL_TRIES && (await accountBalance(rpc, key.account_id)) === null; tries++) {
    await pause(FINAL_PAUSE_MS);
  }
  await readDevelopmentKey(context, key);
};

/** What a wallet needs to sign: the key's nonce and a final block. @throws ServiceError invalid_request without such a key */
export const readDevelopmentKey = async (
  { settings }: ServiceContext,
  key: AccountKey,
): Promise<{ readonly nonce: string; readonly block_hash: string }> => {
  const found = await query<{ nonce: number | string }>(
    connect(settings),
    { request_type: "view_access_key", ...key },
    "final",
  ).catch((error: unknown) => {
    // Nodes report that as text or as a cause.
    const isMissing = error instanceof RpcError && isCause(error, "UNKNOWN_ACCOUNT", "UNKNOWN_ACCESS_KEY");
    if (!isMissing && !(error instanceof ViewError)) throw error;
    const message = `${key.account_id} doesn't have this key on the chain. Give its private key, which npm run chain -- account printed, or choose another name.`;
    throw new ServiceError("invalid_request", message, { issues: [{ path: ["public_key"], message }] });
  });
  return { nonce: String(found.nonce), block_hash: found.block_hash };
};

/** Sends a transaction that the development wallet has signed. @throws ServiceError invalid_request where it is refused */
export const sendDevelopmentTransaction = async (
  { settings }: ServiceContext,
  signed: Uint8Array,
): Promise<void> => {
  const answer = await sendTransaction(connect(settings), signed);
  if (answer.kind === "taken") return;
  const reason = answer.kind === "refused" ? answer.reason : "it gave no reason";
  throw new ServiceError("invalid_request", `The chain did not take the transaction: ${reason}.`);
};
