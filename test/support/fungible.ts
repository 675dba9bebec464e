import { env } from "cloudflare:workers";
import code from "../../contract/fungible/fungible.wasm";
import { view } from "./chain.ts";
import { sendFrom } from "./payments.ts";

/** What a token says of itself (NEP-148). */
interface TokenMetadata {
  readonly symbol: unknown;
  readonly decimals: unknown;
}

/** A NEP-141 token on the chain, whose units the platform's account hands out. */
export interface Token {
  readonly accountId: string;
  units(account: string): Promise<bigint>;
  register(account: string): Promise<void>;
  /** Registers an account and gives it units. */
  give(account: string, units: bigint): Promise<void>;
}

const [TYPES, IMPORTS, FUNCTIONS, EXPORTS, BODIES] = [1, 2, 3, 7, 10];

/** Its own, as the tests of the Worker have them. */
type Bytes = Uint8Array<ArrayBuffer>;

const unsigned = (value: number): number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];

/** A signed constant of up to 64 bits as LEB128. */
const signed = (value: bigint): number[] => {
  const low = Number(value & 0x7fn);
  const rest = value >> 7n;
  const isLast = (rest === 0n && (low & 0x40) === 0) || (rest === -1n && (low & 0x40) !== 0);
  return isLast ? [low] : [low | 0x80, ...signed(rest)];
};

/** Reads a part of a module. */
class Reader {
  at = 0;
  readonly bytes: Bytes;
  constructor(bytes: Bytes) {
    this.bytes = bytes;
  }
  number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at++]!;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }
  take(length: number): Bytes {
    this.at += length;
    return this.bytes.slice(this.at - length, this.at);
  }
  text(): string {
    return new TextDecoder().decode(this.take(this.number()));
  }
}

/** The index of the imported function of a name, and how many functions are imported. */
const imported = (section: Bytes, name: string) => {
  const reader = new Reader(section);
  const entries = Array.from({ length: reader.number() }, () => {
    reader.text();
    const field = reader.text();
    const kind = reader.number();
    if (kind !== 0) throw new Error("the token imports functions alone");
    reader.number();
    return field;
  });
  return { index: entries.indexOf(name), count: entries.length };
};

const NO_PARAMETERS = [0x60, 0, 0];
const [CONST_32, CONST_64, STORE_64, CALL, END] = [0x41, 0x42, 0x37, 0x10, 0x0b];

/** The body of a method that returns a text: it writes the text to the memory's begin. */
const returning = (text: string, valueReturn: number): number[] => {
  const bytes = new TextEncoder().encode(text);
  const words = new BigInt64Array(new Uint8Array(Math.ceil(bytes.length / 8) * 8).fill(0).buffer);
  new Uint8Array(words.buffer).set(bytes);
  const stores = [...words].flatMap((word, index) => [
    CONST_32!,
    ...signed(BigInt(8 * index)),
    CONST_64!,
    ...signed(word),
    STORE_64!,
    0,
    0,
  ]);
  const call = [
    CONST_64!,
    ...signed(BigInt(bytes.length)),
    CONST_64!,
    0,
    CALL!,
    ...unsigned(valueReturn),
    END!,
  ];
  return [0, ...stores, ...call];
};

/** The body of a method that fails without a text. */
const failing = (panic: number): number[] => [0, CONST_64!, 0, CONST_64!, 0, CALL!, ...unsigned(panic), END!];

/** In place of what a method returns: it fails without a text. */
export const WORDLESS = Symbol("fails without a text");

/** What views return instead of what they do. */
type Views = Readonly<Record<string, unknown>>;

/** The content of the exports without one of these names; its function stays under another. */
const withoutExport = (exports: Bytes, name: Uint8Array) => {
  const found = exports.findIndex(
    (byte, at) => byte === name.length && name.every((letter, index) => exports[at + 1 + index] === letter),
  );
  return found < 0 ? exports : exports.with(found + 1, exports[found + 1]! - 32);
};

