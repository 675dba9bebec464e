import { Connections, connect } from "../chain/rpc.ts";
import { checkpoint } from "../domain/checkpoints.ts";
import { logLine } from "../domain/log-line.ts";
import { type Bindings, settingsOf } from "../env.ts";
import { Alarm, OPEN_EVERY_MS } from "./alarm.ts";
import { DisplayedBalance, Funds } from "./chain-state/funds.ts";
import { Head } from "./chain-state/head.ts";
import { Driver } from "./driver.ts";
import { Filing } from "./filing.ts";
import { entryOf, type Wallet } from "./interface.ts";
import { Journal } from "./journal/journal.ts";
import { LaneGrowth } from "./lanes/growth.ts";
import { LaneKeys } from "./lanes/lane-keys.ts";
import { Endings } from "./observing/endings.ts";
import { Landing } from "./observing/landing.ts";
import { Looker } from "./observing/look.ts";
import { MintedTokens } from "./observing/minted-tokens.ts";
import { Observer } from "./observing/observe.ts";
import { QuotaAhead } from "./quota-ahead.ts";
import { Records } from "./records.ts";
import { RollbackGuard } from "./rollback-guard.ts";
import type { Runtime } from "./runtime.ts";
import { Custody } from "./signing/custody.ts";
import { Dispatcher } from "./signing/dispatch.ts";
import { StorageAhead } from "./storage-ahead.ts";
import { Submission } from "./submit.ts";
import { Waiters } from "./waiters.ts";
import { WholeJournal } from "./whole-journal.ts";

/** Name of the platform account's object; its key comes from a secret. */
const PLATFORM = "platform";

/** What a wallet object consists of, each made once and given to those that use it. @param resume drives an operation */
export const wireWallet = (ctx: DurableObjectState, env: Bindings, resume: Wallet["resume"]) => {
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
  const whole = new WholeJournal({ ...runtime, journal, bucket: env.BUCKET, settings });
  const records = new Records({
    journal,
    whole,
    waiters,
    mintedTokens,
    explorerUrl: settings.EXPLORER_URL ?? null,
  });
  const head = new Head(rpc, runtime.now);
  const funds = new Funds(rpc, runtime.now);
  const isPlatform = env.WALLET.idFromName(PLATFORM).equals(ctx.id);
  const custody = new Custody({ ...runtime, journal, settings, isPlatform });
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
  const rollbackGuard = new RollbackGuard({ ...runtime, snapshots: journal.snapshots });
  const filing = new Filing({ ...runtime, ctx, journal, bucket: env.BUCKET, settings, driver });
  const alarm = new Alarm({ ...runtime, ctx, journal, filing, driver, rollbackGuard, custody, resume });
  const arm = () => alarm.arm(OPEN_EVERY_MS);
  const storage = new StorageAhead({ ...runtime, journal, funds, entry: entryOf(ctx) });
  const quota = new QuotaAhead({ ...runtime, journal, head, funds });
  const submission = new Submission({
    ...{ ...runtime, journal, whole, settings, head },
    ...{ funds, rollbackGuard, storage, quota, arm },
  });
  const landing = new Landing({ ...runtime, journal, rpc, head });
  const balance = new DisplayedBalance(rpc, runtime.now);
  return {
    ...{ ...runtime, connections, journal, whole, custody, submission, records, landing },
    ...{ funds, balance, observer, driver, rollbackGuard, alarm },
  };
};

export type WalletParts = ReturnType<typeof wireWallet>;
