import { z } from "@hono/zod-openapi";
import type { ToolAnnotations } from "@modelcontextprotocol/server";
import type { Caller, ServiceContext } from "../../context.ts";
import { readOperationLimits } from "../../db/queries/usage.ts";
import { exactNear } from "../../domain/amounts.ts";
import { counted } from "../../domain/counted.ts";
import { ERROR_CODES, ERRORS, invalidField } from "../../domain/errors.ts";
import { isUuid, type Uuid } from "../../domain/ids.ts";
import { requireScope, requireUnlimited } from "../../domain/key-rights.ts";
import { bindQuote } from "../../operations/quotes.ts";
import { pause } from "../../waiting.ts";
import { walletOf } from "../../wallet/client.ts";
import { API_ENDPOINTS } from "../index.ts";
import type { OperationResource, Quote } from "../resources/operation.ts";
import { NOBODY } from "../resources/samples.ts";
import { walletPayout } from "../service/payout.ts";
import { requireConfirmed } from "./confirmation.ts";
import { describeOperation } from "./description.ts";
import { brief, bytesOf, fitted, nextAfter } from "./results.ts";
import { type Resource, type Sent, type Tool, type ToolCall, tool } from "./tool.ts";
import { sendForm, uploadFields } from "./upload.ts";

const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
/** Changes drafts and quotes, which are off the chain and free. */
const PREPARES: ToolAnnotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };

const UUID = "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11";
const uuid = (what: string) => z.string().refine(isUuid, "Give a UUID.").describe(`UUID of ${what}.`);
const full = {
  full: z.boolean().optional().describe("All of it, up to 64 kB; default: the important parts, 4 kB."),
};
const page = {
  ...full,
  limit: z.int().min(1).max(100).optional().describe("Entries of a page; default 5. More may exceed 4 kB."),
  cursor: z.string().optional().describe("`cursor` of the page before."),
};
const key = z
  .string()
  .regex(
    /^[\x21\x23-\x7e]{1,255}$/,
    "Use at most 255 letters, digits and signs, without spaces and quotation marks.",
  )
  .describe(
    "Your name for this purpose, such as order-1042, without spaces and quotation marks. Use the same one for every repetition.",
  );

const segment = encodeURIComponent;
const BRIEF_COLLECTION = [
  "collection_uuid",
  "collection_id",
  "title",
  "total_copies",
  "minted",
  "created_at",
];
const BRIEF_DRAFT = ["collection_draft_uuid", "state", "title", "collection_uuid", "created_at"];
const BRIEF_ASSET = ["asset_uuid", "asset_url", "copies", "asset_subtitle"];
/** Entries of a page by default. */
export const DEFAULT_LIMIT = 5;

