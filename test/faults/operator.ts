/** The operator of a fault run: does by the operator's surface what docs/running.md says. */
import { uuidFromBytes } from "../../src/domain/ids.ts";
import type { Finding } from "./audit.ts";
import { pause } from "./client.ts";
import type { Effects } from "./effects.ts";
import { MARKER } from "./marker.ts";
import { type FaultyService, VALIDITY_BLOCKS } from "./service.ts";
import { type Entry, METHODS, type Shop } from "./workload.ts";

/** Blocks after which what a lost object had sent is final or stays away ("a minute or two"). */
const QUIET_BLOCKS = 60;
/** After this time R2, or at least D1, has what a ledger accepted; and how long keys are kept. By the run's clock, milliseconds. */
const KEPT_AFTER_MS = 600_000;
const KEPT_UNTIL_MS = 24 * 3_600_000;
/** Versions of a ledger after which there is something to forget that D1 or the chain knows. */
const ENOUGH_VERSIONS = 20;
/** Blocks after which the first transaction of a deployment was sent. */
const SENT_BLOCKS = 3;
/** The name of the platform's object. */
const PLATFORM = "platform";
const SLOW_MS = 60_000;
const PATIENCE_MS = 600_000;
const PAUSE_MS = 500;

interface OpenRow {
  readonly id: string;
  readonly kind: string;
  readonly request: string;
  readonly reference: string | null;
  readonly subject: string;
  readonly created_at: number;
}

/**
 * That an operation had no effect, that it had one, or which transaction it was, whose results its callers get. `forgotten`: its
 * ledger came back without it, and its transaction was on the chain by then.
 */
export type Settlement = "none" | "said" | "shown" | "forgotten";

export class Operator {
  readonly #service: FaultyService;
  readonly #effects: Effects;
  readonly #ledger: readonly Entry[];
  readonly #blockMs: number;
  /** What was said of operations that nobody could prove, by marker. */
  readonly settled = new Map<string, Settlement>();
  /** Keys that a restored ledger should have and doesn't. */
  readonly findings: Finding[] = [];
  /** Ledgers that were lost and set back, and came back; and the writes that these had forgotten. */
  lost = 0;
  setBack = 0;
  platformSetBack = 0;
  forgotten = 0;
  /** The version of the ledger that was copied last. */
  #copied = 0;
  readonly #restorations = new Map<Shop, number>();
  /** Losses in progress: from the order until the ledger has lost something. */
  readonly #underWay = new Set<Promise<unknown>>();
  /** When a ledger last forgot something, by the run's clock. */
  #lostAt = 0;

  /** @param blockMs time between blocks, milliseconds of the machine */
  constructor(service: FaultyService, effects: Effects, ledger: readonly Entry[], blockMs: number) {
    this.#service = service;
    this.#effects = effects;
    this.#ledger = ledger;
    this.#blockMs = blockMs;
  }

