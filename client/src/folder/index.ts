export {
  type Batch,
  type BatchLimits,
  batches,
  type FolderFile,
  type FolderPlan,
  type PlannedAsset,
  planFolder,
} from "./plan.ts";
export {
  FolderError,
  listFolder,
  type Progress,
  readFolder,
  type UploadOptions,
  type UploadResult,
  uploadFolder,
} from "./upload.ts";
