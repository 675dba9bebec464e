import { Connections, connect } from "../chain/rpc.ts";
import { checkpoint } from "../domain/checkpoints.ts";
import { logLine } from "../domain/log-line.ts";
import { type Bindings, settingsOf } from "../env.ts";
import { Alarm, OPEN_EVERY_MS } from "./alarm.ts";
import { DisplayedBalance, Funds } from "./chain-state/funds.ts";
import { Head } from "./chain-state/head.ts";
import { Driver } from "./driver.ts";
import { Guard } from "./guard.ts";
import { entryOf, type Wallet } from "./interface.ts";
import { Journal } from "./journal/journal.ts";
import { LaneGrowth } from "./lanes/growth.ts";
import { LaneKeys } from "./lanes/lane-keys.ts";
import { Endings } from "./observing/endings.ts";
import { Landing } from "./observing/landing.ts";
import { Looker } from "./observing/look.ts";
import { MintedTokens } from "./observing/minted-tokens.ts";
import { Observer } from "./observing/observe.ts";
import { Outbox } from "./outbox.ts";
import { QuotaAhead } from "./quota-ahead.ts";
import { Records } from "./records.ts";
import type { Runtime } from "./runtime.ts";
import { Custody } from "./signing/custody.ts";
import { Dispatcher } from "./signing/dispatch.ts";
import { StorageAhead } from "./storage-ahead.ts";
import { Submission } from "./submit.ts";
import { Waiters } from "./waiters.ts";

/** Name of the platform account's object; its key comes from a secret. */
const PLATFORM = "platform";

/** What a wallet object consists of, each made once and given to those that use it. @param resume drives an operation */
export const wireWallet = (
  ctx: DurableObjectState,
  env: Bindings,
  { resume, shippingDue }: { readonly resume: Wallet["resume"]; readonly shippingDue: () => number | null },
) => {
  const settings = settingsOf(env);
  const journal = new Journal(ctx.storage);
  const connections = new Connections();
  const rpc = connect(settings, { connections });
  const waiters = new Waiters();
  const runtime: Runtime = {
    now: () => Date.now(),
    log: (event, fields) => console.log(logLine(new Date(), event, { wallet: ctx.id.toString(), ...fields })),
    at: (point) => checkpoint(point, () => ctx.abort(`killed at ${point}`)),
  };
  const mintedTokens = new MintedTokens({ ...runtime, rpc });
  const records = new Records({
    journal,
    waiters,
    mintedTokens,
    explorerUrl: settings.EXPLORER_URL ?? null,
  });
  const head = new Head(rpc, runtime.now);
  const funds = new Funds(rpc, runtime.now);
  const isPlatform = env.WALLET.idFromName(PLATFORM).equals(ctx.id);
  const custody = new Custody({ ...runtime, journal, settings, isPlatform, guard: () => guard });
  const signing = () => custody.signing();
  const maySign = () => custody.signing() !== null;
  const keys = new LaneKeys({ ...runtime, journal, rpc, head, maySign });
  const growth = new LaneGrowth({ ...runtime, journal, settings, head, funds, signing });
  const committed = () => ctx.storage.sync();
  const dispatcher = new Dispatcher({
    ...{ ...runtime, journal, rpc, settings, head },
    ...{ funds, waiters, custody, growth, committed },
  });
  const endings = new Endings({
    ...{ ...runtime, journal, rpc, records, head },
    ...{ funds, waiters, mintedTokens, grown: () => growth.grown() },
  });
  const looker = new Looker({ ...runtime, journal, rpc, head, dispatcher, endings, keys });
  const observer = new Observer({ ...runtime, journal, head, dispatcher, looker, keys });
  const driver = new Driver({ ...runtime, journal, head, keys, dispatcher, observer, maySign });
  const setBack: Guard["setBack"] = (known) => guard.setBack(known);
  const outbox = new Outbox({ ...runtime, storage: ctx.storage, d1: env.DB, setBack });
  const guard = new Guard({ ...runtime, storage: ctx.storage, outbox, journal, keys, isPlatform });
  const alarm = new Alarm({
    ...{ ...runtime, ctx, journal, outbox, settings },
    ...{ driver, custody, resume, shippingDue },
  });
  const arm = () => alarm.arm(OPEN_EVERY_MS);
  const storage = new StorageAhead({ ...runtime, journal, funds, entry: entryOf(ctx) });
  const quota = new QuotaAhead({ ...runtime, journal, head, funds });
  const submission = new Submission({
    ...{ ...runtime, journal, settings, head },
    ...{ funds, storage, quota, arm },
  });
  const landing = new Landing({ ...runtime, journal, rpc, head });
  const balance = new DisplayedBalance(rpc, runtime.now);
  return {
    ...{ ...runtime, connections, journal, custody, submission, records, landing },
    ...{ funds, balance, observer, driver, outbox, guard, alarm },
  };
};

export type WalletParts = ReturnType<typeof wireWallet>;
