import { z } from "@hono/zod-openapi";
import { rightsOf } from "../../db/queries/api-keys.ts";
import { invalidField, ServiceError } from "../../domain/errors.ts";
import type { Issue } from "../../domain/issues.ts";
import { budgetsOf, rightsBeyond } from "../../domain/key-rights.ts";
import { issueKey, requireKey, wantedRights } from "../../operator/api-keys.ts";
import { endpoint, json, jsonBody } from "../endpoint.ts";
import { issuedKeyView } from "../resources/key.ts";
import { keyLimitFields, scopesField } from "../schemas/key.ts";

/** Most budgets that count one key's spending. */
const MOST_BUDGETS = 4;

const keyCreateBody = z
  .strictObject({ ...keyLimitFields("Absent: as your key."), scopes: scopesField })
  .openapi("KeyCreateInput");

/** The refusal of a key that may do more than the caller's. */
export const beyondRights = (issues: readonly Issue[]): ServiceError =>
  new ServiceError(
    "key_rights_exceeded",
    "Use a key that may do as much: this key may do less than the other one, in what `issues` names. The operator can make any key.",
    { issues },
  );

export const keysCreate = endpoint(
  {
    method: "post",
    path: "/key",
    operationId: "createKey",
    scope: "full",
    limitsCollections: true,
    tag: "Keys",
    summary: "Make a key",
    description:
      "Never with more rights than your own key has. If your key has a `spending_per_day`, what the new key spends counts for it too. Only this answer shows the key.",
    request: {
      body: jsonBody(keyCreateBody, {
        name: "Checkout",
        scopes: ["mint", "read"],
        spending_per_day: "2000000000000000000000000",
      }),
    },
    success: { 201: json("The key.", issuedKeyView) },
    errors: ["quota_exceeded", "conflict", "key_rights_exceeded"],
  },
  async ({ context, caller, body }) => {
    const maker = await requireKey(context, caller.integrationId, caller.keyId);
    const own = rightsOf(maker);
    const wanted = wantedRights(body, own);
    const issues = rightsBeyond(wanted, own);
    if (issues.length > 0) throw beyondRights(issues);
    if (wanted.expiresAt !== null && wanted.expiresAt <= context.now().getTime()) {
      throw invalidField(["expires_at"], "Give a time in the future, or null for a key that never expires.");
    }
    const makerBudgets = budgetsOf(maker.id, maker);
    if (makerBudgets.length >= MOST_BUDGETS) {
      const message = `Make the key with another one: ${MOST_BUDGETS} budgets of keys count the spending of yours already.`;
      throw new ServiceError("conflict", message);
    }
    return issueKey(
      context,
      caller.integrationId,
      { ...wanted, makerBudgets, name: body.name },
      caller.requestKey,
    );
  },
);
