import { z } from "@hono/zod-openapi";
import { OPERATION_KINDS, OPERATION_STATES } from "../../domain/operations.ts";
import { listResponse } from "../../http/list-response.ts";
import { listOwnOperations } from "../../operations/engine/list.ts";
import { operationSummaryView } from "../../resources/operation.ts";
import { endpoint, json } from "../endpoint.ts";
import { instantField, uuidField } from "../schemas/fields.ts";
import { LINK, pageQuery } from "../schemas/pages.ts";

const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, `Give one of ${values.join(", ")}.`);

const query = pageQuery.extend({
  state: oneOf(OPERATION_STATES).optional(),
  kind: oneOf(OPERATION_KINDS).optional(),
  subject_uuid: uuidField
    .optional()
    .openapi({ description: "Only operations on this draft, collection or contract." }),
  created_after: instantField
    .optional()
    .openapi({ description: "Only operations accepted after this time." }),
});

export const operationsList = endpoint(
  {
    method: "get",
    path: "/operation",
    operationId: "listOperations",
    tag: "Operations",
    summary: "List the integration's operations, newest first",
    description:
      "Read an operation by itself for its transactions and answer. A page may have fewer entries than " +
      "`limit`, or none, and still have a next one: follow Link until there is none.",
    request: { query },
    success: { 200: json("The operations.", z.array(operationSummaryView), LINK) },
  },
  (c, { query: { limit, cursor, ...wanted } }) => {
    const { state, kind, subject_uuid: subject, created_after: after } = wanted;
    const filter = { state, kind, subject, createdAfter: after === undefined ? undefined : new Date(after) };
    return listResponse(c, { limit, cursor }, (place, size) =>
      listOwnOperations(c.get("context"), c.get("caller"), filter, { cursor: place, size }),
    );
  },
);
