/** All host functions by the name under which contracts import them from `env`. */
import { basics, type HostFunction } from "./basics.ts";
import { batchActions } from "./batch-actions.ts";
import { crypto } from "./crypto.ts";
import { promises } from "./promises.ts";
import { storage } from "./storage.ts";

export const hostFunctions: Readonly<Record<string, HostFunction>> = {
  ...basics,
  ...storage,
  ...crypto,
  ...promises,
  ...batchActions,
};
