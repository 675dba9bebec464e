import { MemorySpace } from "./domain/memory-budget.ts";

/**
 * What forms, files at URLs and CARs may hold of an isolate's memory while they pass through, all together. Cloudflare
 * gives an isolate 128 MB (https://developers.cloudflare.com/workers/platform/limits/); the rest is for the code, and for
 * requests that carry JSON. Each of the three has a budget of its own, which is a part of this one.
 */
export const filesInTransit = new MemorySpace({ bytes: 96 * 1_048_576, bytesOfOwner: 64 * 1_048_576 });