interface PageInput {
  readonly full?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** Bytes of a page beside its entries: its cursor, and a note that it is shortened. */
const PAGE_BYTES = 250;

/** How many of a list's first entries fit into so many bytes as JSON; at least one. */
const fittingCount = (entries: readonly unknown[], room: number): number => {
  let left = room;
  const first = entries.findIndex((entry) => {
    left -= bytesOf(entry) + 1;
    return left < 0;
  });
  return first === -1 ? entries.length : Math.max(1, first);
};

/**
 * A page of a list, its entries with their important fields unless all were asked for. Where they are too long, fewer are
 * requested: entries and cursor are of one answer, so that none is skipped or comes twice.
 */
const listed = async (
  { send, room }: Pick<ToolCall, "send" | "room">,
  path: string,
  { full: isFull, limit = DEFAULT_LIMIT, cursor }: PageInput,
  shorten: (resource: Resource) => Resource,
) => {
  let most = limit;
  for (;;) {
    const query = new URLSearchParams({ limit: String(most), ...(cursor !== undefined && { cursor }) });
    const sent = await send<Resource[]>("GET", `${path}${path.includes("?") ? "&" : "?"}${query}`);
    const items = isFull ? sent.body : sent.body.map(shorten);
    most = fittingCount(items, room - PAGE_BYTES);
    if (most === items.length) return { items, cursor: sent.cursor };
  }
};

/** A resource and a page of its assets, each in half of the result. */
const withAssets = async (call: ToolCall, resource: Resource, draft: string, input: PageInput) => {
  const room = Math.floor(call.room / 2);
  const path = `/collection-draft/${segment(draft)}/asset`;
  const assets = await listed({ ...call, room }, path, input, (asset) => brief(asset, BRIEF_ASSET));
  return { resource: fitted(resource, room - PAGE_BYTES, input.full !== true), assets };
};

/** Writes that a quote can be for: all that touch the chain. */
const WRITES = new Map(
  API_ENDPOINTS.filter(({ definition }) => definition.operation).map(({ definition }) => [
    definition.operationId,
    definition,
  ]),
);
const WRITE_NAMES = [...WRITES.keys()] as [string, ...string[]];
const DRAFT_WRITES = ["createCollectionDraft", "updateCollectionDraft"] as const;

const near = (yocto: string): string => `${exactNear(yocto)} NEAR`;

/** What became of an operation, as a sentence, and what to call next. */
const outcomeOf = ({ kind, state, cost, answer }: OperationResource) => {
  const what = `The ${kind.replaceAll("_", " ")}`;
  const paid = cost.actual === null ? "" : ` It has cost ${near(cost.actual)}.`;
  switch (state) {
    case "succeeded": {
      const failures = failuresOf((answer?.body ?? {}) as LongParts)?.length ?? 0;
      const part = failures === 0 ? "" : `, but ${counted(failures, "change")} failed`;
      return { summary: `${what} succeeded${part}.${paid}` };
    }
    case "failed": {
      const { code } = (answer?.body ?? {}) as { readonly code?: string };
      return { summary: `${what} failed: ${code}.${paid}`, next: "Call `explain_error` with the code." };
    }
    case "unknown":
      return {
        summary: `The nodes can't prove whether ${what.toLowerCase()} took effect.`,
        next: nextAfter({ code: "outcome_unknown" }),
      };
    default:
      return { summary: `${what} is in progress.`, next: "Call `follow` again." };
  }
};

/** The parts of answers that are long. */
interface LongParts extends Resource {
  readonly tokens?: readonly { readonly token_id: string }[];
  readonly results?: readonly { readonly status: string }[];
}

/** Of a write that changes several tokens: those that it didn't change. */
const failuresOf = ({ results }: LongParts) => results?.filter(({ status }) => status === "failed");

/** What a write was answered, without its long parts, which `full` has: ids instead of NFTs, and changes that failed. */
const briefAnswer = (answer: LongParts): Resource => {
  const { tokens, token, results, tx_results: _, near_collection: _2, ipfs_result: _3, ...rest } = answer;
  return {
    ...rest,
    ...(tokens && { token_ids: tokens.map(({ token_id: id }) => id) }),
    ...(token !== undefined && { token_id: (token as Resource).token_id }),
    ...(results && { failures: failuresOf(answer) }),
  };
};

/** An operation without the long parts of its answer, which `full` has. */
const briefOperation = ({ answer, transactions, ...operation }: OperationResource) => ({
  ...operation,
  transactions: transactions.map(({ transaction_hash: hash }) => hash),
  answer: answer && briefAnswer((answer.body ?? {}) as LongParts),
});

/** How long `follow` waits for an operation's end, and how often it looks. Milliseconds. */
const FOLLOW = { patienceMs: 20_000, everyMs: 2_000 };

const LOOKING: readonly Tool[] = [
  tool("me", {
    description:
      "Your integration, the scopes and budget of your key, the wallet and its money, contracts and limits.",
    input: full,
    example: {},
    annotations: READS,
    run: async ({ send }) => (await send("GET", "/me")).body,
  }),
  tool("list_collections", {
    description: "Collections on the chain, newest first.",
    input: page,
    example: { limit: 5 },
    annotations: READS,
    run: (call, input) =>
      listed(call, "/collection", input, (collection) => brief(collection, BRIEF_COLLECTION)),
  }),
  tool("read_collection", {
    description: "A collection with links to its pictures, and ids of its assets.",
    input: { collection_uuid: uuid("the collection"), ...page },
    example: { collection_uuid: UUID },
    annotations: READS,
    run: async (call, { collection_uuid: id, ...input }) => {
      const { body } = await call.send("GET", `/collection/${segment(id)}`);
      const draft = String(body.collection_draft_uuid);
      const { resource: collection, assets: pictures } = await withAssets(call, body, draft, input);
      return { collection, pictures };
    },
  }),
  tool("list_drafts", {
    description: "Drafts of collections, newest first, also those that became collections.",
    input: page,
    example: { limit: 5 },
    annotations: READS,
    run: (call, input) => listed(call, "/collection-draft", input, (draft) => brief(draft, BRIEF_DRAFT)),
  }),
  tool("read_draft", {
    description: "A draft with its assets.",
    input: { collection_draft_uuid: uuid("the draft"), ...page },
    example: { collection_draft_uuid: UUID },
    annotations: READS,
    run: async (call, { collection_draft_uuid: id, ...input }) => {
      const { body } = await call.send("GET", `/collection-draft/${segment(id)}`);
      const { resource: draft, assets } = await withAssets(call, body, id, input);
      return { draft, assets };
    },
  }),
  tool("list_tokens", {
    description:
      "NFTs of a collection as the chain has them, with picture links; `owner` selects an account's.",
    input: { collection_uuid: uuid("the collection"), owner: z.string().optional(), ...page },
    example: { collection_uuid: UUID, owner: NOBODY },
    annotations: READS,
    run: (call, { collection_uuid: id, owner, ...input }) => {
      const filter = owner === undefined ? "" : `?owner=${segment(owner)}`;
      return listed(call, `/collection/${segment(id)}/token${filter}`, input, (token) => ({
        ...brief(token, ["token_id", "owner_id", "media_url"]),
        title: (token.metadata as Resource).title,
      }));
    },
  }),
  tool("describe", {
    description:
      "What a write does: its ids, the fields of its body, and an example. Call it before a first `quote`.",
    input: { write: z.enum([...DRAFT_WRITES, ...WRITE_NAMES]), ...full },
    example: { write: "mint" },
    annotations: READS,
    run: async ({ document }, { write, full: isFull = false }) =>
      describeOperation(await document(), write, isFull),
  }),
  tool("explain_error", {
    description: "The cause of an error's `code`, and what to do.",
    input: { code: z.enum(ERROR_CODES) },
    example: { code: "quote_expired" },
    annotations: READS,
    run: async (_call, { code }) => {
      const { remedy: _, ...rest } = ERRORS[code];
      return { code, ...rest, next: nextAfter({ code }) };
    },
  }),
];

/** What the day's budgets of the integration and of its key have left, yoctoNEAR; null: there are none. */
const leftToday = async (
  context: ServiceContext,
  { integrationId, keyId }: Caller,
): Promise<bigint | null> => {
  const { spendingPerDay, budgets } = await readOperationLimits(context.db, { integrationId, keyId });
  const limits = budgets.map(({ key: budget, perDay }) => ({ budget, perDay }));
  const all = [
    ...limits,
    ...(spendingPerDay === null ? [] : [{ budget: undefined, perDay: spendingPerDay }]),
  ];
  const wallet = walletOf(context.env, integrationId);
  const left = await Promise.all(
    all.map(async ({ budget, perDay }) => BigInt(perDay) - BigInt(await wallet.spentToday(budget))),
  );
  if (left.length === 0) return null;
  const least = left.reduce((lowest, each) => (each < lowest ? each : lowest));
  return least < 0n ? 0n : least;
};

const PREPARING: readonly Tool[] = [
  tool("save_draft", {
    description:
      "Creates a draft of a collection, or changes the one with `collection_draft_uuid`. Free and off the chain. `me` lists contracts; `describe` createCollectionDraft lists the fields.",
    input: {
      collection_draft_uuid: uuid("the draft to change; absent: a new draft").optional(),
      fields: z
        .record(z.string(), z.unknown())
        .describe("The body: a new draft needs contract_uuid and title."),
      idempotency_key: key,
    },
    example: { fields: { contract_uuid: UUID, title: "Night Herons" }, idempotency_key: "herons-draft" },
    annotations: { ...PREPARES, destructiveHint: true },
    run: async ({ send }, { collection_draft_uuid: id, fields, idempotency_key: name }) => {
      const path = `/collection-draft${id === undefined ? "" : `/${segment(id)}`}`;
      const sending = { json: fields, headers: { "Idempotency-Key": name } };
      const { body } = await send(id === undefined ? "POST" : "PUT", path, sending);
      return { draft: body, next: "Call `upload_assets`, then `quote` finalizeCollectionDraft." };
    },
  }),
  tool("upload_assets", {
    description:
      "Fetches media files of at most 1 MB from https URLs, or takes them from data: URLs, of at most 750 kB in a call, and attaches them to a draft, all or none.",
    input: { collection_draft_uuid: uuid("the draft"), ...uploadFields, idempotency_key: key },
    example: {
      collection_draft_uuid: UUID,
      assets: [
        { url: "https://example.com/heron.png", copies: 10, subtitle: "No. $TOKEN_NUM of $TOTAL_NUM" },
      ],
      idempotency_key: "herons-pictures",
    },
    annotations: { ...PREPARES, openWorldHint: true },
    run: async (call, { collection_draft_uuid: id, assets, idempotency_key: name }) => {
      // Before the service fetches anything for it.
      requireScope(call.caller.rights, "drafts");
      requireUnlimited(call.caller.rights);
      const draft = `/collection-draft/${segment(id)}`;
      await call.send("GET", draft);
      const headers = { "Idempotency-Key": name };
      const { body } = await sendForm(call.context, call.caller, assets, (form) =>
        call.send<Resource[]>("POST", `${draft}/asset-bulk`, { form, headers }),
      );
      const attached = body.map((asset) => brief(asset, BRIEF_ASSET));
      return { attached, next: "Call `upload_assets` for more, or `quote` finalizeCollectionDraft." };
    },
  }),
  tool("quote", {
    description: `Plans a write to the chain and says what it costs at most. Sends nothing. The quote keeps the write for ten minutes; \`execute\` carries it out. Writes: ${WRITE_NAMES.join(", ")}. \`describe\` explains each.`,
    input: {
      write: z.enum(WRITE_NAMES),
      collection_uuid: uuid("the collection, for writes to one").optional(),
      collection_draft_uuid: uuid("the draft, to finalize it").optional(),
      drop_id: z.int().optional().describe("The claim drop, for writes to one."),
      body: z
        .record(z.string(), z.unknown())
        .optional()
        .describe("The write's body, as `describe` explains it."),
    },
    example: { write: "mint", collection_uuid: UUID, body: { receiver_addresses: [NOBODY] } },
    annotations: PREPARES,
    run: async ({ context, caller, send }, { write, body, ...ids }) => {
      const { method, path: template } = WRITES.get(write)!;
      const path = template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
        const id = (ids as Resource)[name];
        if (id === undefined) throw invalidField([name], `Give it: ${write} needs it.`);
        return segment(String(id));
      });
      const surplus = Object.keys(ids).find((name) => !template.includes(`{${name}}`));
      if (surplus !== undefined) throw invalidField([surplus], `Leave it out: ${write} isn't for one.`);
      // As in the client: a mistyped receiver is refused unless the caller asks for it.
      const { receivers_must_exist: must } = body ?? {};
      const whole = write === "mint" ? { ...body, receivers_must_exist: must ?? true } : body;
      const json = { method: method.toUpperCase(), path, body: whole, keep: true };
      const { body: quote } = await send<Quote>("POST", "/quote", { json });
      const { expected, at_most: most } = quote.cost;
      // Budgets don't count it.
      const left = write === walletPayout.definition.operationId ? null : await leftToday(context, caller);
      const summary = `Costs about ${near(expected)}, at most ${near(most)}. Nothing has been sent.`;
      if (quote.wallet.missing !== "0") {
        const next = `Tell your owner that the wallet lacks ${near(quote.wallet.missing)}: \`me\` shows its account.`;
        return { summary, next, quote };
      }
      if (left !== null && BigInt(most) > left) {
        const next = `Tell your owner that the budget of today (UTC) has ${near(String(left))} left, so that \`execute\` may be refused.`;
        return { summary, next, quote };
      }
      const next = `Call \`execute\` with this quote_uuid before ${quote.valid_until} if the cost is right`;
      const { permanent } = quote;
      if (permanent.length === 0) return { summary, next: `${next}.`, quote };
      return {
        summary,
        next: `${next} and this may be done, which nobody can undo: ${permanent.join(" ")}`,
        quote,
      };
    },
  }),
];

