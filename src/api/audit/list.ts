import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { type AuditRow, auditAfter } from "../../db/queries/audit.ts";
import { AUDIT_ACTIONS, AUDIT_KEPT_DAYS } from "../../domain/audit.ts";
import type { Uuid } from "../../domain/ids.ts";
import { prefers } from "../../http/acceptance.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { JSON_LIST, type ListFormat, listResponse } from "../../http/list-response.ts";
import { endpoint, json } from "../endpoint.ts";
import { type Shown, text, whole } from "../resources/samples.ts";
import { wholeNumber } from "../schemas/fields.ts";
import { LINK, pageQuery } from "../schemas/parameters.ts";

const NDJSON = "application/x-ndjson";

const auditView = z
  .object({
    seq: whole("The entry's number, counted for each integration.", 42),
    timestamp: z.iso.datetime(),
    action: z.enum(AUDIT_ACTIONS).openapi({ example: "key.created" }),
    subject_uuid: z
      .uuid()
      .nullable()
      .openapi({ description: "The key, collection, webhook or contract; null: the integration." }),
    changes: z.looseObject({}).openapi({
      description:
        "Values that were set, never secrets; `…` stands for one above 1 kB. Of a write to the chain with `operation_uuid`: it was accepted then, and its operation shows its end.",
    }),
    actor: z.object({
      type: z.enum(["key", "operator"]),
      key_uuid: z.uuid().nullable(),
      name: z.string().nullable().openapi({ description: "The key's name; null: the operator." }),
      network: text("The first 24 bits of the address (of IPv6 48); empty if unknown.", "203.0.113.0/24"),
    }),
  })
  .openapi("AuditEntry");
type AuditEntry = Shown<typeof auditView>;

const toEntry = ({ seq, createdAt, action, subjectId, changes, actor }: AuditRow): AuditEntry => ({
  seq,
  timestamp: createdAt.toISOString(),
  action: action as AuditEntry["action"],
  subject_uuid: subjectId,
  changes: changes as AuditEntry["changes"],
  actor: {
    type: actor.type,
    key_uuid: actor.type === "key" ? actor.key_uuid : null,
    name: actor.type === "key" ? actor.name : null,
    network: actor.network,
  },
});

const AS_LIST: ListFormat<AuditEntry> = { ...JSON_LIST, cursorName: "after" };
const AS_LINES: ListFormat<AuditEntry> = {
  contentType: NDJSON,
  opening: "",
  between: "",
  closing: "",
  write: (entry) => `${JSON.stringify(entry)}\n`,
  cursorName: "after",
};

const answer = json("The entries.", z.array(auditView), LINK);

/** What a list of audit entries takes and answers with, whoever asks for it. */
export const AUDIT_LIST = {
  query: z.strictObject({
    after: wholeNumber(/^(0|[1-9]\d{0,14})$/, "Give the seq of an entry, or 0.", {
      minimum: 0,
      description: "Lists entries with a higher seq; default: 0.",
    }).optional(),
    limit: pageQuery.shape.limit,
  }),
  success: { 200: { ...answer, content: { ...answer.content, [NDJSON]: { schema: z.string() } } } },
} as const;

/** An integration's entries as JSON or, where `Accept` asks for it, an entry a line. */
export const listAudit = (
  c: Context<AppEnv>,
  integrationId: Uuid,
  { after, limit }: z.output<typeof AUDIT_LIST.query>,
) => {
  const { db } = c.get("context");
  const format = prefers(NDJSON, c.req.header("Accept")) ? AS_LINES : AS_LIST;
  const cursor = after === undefined ? undefined : String(after);
  const read = async (place: string | null, size: number) => {
    const rows = await auditAfter(db, integrationId, Number(place ?? 0), size + 1);
    const shown = rows.slice(0, size);
    return { items: shown.map(toEntry), next: rows.length > size ? String(shown.at(-1)!.seq) : null };
  };
  return listResponse<AuditEntry>(c, { limit, cursor }, read, format);
};

export const auditList = endpoint(
  {
    method: "get",
    path: "/audit",
    operationId: "listAudit",
    scope: "full",
    tag: "Keys",
    summary: "List who changed what, oldest first",
    description:
      `Changes of keys, settings, payouts, webhooks and limits, by keys and by the operator. Entries are written with the change, are never changed, and are kept for ${AUDIT_KEPT_DAYS} days. ` +
      "With `Accept: application/x-ndjson` the answer has an entry a line. With `limit`, Link leads to the next page.",
    request: { query: AUDIT_LIST.query },
    success: AUDIT_LIST.success,
  },
  ({ caller: { integrationId }, query }, c) => listAudit(c, integrationId, query),
);
