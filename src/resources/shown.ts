import type { z } from "@hono/zod-openapi";

type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: Frozen<T[Name]> }
    : T;

/**
 * What a resource's schema describes, as code makes it. The schema is the one definition: type, documentation and the
 * check of an endpoint's answer come from it.
 */
export type Shown<Schema extends z.ZodType> = Frozen<z.output<Schema>>;
