import { z } from "@hono/zod-openapi";
import { type Shown, text, whole } from "./samples.ts";

export const quoteView = z
  .object({
    quote_uuid: z.uuid(),
    transactions: whole("Transactions that are expected.", 1),
    gas: z.object({
      expected: text("Units of gas that are likely to be burnt.", "2520000000000"),
      at_most: text("Units that may be burnt.", "17320000000000"),
    }),
    storage_bytes: whole("Bytes that contracts store, at most.", 270),
    cost: z.object({
      expected: text("yoctoNEAR that are likely to leave the wallet.", "252000000000000000000"),
      at_most: text(
        "yoctoNEAR that leave it at most: gas, deposits and top-ups. Binding for a write that names the quote.",
        "3810400000000000000000",
      ),
    }),
    top_up: text(
      "yoctoNEAR of the cost that the contract is expected to be topped up with for storage.",
      "0",
    ),
    wallet: z.object({
      available: text("yoctoNEAR that a new write may spend.", "9731200000000000000000000"),
      missing: text("yoctoNEAR to be sent to the wallet first.", "0"),
    }),
    valid_until: z.iso.datetime(),
    body_digest: text(
      "SHA-256 of the body's canonical JSON (RFC 8785), in hexadecimal; of `{}` without a body.",
      "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
    ),
  })
  .openapi("Quote");
export type Quote = Shown<typeof quoteView>;
