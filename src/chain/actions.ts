import { base64Decode, actions as build, PublicKey } from "near-api-js";

/** An action of a NEAR transaction; only the ones Mintage sends. Amounts are in yoctoNEAR. */
export type Action =
  | { kind: "create_account" }
  | { kind: "transfer"; deposit: string }
  | { kind: "function_call"; method: string; args: Uint8Array; gas: string; deposit: string }
  | { kind: "add_full_access_key"; publicKey: Uint8Array }
  | { kind: "add_function_call_key"; publicKey: Uint8Array; receiverId: string; methods: string[] }
  | { kind: "delete_key"; publicKey: Uint8Array }
  | { kind: "deploy_contract"; code: Uint8Array }
  | { kind: "deploy_global_contract"; code: Uint8Array }
  | { kind: "use_global_contract"; codeHash: Uint8Array };

type LibraryAction = ReturnType<typeof build.transfer>;

/** The library's number of the curve. */
export const ED25519 = 0;

/** An ed25519 key of 32 bytes in its near-api-js form. */
export const keyOf = (publicKey: Uint8Array) => new PublicKey({ keyType: ED25519, data: publicKey });

/** Converts an action to its near-api-js form. A function-call key has no allowance, which makes it unlimited. */
export const toLibraryAction = (action: Action): LibraryAction => {
  switch (action.kind) {
    case "create_account":
      return build.createAccount();
    case "transfer":
      return build.transfer(BigInt(action.deposit));
    case "function_call":
      return build.functionCall(action.method, action.args, BigInt(action.gas), BigInt(action.deposit));
    case "add_full_access_key":
      return build.addFullAccessKey(keyOf(action.publicKey));
    case "add_function_call_key":
      return build.addFunctionCallAccessKey(keyOf(action.publicKey), action.receiverId, [...action.methods]);
    case "delete_key":
      return build.deleteKey(keyOf(action.publicKey));
    case "deploy_contract":
      return build.deployContract(action.code);
    case "deploy_global_contract":
      return build.deployGlobalContract(action.code, "codeHash");
    case "use_global_contract":
      return build.useGlobalContract({ codeHash: action.codeHash });
  }
};

/** An action as nodes return it. */
export type ActionView =
  | string
  | {
      readonly FunctionCall?: {
        readonly method_name: string;
        /** base64. */
        readonly args: string;
        readonly gas: number;
        readonly deposit: string;
      };
      readonly Transfer?: { readonly deposit: string };
    };

/** Calls and transfers that a node returned, as they were sent; null: others are among them. */
export const readActions = (views: readonly ActionView[]): Action[] | null => {
  const actions = views.flatMap((view): Action[] => {
    const { FunctionCall: call = null, Transfer: transfer = null } = typeof view === "string" ? {} : view;
    if (transfer !== null) return [{ kind: "transfer", deposit: transfer.deposit }];
    if (call === null) return [];
    const { method_name: method, args, gas, deposit } = call;
    return [{ kind: "function_call", method, args: base64Decode(args), gas: String(gas), deposit }];
  });
  return actions.length === views.length ? actions : null;
};

/** Total deposit of the actions, yoctoNEAR. */
export const depositOf = (actions: readonly Action[]): bigint =>
  actions.reduce((sum, action) => sum + ("deposit" in action ? BigInt(action.deposit) : 0n), 0n);

/** Total gas attached to the function calls. */
export const attachedGasOf = (actions: readonly Action[]): bigint =>
  actions.reduce((sum, action) => sum + (action.kind === "function_call" ? BigInt(action.gas) : 0n), 0n);
