export * from "./blobs.ts";
export * from "./collections.ts";
export * from "./contracts.ts";
export * from "./copied.ts";
export * from "./drafts.ts";
export * from "./events.ts";
export * from "./integrations.ts";
export * from "./ledgers.ts";
