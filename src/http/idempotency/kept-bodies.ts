import type { ServiceContext } from "../../context.ts";
import { ServiceError } from "../../domain/errors.ts";
import { newUuid, type Uuid } from "../../domain/ids.ts";
import type { Bindings } from "../../env.ts";
import { type KeptText, keepStream, keepText, openText } from "../../storage/large-texts.ts";
import { seal, unseal } from "../../wallet/signing/sealing.ts";

/** A body that has a secret is kept sealed, after this mark, with the version of the secret that it is sealed under. */
const SEALED = /^sealed:(\d+):(.+)$/s;

/** Whose answer it is. */
export interface BodyOwner {
  readonly integrationId: Uuid;
  readonly key: string;
}

type Service = Pick<ServiceContext, "settings"> & { readonly env: Pick<Bindings, "BUCKET"> };

/** What the row of a key keeps of an answer's body: itself, where R2 has it, or nothing where there is none. */
export type KeptBody = KeptText | { readonly text: null; readonly bytes: null };

/** A body that an answer has; null: none. */
export type AnswerBody = string | AsyncIterable<Uint8Array> | null;

/**
 * Keeps a body for the row of a key. One that has a secret is sealed: what reads the database, or a copy of it, doesn't
 * learn it.
 */
export const keepBody = async (
  { env, settings }: Service,
  owner: BodyOwner,
  body: AnswerBody,
  isSecret: boolean,
): Promise<KeptBody> => {
  if (body === null) return { text: null, bytes: null };
  if (isSecret) {
    const pieces = typeof body === "string" ? [Buffer.from(body)] : [];
    if (typeof body !== "string") for await (const piece of body) pieces.push(Buffer.from(piece));
    const { bytes, version } = await seal(Buffer.concat(pieces), nameOf(owner), settings.WALLET_SECRETS);
    return { text: `sealed:${version}:${Buffer.from(bytes).toString("base64")}`, bytes: null };
  }
  const name = `${owner.integrationId}/${newUuid()}`;
  return typeof body === "string" ? keepText(env.BUCKET, name, body) : keepStream(env.BUCKET, name, body);
};

/**
 * The body that was kept for a key.
 * @throws ServiceError conflict where it is sealed under a secret that the operator has taken out since
 */
export const openBody = async (
  { env, settings }: Service,
  owner: BodyOwner,
  kept: string,
): Promise<string | ReadableStream<Uint8Array>> => {
  const [, version, text] = SEALED.exec(kept) ?? [];
  if (version === undefined || text === undefined) return openText(env.BUCKET, kept);
  if (settings.WALLET_SECRETS[version] === undefined) {
    throw new ServiceError(
      "conflict",
      "This request was carried out, but its answer can't be opened any more. Rotate the webhook's secret to get a new one.",
    );
  }
  const sealed = { bytes: Buffer.from(text, "base64"), version: Number(version) };
  return Buffer.from(await unseal(sealed, nameOf(owner), settings.WALLET_SECRETS)).toString();
};

/** No account id has a space, so that no wallet's copy passes for an answer. */
const nameOf = ({ integrationId, key }: BodyOwner): string => `answer ${integrationId} ${key}`;