  async #post(path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
    const response = await fetch(`${this.#service.url}/admin/v1${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${this.#service.adminToken}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch(() => null);
    const text = (await response?.text().catch(() => "")) ?? "";
    return { status: response?.status ?? 0, body: text === "" ? null : JSON.parse(text) };
  }

  /** Repeats a request until it succeeds. @throws Error if it doesn't in time */
  async #insist(path: string): Promise<void> {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      const { status, body } = await this.#post(path);
      if (status === 200 || status === 201) return;
      if (Date.now() > until) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
      await pause(PAUSE_MS);
    }
  }

  /** A ledger's object is lost: it is brought back. */
  async loseLedger(shop: Shop): Promise<void> {
    await this.#losing(this.#lose(shop));
    this.#lostAt = this.#service.now();
    await this.#restore(shop, this.#sentBy(shop));
    this.lost += 1;
  }

  async #lose({ integrationUuid: wallet }: Shop): Promise<void> {
    // A restart at the same moment may spare it.
    do await this.#service.suffer({ do: "lose", wallet });
    while ((await this.#versionOf(wallet)) > 0);
  }

  async #losing<T>(loss: Promise<T>): Promise<T> {
    this.#underWay.add(loss);
    return loss.finally(() => this.#underWay.delete(loss));
  }

  /** Waits until the ledgers that are to lose something have lost it. */
  async losses(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  /** Copies a ledger's object, to set it back to. */
  async copyLedger({ integrationUuid: uuid }: Shop): Promise<void> {
    await this.#service.copyLedger(uuid);
    // Not before: until it is copied, a ledger goes on.
    this.#copied = await this.#versionOf(uuid);
  }

  async #versionOf(uuid: string): Promise<number> {
    const [meta] = await this.#service.ledgerRows<{ version: number }>(uuid, "SELECT version FROM meta");
    return meta!.version;
  }

  /** A ledger's object is set back to its copy, has to notice it, and is brought back. @param before what comes first */
  async setLedgerBack(shop: Shop, before: () => Promise<void>): Promise<void> {
    if (!(await this.#losing(this.#setBack(shop, before)))) return;
    this.#lostAt = this.#service.now();
    const sent = this.#sentBy(shop);
    await this.#noticed(shop);
    await this.#restore(shop, sent);
    this.setBack += 1;
  }

  /** @returns whether it had something to forget */
  async #setBack(shop: Shop, before: () => Promise<void>): Promise<boolean> {
    let [version, until] = [0, 0];
    while (version <= this.#copied + ENOUGH_VERSIONS) {
      const now = await this.#versionOf(shop.integrationUuid);
      if (now > version) [version, until] = [now, Date.now() + SLOW_MS];
      // Where all wait for something else, it would forget nothing.
      else if (Date.now() > until) return false;
      else await pause(PAUSE_MS);
    }
    await before();
    await this.#service.setLedgerBack(shop.integrationUuid);
    return true;
  }

  /** The platform's object is set back while it deploys contracts for a shop: it goes on by itself, and the operator repeats them. */
  async setPlatformBack({ integrationUuid: uuid }: Shop): Promise<void> {
    const path = `/admin/v1/integration/${uuid}/contract`;
    const body = { name: "Another", symbol: "MORE" };
    const write = { method: "POST", path, body, key: null, patience: SLOW_MS } as const;
    // One that takes long is followed: to ask again would deploy one more, which takes as long.
    const deploy = async () => {
      for (const until = Date.now() + PATIENCE_MS; ; await pause(PAUSE_MS)) {
        const answer = await this.#service.operator.write(write);
        if (answer.kind === "success") return;
        if (Date.now() > until) throw new Error(`${path}: ${JSON.stringify(answer)}`);
      }
    };
    await this.#service.copyLedger(PLATFORM);
    await deploy();
    const underWay = deploy();
    await pause(SENT_BLOCKS * this.#blockMs);
    await this.#service.setLedgerBack(PLATFORM);
    await Promise.all([underWay, deploy()]);
    this.platformSetBack += 1;
  }

  /** How often a shop's ledger was brought back. */
  restorations(shop: Shop): number {
    return this.#restorations.get(shop) ?? 0;
  }

  /** What a ledger was sent so far. Taken once it is lost: a busy machine accepts more between an order to lose it and the loss. */
  #sentBy(shop: Shop): Entry[] {
    return this.#ledger.filter((entry) => entry.shop === shop && entry.standing.sent > 0);
  }

  /** Waits until a wallet says that it has to be restored. @throws Error if it doesn't in time */
  async #noticed({ integrationUuid: uuid }: Shop): Promise<void> {
    for (const until = Date.now() + PATIENCE_MS; ; await pause(PAUSE_MS)) {
      const response = await fetch(`${this.#service.url}/admin/v1/integration/${uuid}/wallet`, {
        headers: { authorization: `Bearer ${this.#service.adminToken}` },
      }).catch(() => null);
      const wallet = (await response?.json().catch(() => null)) as { state?: string } | null;
      if (wallet?.state === "restored") return;
      if (Date.now() > until)
        throw new Error(`the ledger of ${uuid} was set back, and went on as ${JSON.stringify(wallet)}`);
    }
  }

  /**
   * Restores a ledger, activates it once what it had sent is final, and compares the chain with what callers were told of
   * writes whose keys didn't come back. @param sent what was sent to it before
   */
  async #restore(shop: Shop, sent: readonly Entry[]): Promise<void> {
    const { integrationUuid: uuid } = shop;
    const { chain } = this.#service.chain;
    await this.#insist(`/integration/${uuid}/wallet/restore`);
    const { height } = chain.head;
    // In blocks, not in milliseconds: a busy machine makes fewer.
    while (chain.head.height < height + QUIET_BLOCKS) await pause(PAUSE_MS);
    const rows = await this.#service.ledgerRows<{ key: string; isKnown: 0 | 1 }>(
      uuid,
      `SELECT key, operations.id IS NOT NULL AS isKnown
       FROM idempotency_keys LEFT JOIN operations ON operations.id = idempotency_keys.operation_id`,
    );
    const known = new Map(rows.map(({ key, isKnown }) => [key, isKnown === 1]));
    const forgotten = sent.filter(({ key }) => key !== null && known.get(key) !== true);
    const missed = forgotten.filter((entry) => !known.has(entry.key!) && this.#isKept(entry));
    this.findings.push(...missed.map(withoutKey));
    for (const { standing } of forgotten) standing.isHeld = true;
    while (forgotten.some(({ standing }) => standing.underWay > 0)) await pause(PAUSE_MS / 5);
    await this.#noteForgotten(uuid, sent);
    await this.#insist(`/integration/${uuid}/wallet/activate`);
    // What is in no block by then stays away: neither its validity nor its nonce is good any more.
    while (forgotten.length > 0 && chain.head.height < height + VALIDITY_BLOCKS * 1.1) await pause(PAUSE_MS);
    this.#effects.read();
    for (const entry of forgotten) {
      const hadEffect = this.#effects.of(entry.evidence, METHODS[entry.kind]).length > 0;
      if (hadEffect) entry.standing.ruling = { kind: "settled", status: 0, body: null };
      // The key of what is known to be lost answers so for a week: who was told that it did nothing takes another.
      else if (known.has(entry.key!)) entry.key = `${entry.key}-again`;
      entry.standing.isHeld = false;
    }
    this.forgotten += forgotten.length;
    this.#restorations.set(shop, this.restorations(shop) + 1);
  }

  /** Whether a caller was told of its success so long before the loss that its key has to come back. */
  #isKept({ answer, told, standing }: Entry): boolean {
    const age = this.#lostAt - (told.at(-1)?.at ?? this.#lostAt);
    const isTold = answer?.kind === "success" && standing.ruling === null;
    return isTold && age > KEPT_AFTER_MS && age < KEPT_UNTIL_MS;
  }

  /**
   * Notes finalizations, which have no keys, whose operations didn't come back though their transactions are on the chain. A wallet
   * that isn't active yet has sent nothing since: the next finalization finds the collection, and has no transaction of its own.
   */
  async #noteForgotten(uuid: string, sent: readonly Entry[]): Promise<void> {
    const rows = await this.#service.ledgerRows<{ subject: string }>(
      uuid,
      "SELECT subject_id AS subject FROM operations WHERE kind = 'finalize'",
    );
    const subjects = new Set(rows.map(({ subject }) => subject));
    this.#effects.read();
    for (const { kind, path, marker, evidence } of sent) {
      if (kind !== "finalize" || this.#effects.of(evidence, METHODS[kind]).length === 0) continue;
      const [, draft = ""] = /^\/collection-draft\/([^/]+)\//.exec(path) ?? [];
      if (!subjects.has(draft.replaceAll("-", ""))) this.settled.set(marker, "forgotten");
    }
  }

  /**
   * Settles operations that are `unknown`, as the chain shows: `yes` as soon as the effect is final, `no` once nothing
   * that was signed before can land any more.
   */
  async settle(shops: readonly Shop[]): Promise<void> {
    this.#effects.read();
    const { clock } = this.#service;
    const validityMs = VALIDITY_BLOCKS * 1.1 * this.#blockMs * clock.rate;
    const open = await Promise.all(
      shops.map(({ integrationUuid }) =>
        this.#service.ledgerRows<OpenRow>(
          integrationUuid,
          `SELECT id, kind, request, reference, subject_id AS subject, created_at
           FROM operations WHERE state = 'unknown' LIMIT 200`,
        ),
      ),
    );
    for (const row of open.flat()) {
      const entry = this.#entryOf(row);
      // Of the opening, which goes on with what has succeeded only; or of the platform, which is repeated.
      if (!entry) {
        await this.#say(row.id, row.id, row.kind === "contract_deploy" ? [] : [null]);
        continue;
      }
      const [effect] = this.#effects.of(entry.evidence, METHODS[entry.kind]);
      // What a wallet that still has its journal may have sent later than that, it knows: it refuses to be told `no`.
      const since = Math.max(row.created_at, this.#lostAt);
      if (!effect && this.#service.now() < since + validityMs) continue;
      await this.#say(row.id, entry.marker, effect ? [effect.hash, null] : []);
    }
  }

  /**
   * Says what the chain shows. Where that is refused for now, the next look says it again.
   * @param effects the transaction that had the effect, then none where the service can't tell that it is the operation's; empty: there
   *   was no effect
   */
  async #say(id: string, marker: string, effects: readonly (string | null)[]): Promise<void> {
    const uuid = uuidFromBytes(Buffer.from(id, "hex"));
    const settlements = effects.map((hash) => ({
      had_effect: true,
      ...(hash !== null && { transaction_hash: hash }),
    }));
    for (const settlement of effects.length === 0 ? [{ had_effect: false }] : settlements) {
      const { status, body } = await this.#post(`/operation/${uuid}/settle`, settlement);
      if (status === 200) {
        const { state } = body as { state: string };
        this.settled.set(marker, effects.length === 0 ? "none" : state === "succeeded" ? "shown" : "said");
      }
      const { message = "" } = (body ?? {}) as { message?: string };
      if (!/settle (?:it )?without/i.test(message)) return;
    }
  }

  #entryOf({ request, reference, subject }: OpenRow): Entry | undefined {
    const marker = reference ?? MARKER.exec(request)?.[0];
    if (marker) return this.#ledger.find((entry) => entry.marker === marker);
    const uuid = uuidFromBytes(Buffer.from(subject, "hex"));
    return this.#ledger.find(({ kind, path }) => kind === "finalize" && path.includes(uuid));
  }
}

const withoutKey = (entry: Entry): Finding => ({
  figure: "wrong",
  text: `${entry.kind} ${entry.ordinal}: its ledger came back without its key: who repeats it has it done again`,
  entry,
});