/** What a write came to, and what to call next. */
const endOf = ({ body, operationUuid }: Sent<LongParts>) => {
  if (operationUuid === null) return { summary: "Nothing to change: nothing was sent." };
  const failures = failuresOf(body)?.length ?? 0;
  if (failures > 0)
    return { summary: `Done, but ${counted(failures, "change")} failed: \`answer\` has why.` };
  const summary = "Done: it is final on the chain.";
  if (body.near_collection === undefined) return { summary };
  return { summary, next: "Call `quote` mint with its collection_uuid, or `read_collection`." };
};

const SPENDING: readonly Tool[] = [
  tool("execute", {
    description:
      "The only tool that spends. Carries out exactly what `quote` planned, for at most its cost, and once; above your key's confirm_above, and where nobody can undo it, a person confirms it. After a lost answer call it again with the same quote_uuid and idempotency_key.",
    input: { quote_uuid: uuid("the quote"), idempotency_key: key, ...full },
    example: { quote_uuid: UUID, idempotency_key: "order-1042" },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
    run: async (call, { quote_uuid: id, idempotency_key: name, full: isFull = false }) => {
      const { context, caller, send } = call;
      const quote = id.toLowerCase() as Uuid;
      await requireConfirmed(call, quote, name);
      const { method, path, body } = await bindQuote(context, caller.integrationId, quote, name);
      const headers = { "Idempotency-Key": name, "Mintage-Quote": quote };
      const sent = await send(method, path, { json: body, headers });
      const operation = { operation_uuid: sent.operationUuid };
      return sent.status === 202
        ? { summary: "Accepted and in progress.", next: "Call `follow` with operation_uuid.", ...operation }
        : {
            ...endOf(sent),
            ...operation,
            answer: isFull ? sent.body : briefAnswer(sent.body),
          };
    },
  }),
  tool("follow", {
    description: "The outcome of an operation in a sentence. Waits up to 20 s for its end.",
    input: { operation_uuid: uuid("the operation, from `execute`"), ...full },
    example: { operation_uuid: UUID },
    annotations: READS,
    run: async ({ context, send }, { operation_uuid: id, full: isFull = false }) => {
      const until = context.now().getTime() + FOLLOW.patienceMs;
      for (;;) {
        const { body } = await send<OperationResource>("GET", `/operation/${segment(id)}`);
        if (body.state !== "pending" || context.now().getTime() >= until)
          return { ...outcomeOf(body), operation: isFull ? body : briefOperation(body) };
        await pause(FOLLOW.everyMs);
      }
    },
  }),
];

/** All tools, in the order in which a task needs them. */
export const TOOLS: readonly Tool[] = [...LOOKING, ...PREPARING, ...SPENDING];
