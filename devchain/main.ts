/** Starts an embedded chain from the command line: `node devchain/main.ts --port 3030 --data .mintage/chain`. */
import { parseArgs } from "node:util";
import { type DevchainOptions, type GenesisAccount, startDevchain } from "./index.ts";

const USAGE = `Usage: node devchain/main.ts [options]
  --port N              port to listen on (3030)
  --host ADDRESS        address to listen on (127.0.0.1)
  --data DIR            where to keep state (absent: in memory only)
  --block-ms N          milliseconds between blocks (600)
  --manual              no blocks by the clock, only by devchain_advance
  --account ID:KEY:YOCTO  an account to have, with its full-access key (may be repeated)
  --chain-id NAME       (mintage-devnet)
  --protocol-version N  84 or 88 (88)
  --validity-period N   blocks during which a transaction can get in (86400)
  --epoch-length N      blocks of an epoch (43200)
  --gc-blocks N         blocks after which history is forgotten (5 epochs)`;

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

function wholeNumber(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d+$/.test(value)) fail(`--${name}: give a whole number, not '${value}'`);
  return Number(value);
}

/** `id:ed25519:base58:yocto` */
function account(value: string): GenesisAccount {
  const found = /^([^:]+):((?:ed25519|secp256k1):[^:]+):(\d+)$/.exec(value);
  if (!found) fail(`--account: give ID:ed25519:PUBLIC-KEY:YOCTO, not '${value}'`);
  const [, accountId = "", publicKey = "", balance = ""] = found;
  return { accountId, publicKey, balance };
}

function options(): DevchainOptions {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: "3030" },
      host: { type: "string", default: "127.0.0.1" },
      data: { type: "string" },
      "block-ms": { type: "string" },
      manual: { type: "boolean" },
      account: { type: "string", multiple: true },
      "chain-id": { type: "string" },
      "protocol-version": { type: "string" },
      "validity-period": { type: "string" },
      "epoch-length": { type: "string" },
      "gc-blocks": { type: "string" },
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const version = wholeNumber("protocol-version", values["protocol-version"]);
  if (version !== undefined && version !== 84 && version !== 88) fail("--protocol-version: give 84 or 88");
  return {
    port: wholeNumber("port", values.port),
    host: values.host,
    dataDir: values.data,
    blockMs: wholeNumber("block-ms", values["block-ms"]),
    manual: values.manual,
    accounts: values.account?.map(account),
    chainId: values["chain-id"],
    protocolVersion: version,
    transactionValidityPeriod: wholeNumber("validity-period", values["validity-period"]),
    epochLength: wholeNumber("epoch-length", values["epoch-length"]),
    gcBlocks: wholeNumber("gc-blocks", values["gc-blocks"]),
  };
}

function readOptions(): DevchainOptions {
  try {
    return options();
  } catch (error) {
    return fail(`${(error as Error).message}\n\n${USAGE}`);
  }
}

const chosen = readOptions();
try {
  const devchain = await startDevchain(chosen);
  const stop = () => void devchain.close().then(() => process.exit(0));
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  console.log(`devchain listening on ${devchain.url}`);
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  fail(
    code === "EADDRINUSE"
      ? `port ${chosen.port} is in use: stop what listens there, or choose another with --port`
      : message,
  );
}
