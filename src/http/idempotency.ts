import type { Context, MiddlewareHandler } from "hono";
import type { StatusCode } from "hono/utils/http-status";
import type { RequestKey, ServiceContext } from "../context.ts";
import { isForgotten, ledgerOf } from "../db/ledger.ts";
import {
  findKey,
  findStoredKey,
  isMark,
  type KeyRow,
  type KeyWithResponse,
  markKey,
} from "../db/queries/idempotency.ts";
import { checkpoint } from "../domain/checkpoints.ts";
import { ServiceError } from "../domain/errors.ts";
import { newUuid, toHex, type Uuid } from "../domain/ids.ts";
import { canonicalText } from "../domain/json-text.ts";
import { JSON_TYPE } from "../domain/media-types.ts";
import { seal, unseal } from "../domain/sealing.ts";
import { RESPONSE_PREFIX } from "../files/storage/keys.ts";
import { keepStream, keepText, openText, textKey } from "../files/storage/large-texts.ts";
import { type AppEnv, isWrite } from "./app-env.ts";

const MAX_KEY_LENGTH = 255;
const HOUR_MS = 60 * 60_000;
const REPLAYED = "Idempotency-Replayed";

/** Statuses of refusals that a concurrent request with the same key can cause: the key is looked up again before. */
const RACED = [402, 404, 409, 429];

/** A body that has a secret is stored sealed, after this mark, with the version of the secret that it is sealed under. */
const SEALED = /^sealed:(\d+):(.+)$/s;

export interface StoredResponses {
  /** Responds from a key's operation. */
  readonly operation: (c: Context<AppEnv>, id: Uuid) => Promise<Response>;
  /** Why an integration's keys may take no more of the database. */
  readonly full: (c: Context<AppEnv>) => Promise<ServiceError>;
}

/**
 * Carries out a write once for its Idempotency-Key, which belongs to the integration. The key is inserted in the batch
 * that has the effect, so that neither is there without the other; of two requests at once, one batch fails, and its
 * request gets the other's answer. A write that became an operation is answered from the operation.
 */
export const idempotency =
  (answers: StoredResponses): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    const name = unquoted(c.req.header("Idempotency-Key"));
    if (name === undefined || !isWrite(c.req.method, c.get("endpoint"))) return next();
    const length = Array.from(name).length;
    if (length < 1 || length > MAX_KEY_LENGTH) throw badKey();
    const key = new SentKey(c, name);
    const isLast = c.get("endpoint")?.looksUpKeyLast ?? false;
    const { row: knownRow, hasRoom } = isLast ? await key.prepare() : await key.find();
    checkpoint("idempotency.looked_up");
    if (knownRow && !c.get("endpoint")?.isStreamed) return key.replay(knownRow, answers);
    if (!knownRow && !hasRoom) {
      // Carried out twice, these do no harm. Kept beyond the share, their keys could fill the database.
      if (c.get("endpoint")?.needsNoRoom) return next();
      throw await answers.full(c);
    }
    key.knownRow = knownRow;
    c.set("caller", { ...c.get("caller"), requestKey: key });
    await next();
    checkpoint("idempotency.before_answer");
    if (!c.error) return key.mark();
    // After any other error the effect may be there, and its row needs the object; else clean-up deletes it.
    if (c.error instanceof ServiceError) key.deleteBody();
    const isSame = c.error instanceof SameRequest;
    const mayBeRaced =
      RACED.includes(c.res.status) ||
      // Whatever of the ledger it read first.
      isForgotten(c.error) ||
      (isLast && c.error instanceof ServiceError && c.error.details.operationUuid === undefined);
    const first = !knownRow && mayBeRaced ? (await key.find()).row : isSame && knownRow;
    if (!first) return;
    // That of the refusal.
    c.header("Retry-After", undefined);
    const answer = await key.replay(first, answers);
    // Without this, hono adds the headers of the replaced response.
    c.res = undefined;
    c.res = answer;
  };

/** The refusal of a key that may have been used before the ledger was lost: a new one could carry the write out again. */
const forgottenKey = (cause: unknown): ServiceError =>
  new ServiceError(
    "wallet_inactive",
    "Send the request again later with the same Idempotency-Key: the wallet is being restored, and until then it isn't known whether this request was carried out before.",
    { outcome: "unknown", retryable: true, retryAfter: 60, cause },
  );

