import { readBlock } from "./blocks.ts";
import type { GasPrices } from "./cost.ts";
import { protocolLimits } from "./protocol.ts";
import type { ChainRpc } from "./rpc.ts";

/** What gas costs at the last final block. @throws ChainUnavailableError */
export const readGasPrices = async (rpc: ChainRpc): Promise<GasPrices> => {
  const [{ gasPrice }, { minGasPurchasePrice }] = await Promise.all([
    readBlock(rpc, "final"),
    protocolLimits(rpc),
  ]);
  return { burnt: gasPrice, leastBought: minGasPurchasePrice };
};