/** A module with one method more, or another one: it returns a value as JSON. */
const withView = (wasm: Bytes, method: string, value: unknown): Bytes => {
  const module = new Reader(wasm);
  const head = module.take(8);
  const sections: { id: number; content: Bytes }[] = [];
  while (module.at < module.bytes.length) {
    const id = module.number();
    sections.push({ id, content: module.take(module.number()) });
  }
  const contentOf = (id: number) => sections.find((section) => section.id === id)!.content;
  const { index: valueReturn, count } = imported(contentOf(IMPORTS!), "value_return");
  const { index: panic } = imported(contentOf(IMPORTS!), "panic_utf8");
  const functions = new Reader(contentOf(FUNCTIONS!)).number();
  const types = new Reader(contentOf(TYPES!)).number();
  const name = new TextEncoder().encode(method);
  const body = value === WORDLESS ? failing(panic) : returning(JSON.stringify(value), valueReturn);
  const added: Readonly<Record<number, readonly number[]>> = {
    [TYPES!]: NO_PARAMETERS,
    [FUNCTIONS!]: unsigned(types),
    [EXPORTS!]: [...unsigned(name.length), ...name, 0, ...unsigned(count + functions)],
    [BODIES!]: [...unsigned(body.length), ...body],
  };
  const parts = sections.map(({ id, content }) => {
    const more = added[id];
    if (!more) return [[id, ...unsigned(content.length)], content];
    const reader = new Reader(id === EXPORTS ? withoutExport(content, name) : content);
    const entries = unsigned(reader.number() + 1);
    const rest = reader.bytes.slice(reader.at);
    return [[id, ...unsigned(entries.length + rest.length + more.length), ...entries], rest, more];
  });
  return Uint8Array.from([head, ...parts.flat()].flatMap((part) => [...part]));
};

/** The standards' token with views that return something else. */
const tokenWith = (views: Views): Bytes =>
  Object.entries(views).reduce(
    (wasm, [method, value]) => withView(wasm, method, value),
    new Uint8Array(code),
  );

const GAS = `${30n * 10n ** 12n}`;
const SUPPLY = 10n ** 30n;

/** A call that the platform's account signs. */
const callToken = (accountId: string, method: string, args: object, deposit: string): Promise<string> =>
  sendFrom("platform", accountId, [
    {
      kind: "function_call",
      method,
      args: new TextEncoder().encode(JSON.stringify(args)),
      gas: GAS,
      deposit,
    },
  ]);

/** Deploys a token. @param metadata null: it says nothing of itself */
export async function createToken(metadata: TokenMetadata | null, views: Views = {}): Promise<Token> {
  const described = { ft_metadata: metadata && { spec: "ft-1.0.0", name: "Test", ...metadata } };
  const accountId = `token-${crypto.randomUUID().slice(0, 8)}.${env.PLATFORM_ACCOUNT_ID}`;
  const args = { owner_id: env.PLATFORM_ACCOUNT_ID, total_supply: `${SUPPLY}` };
  await sendFrom("platform", accountId, [
    { kind: "create_account" },
    { kind: "transfer", deposit: `${5n * 10n ** 24n}` },
    { kind: "deploy_contract", code: tokenWith({ ...described, ...views }) },
    {
      kind: "function_call",
      method: "new",
      args: new TextEncoder().encode(JSON.stringify(args)),
      gas: GAS,
      deposit: "0",
    },
  ]);
  const register = async (account: string) => {
    await callToken(accountId, "storage_deposit", { account_id: account }, `${10n ** 22n}`);
  };
  return {
    accountId,
    register,
    units: async (account) =>
      BigInt(await view<string>(env.NEAR_RPC_URL, accountId, "ft_balance_of", { account_id: account })),
    async give(account, units) {
      await register(account);
      await callToken(accountId, "ft_transfer", { receiver_id: account, amount: `${units}` }, "1");
    },
  };
}
