import { readBlock } from "./blocks.ts";
import type { GasPrices } from "./cost.ts";
import type { ChainRpc } from "./rpc.ts";

/** What the protocol allows, as the chain's own configuration says (a released node may differ from the documents). */
export interface ProtocolLimits {
  /** Gas that one transaction may carry in all. */
  readonly maxTotalPrepaidGas: bigint;
  /** Blocks after its base block in which a transaction may be included. */
  readonly transactionValidityPeriod: number;
  /** Lowest price of a unit of gas, yoctoNEAR. */
  readonly minGasPrice: bigint;
  /** Lowest price at which gas is bought ahead, yoctoNEAR; 0 before the protocol had one. */
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

/** The limits in force, read from `EXPERIMENTAL_protocol_config` and kept for ten minutes. @throws ChainUnavailableError */
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

/** What gas costs at the last final block. @throws ChainUnavailableError */
export const readGasPrices = async (rpc: ChainRpc): Promise<GasPrices> => {
  const [{ gasPrice }, { minGasPurchasePrice }] = await Promise.all([
    readBlock(rpc, "final"),
    protocolLimits(rpc),
  ]);
  return { burnt: gasPrice, leastBought: minGasPurchasePrice };
};
