import { readBlock } from "./blocks.ts";
import type { GasPrices } from "./cost.ts";
import type { ChainRpc } from "./rpc.ts";

/** Limits of the protocol, from the chain's own configuration (a released node may differ from the documentation). */
export interface ProtocolLimits {
  readonly maxTotalPrepaidGas: bigint;
  /** Number of blocks after its base block in which a transaction can be included. */
  readonly transactionValidityPeriod: number;
  /** Minimum price of a unit of gas, yoctoNEAR. */
  readonly minGasPrice: bigint;
  /** Minimum price at which gas is purchased in advance, yoctoNEAR; 0 before PV 85. */
  readonly minGasPurchasePrice: bigint;
  readonly protocolVersion: number;
}

interface ProtocolConfig {
  readonly protocol_version: number;
  readonly transaction_validity_period: number;
  readonly min_gas_price?: string;
  readonly runtime_config: {
    readonly min_gas_purchase_price?: string;
    readonly wasm_config: { readonly limit_config: { readonly max_total_prepaid_gas: number } };
  };
}

const KEPT_MS = 10 * 60_000;
const known = new Map<string, { readonly limits: ProtocolLimits; readonly until: number }>();

/** The current limits, from `EXPERIMENTAL_protocol_config`, cached for ten minutes. @throws ChainUnavailableError */
export const protocolLimits = async (rpc: ChainRpc): Promise<ProtocolLimits> => {
  const name = rpc.endpoints.join();
  const kept = known.get(name);
  if (kept && kept.until > Date.now()) return kept.limits;
  const config = await rpc.call<ProtocolConfig>("EXPERIMENTAL_protocol_config", { finality: "final" });
  const limits = {
    maxTotalPrepaidGas: BigInt(config.runtime_config.wasm_config.limit_config.max_total_prepaid_gas),
    transactionValidityPeriod: config.transaction_validity_period,
    minGasPrice: BigInt(config.min_gas_price ?? "100000000"),
    minGasPurchasePrice: BigInt(config.runtime_config.min_gas_purchase_price ?? "0"),
    protocolVersion: config.protocol_version,
  };
  known.set(name, { limits, until: Date.now() + KEPT_MS });
  return limits;
};

/** Gas prices at the last final block. @throws ChainUnavailableError */
export const readGasPrices = async (rpc: ChainRpc): Promise<GasPrices> => {
  const [{ gasPrice }, { minGasPurchasePrice }] = await Promise.all([
    readBlock(rpc, "final"),
    protocolLimits(rpc),
  ]);
  return { burnt: gasPrice, leastBought: minGasPurchasePrice };
};