/**
 * A key as it is, or the string in quotes that draft-ietf-httpapi-idempotency-key-header makes of it (RFC 9651), whose
 * parameters have no meaning.
 */
const unquoted = (header: string | undefined): string | undefined => {
  const quoted = /^"((?:[^"\\]|\\["\\])*)"(?: *;.*)?$/.exec(header ?? "")?.[1];
  return quoted === undefined ? header : quoted.replaceAll(/\\(["\\])/g, "$1");
};

const badKey = (): ServiceError => {
  const message = `Send an Idempotency-Key of 1 to ${MAX_KEY_LENGTH} characters.`;
  return new ServiceError("invalid_request", message, { issues: [{ path: ["Idempotency-Key"], message }] });
};

/** Ends a streamed request that was carried out before, once that is certain. */
class SameRequest extends ServiceError {
  constructor() {
    super("idempotency_key_in_flight", "This request was carried out before.");
  }
}

class SentKey implements RequestKey {
  readonly integrationId: Uuid;
  readonly key: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** The key's row, if a streamed body must be read before the requests can be compared. */
  knownRow: KeyRow | undefined;
  /** Null until a streamed body was read. */
  #fingerprint: Uint8Array | null = null;
  readonly #c: Context<AppEnv>;
  readonly #context: ServiceContext;
  /** An answer was kept for it. */
  #isKept = false;
  /** R2 key of the response's body; null if it isn't in R2. */
  #object: string | null = null;

  constructor(c: Context<AppEnv>, key: string) {
    this.#c = c;
    this.#context = c.get("context");
    this.integrationId = c.get("caller").integrationId;
    this.key = key;
    this.createdAt = this.#context.now();
    this.expiresAt = new Date(this.createdAt.getTime() + this.#context.settings.KEYS_KEPT_HOURS * HOUR_MS);
  }

  get fingerprint(): Uint8Array {
    if (this.#fingerprint === null) throw new Error("a streamed body is confirmed before its effect");
    return this.#fingerprint;
  }

  /** Without a look at the key: the ledger looks at it where it accepts the write. */
  async prepare(): Promise<{ readonly row: KeyRow | undefined; readonly hasRoom: boolean }> {
    await this.#read(await this.#body());
    return { row: undefined, hasRoom: true };
  }

  /**
   * The key's row, and whether there is room for a new one.
   * @throws ServiceError wallet_inactive with an unknown outcome while the ledger has forgotten its keys
   */
  async find(): Promise<{ readonly row: KeyRow | undefined; readonly hasRoom: boolean }> {
    try {
      return await this.#find();
    } catch (error) {
      throw isForgotten(error) ? forgottenKey(error) : error;
    }
  }

  async #find(): Promise<{ readonly row: KeyRow | undefined; readonly hasRoom: boolean }> {
    const { db, now } = this.#context;
    if (this.#fingerprint === null && !this.#c.get("endpoint")?.isStreamed)
      await this.#read(await this.#body());
    const wanted = { integrationId: this.integrationId, key: this.key, now: now() };
    const ledger = ledgerOf(this.#context, this.integrationId);
    if (this.#isOfLedger) return { row: await findKey(ledger, wanted), hasRoom: true };
    const [stored, used] = await Promise.all([findStoredKey(db, wanted), findKey(ledger, wanted)]);
    return used === undefined || isMark(used) ? stored : { ...stored, row: used };
  }

  get #isOfLedger(): boolean {
    return this.#c.get("endpoint")?.isOfLedger ?? false;
  }

  /** Notes in the ledger that D1 has the key, so that no write to the chain uses it. */
  async mark(): Promise<void> {
    if (this.#isOfLedger || !this.#isKept) return;
    await markKey(ledgerOf(this.#context, this.integrationId), this);
  }

  async confirm(digest: Uint8Array): Promise<void> {
    await this.#read(digest);
    if (!this.knownRow) return;
    this.#requireSame(this.knownRow);
    throw new SameRequest();
  }

  async keeps(
    status: number,
    body: string | AsyncIterable<Uint8Array> | null,
    { isSecret = false } = {},
  ): Promise<KeyWithResponse> {
    // That of an attempt before, which had no effect.
    this.deleteBody();
    this.#isKept = true;
    const kept = body === null ? { text: null, bytes: null } : await this.#keepBody(body, isSecret);
    this.#object = kept.text === null ? null : textKey(kept.text);
    return { key: this, response: { status, body: kept.text, bodyBytes: kept.bytes } };
  }

  /** Deletes the object of a body without a row, after the response. */
  deleteBody(): void {
    const { env, log, waitUntil } = this.#context;
    if (this.#object === null) return;
    const failed = (error: unknown) => log("idempotency.object_left", { error });
    waitUntil(env.BUCKET.delete(this.#object).catch(failed));
    this.#object = null;
  }

  /** Answers as the key's first request was answered. @throws ServiceError idempotency_key_reused */
  async replay(row: KeyRow, answers: StoredResponses): Promise<Response> {
    this.#requireSame(row);
    this.#c.header(REPLAYED, "true");
    if (row.operationId) return answers.operation(this.#c, row.operationId);
    if (row.body === null) return this.#c.newResponse(null, row.status as StatusCode);
    this.#c.header("Content-Type", JSON_TYPE);
    const body = await this.#openBody(row.body);
    return this.#c.newResponse(body as ReadableStream | string, row.status as StatusCode);
  }

  #requireSame({ fingerprint }: KeyRow): void {
    if (fingerprint !== null && toHex(fingerprint) === toHex(this.fingerprint)) return;
    throw new ServiceError(
      "idempotency_key_reused",
      "Use a new Idempotency-Key: this one was used for another request.",
    );
  }

  /** A JSON body in its canonical form, so that a repetition may write the same values in another way. */
  async #body(): Promise<Uint8Array> {
    const text = await this.#c.req.text();
    return new TextEncoder().encode(canonicalText(text) ?? text);
  }

  /** SHA-256 of method, path, query and the body, or its digest. */
  async #read(body: Uint8Array): Promise<void> {
    const { method, url: address } = this.#c.req;
    const url = new URL(address);
    // Answers that show keys are for the key that asked: another one may have fewer rights.
    const whose = this.#c.get("endpoint")?.scope === "full" ? ` ${this.#c.get("caller").keyId}` : "";
    const head = new TextEncoder().encode(`${method} ${url.pathname}${url.search}${whose}\n`);
    const bytes = new Uint8Array(head.length + body.length);
    bytes.set(head);
    bytes.set(body, head.length);
    this.#fingerprint = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  }

  /** A body with a secret is stored sealed, so that a copy of the database doesn't reveal it. */
  async #keepBody(body: string | AsyncIterable<Uint8Array>, isSecret: boolean) {
    const { env, settings } = this.#context;
    if (isSecret && typeof body === "string") {
      const { bytes, version } = await seal(Buffer.from(body), this.#sealedName, settings.WALLET_SECRETS);
      return { text: `sealed:${version}:${Buffer.from(bytes).toString("base64")}`, bytes: null };
    }
    const name = `${RESPONSE_PREFIX}${this.integrationId}/${newUuid()}`;
    return typeof body === "string" ? keepText(env.BUCKET, name, body) : keepStream(env.BUCKET, name, body);
  }

  /** @throws ServiceError conflict where it is sealed under a secret that the operator has removed since */
  async #openBody(kept: string): Promise<string | ReadableStream<Uint8Array>> {
    const { env, settings } = this.#context;
    const [, version, text] = SEALED.exec(kept) ?? [];
    if (version === undefined || text === undefined) return openText(env.BUCKET, kept);
    if (settings.WALLET_SECRETS[version] === undefined) {
      throw new ServiceError(
        "conflict",
        "This request was carried out, but its answer can't be opened any more. Rotate the webhook's secret, or the key, to get a new one.",
      );
    }
    const sealed = { bytes: Buffer.from(text, "base64"), version: Number(version) };
    return Buffer.from(await unseal(sealed, this.#sealedName, settings.WALLET_SECRETS)).toString();
  }

  /** No account id has a space, so that no wallet's copy passes for an answer. */
  get #sealedName(): string {
    return `answer ${this.integrationId} ${this.key}`;
  }
}
