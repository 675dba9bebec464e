/** Decodes signed transactions and meta transactions from the bytes that clients send. */
import { BorshReader } from "./borsh.ts";
import { encodeHash, sha256 } from "./hash.ts";
import { curveName, keyText } from "./keys.ts";
import type { AccessKey, Action, GlobalContractId, Transaction } from "./types.ts";

const SIGNATURE_BYTES = { ed25519: 64, secp256k1: 65 } as const;
const KEY_BYTES = { ed25519: 32, secp256k1: 64 } as const;

/** NEP-461: a delegate action is signed behind this prefix, so that it is never also a transaction. */
const DELEGATE_PREFIX = Buffer.alloc(4);
DELEGATE_PREFIX.writeUInt32LE(2 ** 30 + 366);

/** @throws with borsh's own complaint when the bytes aren't one signed transaction. */
export function decodeSignedTransaction(bytes: Uint8Array): Transaction {
  const reader = new BorshReader(bytes);
  const signerId = reader.string();
  const publicKey = readKey(reader);
  const nonce = Number(reader.u64());
  const receiverId = reader.string();
  const blockHash = encodeHash(reader.fixed(32));
  const actions = reader.vector(() => readAction(reader, true));
  const hash = encodeHash(sha256(bytes.subarray(0, reader.offset)));
  const signature = readSignature(reader);
  reader.end();
  return { hash, signerId, publicKey, nonce, receiverId, blockHash, actions, signature, size: bytes.length };
}

function readKey(reader: BorshReader): string {
  const curve = reader.u8();
  return keyText(curve, reader.fixed(KEY_BYTES[curveName(curve)]));
}

function readSignature(reader: BorshReader): string {
  const curve = reader.u8();
  return keyText(curve, reader.fixed(SIGNATURE_BYTES[curveName(curve)]));
}

function readAccessKey(reader: BorshReader): AccessKey {
  const nonce = Number(reader.u64());
  const tag = reader.u8();
  if (tag === 1) return { nonce, permission: "FullAccess" };
  if (tag !== 0) throw new Error(`Unexpected variant tag of a permission: ${tag}`);
  const allowance = reader.option(() => reader.u128());
  const receiverId = reader.string();
  return { nonce, permission: { allowance, receiverId, methodNames: reader.vector(() => reader.string()) } };
}

function readGlobalContractId(reader: BorshReader): GlobalContractId {
  const tag = reader.u8();
  if (tag === 0) return { codeHash: encodeHash(reader.fixed(32)) };
  if (tag === 1) return { accountId: reader.string() };
  throw new Error(`Unexpected variant tag of a global contract: ${tag}`);
}

function readDeployMode(reader: BorshReader): "CodeHash" | "AccountId" {
  const tag = reader.u8();
  if (tag > 1) throw new Error(`Unexpected variant tag of a deploy mode: ${tag}`);
  return tag === 0 ? "CodeHash" : "AccountId";
}

function readAction(reader: BorshReader, mayDelegate: boolean): Action {
  const tag = reader.u8();
  switch (tag) {
    case 0:
      return { type: "CreateAccount" };
    case 1:
      return { type: "DeployContract", code: reader.bytes() };
    case 2: {
      const methodName = reader.string();
      const args = reader.bytes();
      const gas = Number(reader.u64());
      return { type: "FunctionCall", methodName, args, gas, deposit: reader.u128() };
    }
    case 3:
      return { type: "Transfer", deposit: reader.u128() };
    case 4: {
      const stake = reader.u128();
      return { type: "Stake", stake, publicKey: readKey(reader) };
    }
    case 5: {
      const publicKey = readKey(reader);
      return { type: "AddKey", publicKey, accessKey: readAccessKey(reader) };
    }
    case 6:
      return { type: "DeleteKey", publicKey: readKey(reader) };
    case 7:
      return { type: "DeleteAccount", beneficiaryId: reader.string() };
    case 8:
      if (!mayDelegate) throw new Error("DelegateAction mustn't contain a nested one");
      return readDelegate(reader);
    case 9: {
      const code = reader.bytes();
      return { type: "DeployGlobalContract", code, mode: readDeployMode(reader) };
    }
    case 10:
      return { type: "UseGlobalContract", id: readGlobalContractId(reader) };
    default:
      throw new Error(`Unexpected variant tag: ${tag}`);
  }
}

/** NEP-366: the sender's signed wish, carried in a relayer's transaction. */
function readDelegate(reader: BorshReader): Action {
  const start = reader.offset;
  const senderId = reader.string();
  const receiverId = reader.string();
  const actions = reader.vector(() => readAction(reader, false));
  const nonce = Number(reader.u64());
  const maxBlockHeight = Number(reader.u64());
  const publicKey = readKey(reader);
  const signedHash = sha256(Buffer.concat([DELEGATE_PREFIX, reader.since(start)]));
  const delegateAction = { senderId, receiverId, actions, nonce, maxBlockHeight, publicKey };
  return { type: "Delegate", delegateAction, signature: readSignature(reader), signedHash };
}
