/**
 * The protocol's parameters. `runtime-config.json` is the `runtime_config` that a node of protocol version 88
 * answers to `EXPERIMENTAL_protocol_config`, and it is what this chain both serves and charges by, so that a
 * client that reads prices from the chain reads the ones it pays.
 */
import runtimeConfig88 from "./runtime-config.json" with { type: "json" };

/** One protocol fee in gas: sending to oneself, sending to another account, executing. */
export interface Fee {
  send_sir: number;
  send_not_sir: number;
  execution: number;
}

export type ExtCosts = typeof runtimeConfig88.wasm_config.ext_costs;
export type LimitConfig = typeof runtimeConfig88.wasm_config.limit_config;
export type RuntimeConfigView = typeof runtimeConfig88;

/** Fees that nodes charge but leave out of the RPC's view (nearcore `parameters.yaml`). */
const UNLISTED_FEES = {
  deploy_global_contract_cost: same(184_765_750_000),
  deploy_global_contract_cost_per_byte: {
    send_sir: 6_812_999,
    send_not_sir: 47_683_715,
    execution: 70_000_000,
  },
  use_global_contract_cost: same(184_765_750_000),
  use_global_contract_cost_per_byte: {
    send_sir: 6_812_999,
    send_not_sir: 47_683_715,
    execution: 64_572_944,
  },
} satisfies Record<string, Fee>;

function same(gas: number): Fee {
  return { send_sir: gas, send_not_sir: gas, execution: gas };
}

/** Everything the runtime needs to know about the protocol it runs. Balances are yoctoNEAR, gas is plain gas. */
export interface ProtocolConfig {
  protocolVersion: number;
  view: RuntimeConfigView;
  fees: RuntimeConfigView["transaction_costs"]["action_creation_config"] & typeof UNLISTED_FEES;
  receiptFee: Fee;
  dataReceiptFee: Fee;
  dataReceiptByteFee: Fee;
  ext: ExtCosts;
  limits: LimitConfig;
  storageAmountPerByte: bigint;
  /** NEP-591: burnt once for each byte of code published. */
  globalContractAmountPerByte: bigint;
  minGasPurchasePrice: bigint;
  accountCreationCharge: bigint;
  /** Share of the gas burnt by a call that its contract receives (30% up to protocol version 86, then none). */
  gasReward: { numerator: bigint; denominator: bigint };
}

/** Versions this chain can run: 84 is the oldest that released nodes still accept, 88 the newest. */
export const SUPPORTED_PROTOCOL_VERSIONS = [84, 88] as const;
export type SupportedProtocolVersion = (typeof SUPPORTED_PROTOCOL_VERSIONS)[number];

/**
 * The parameters of a protocol version. Version 84 differs in the price of an account, in gas being bought at the
 * block's price, in the contract's share of burnt gas, and in the host functions that came later.
 */
export function protocolConfig(version: SupportedProtocolVersion): ProtocolConfig {
  const view = structuredClone(runtimeConfig88);
  if (version === 84) {
    view.transaction_costs.action_creation_config.create_account_cost = same(3_850_000_000_000);
    view.transaction_costs.burnt_gas_reward = [3, 10];
    view.transaction_costs.ml_dsa_65_verification_cost = 0;
    view.min_gas_purchase_price = "0";
    view.account_creation_charge = "0";
    Object.assign(view.wasm_config, {
      gas_key_host_fns: false,
      one_yocto_on_promise: false,
      p256_verify_host_fn: false,
      ml_dsa_verify_host_fn: false,
      sha3_host_fns: false,
      yield_with_id_host_fns: false,
      chain_id_host_fn: false,
      universal_accounts: false,
    });
  }
  const costs = view.transaction_costs;
  const [numerator = 0, denominator = 1] = costs.burnt_gas_reward;
  return {
    protocolVersion: version,
    view,
    fees: { ...costs.action_creation_config, ...UNLISTED_FEES },
    receiptFee: costs.action_receipt_creation_config,
    dataReceiptFee: costs.data_receipt_creation_config.base_cost,
    dataReceiptByteFee: costs.data_receipt_creation_config.cost_per_byte,
    ext: view.wasm_config.ext_costs,
    limits: view.wasm_config.limit_config,
    storageAmountPerByte: BigInt(view.storage_amount_per_byte),
    globalContractAmountPerByte: 100_000_000_000_000_000_000n,
    minGasPurchasePrice: BigInt(view.min_gas_purchase_price),
    accountCreationCharge: BigInt(view.account_creation_charge),
    gasReward: { numerator: BigInt(numerator), denominator: BigInt(denominator) },
  };
}

/** Gas to send under a fee, by whether sender and receiver are one account. */
export function sendFee(fee: Fee, sameAccount: boolean): number {
  return sameAccount ? fee.send_sir : fee.send_not_sir;
}
