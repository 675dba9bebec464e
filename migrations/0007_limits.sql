ALTER TABLE `integrations` ADD `limits` text;--> statement-breakpoint
ALTER TABLE `integrations` ADD `stored_bytes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `integrations` ADD `database_bytes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `api_keys_working` ON `api_keys` (`integration_id`,`expires_at`) WHERE revoked_at IS NULL;--> statement-breakpoint
CREATE INDEX `drafts_open` ON `drafts` (`integration_id`) WHERE state <> 'finalized';--> statement-breakpoint
CREATE INDEX `operations_waiting` ON `operations` (`integration_id`) WHERE state = 'pending';--> statement-breakpoint
-- What is there already is weighed as src/db/queries/usage.ts weighs it.
UPDATE `integrations` SET
	`stored_bytes` = coalesce((
		SELECT sum(asset.size + coalesce(reference.size, 0)) FROM draft_assets
		JOIN drafts ON drafts.id = draft_assets.draft_id
		JOIN blobs AS asset ON asset.sha256 = draft_assets.sha256
		LEFT JOIN blobs AS reference ON reference.sha256 = draft_assets.reference_sha256
		WHERE drafts.integration_id = integrations.id), 0)
	+ coalesce((
		SELECT sum(blobs.size) FROM collections
		JOIN collection_blobs ON collection_blobs.collection_id = collections.id
		JOIN blobs ON blobs.sha256 = collection_blobs.sha256
		WHERE collections.integration_id = integrations.id), 0),
	`database_bytes` = coalesce((
		SELECT sum(512 + octet_length(settings)) FROM drafts WHERE integration_id = integrations.id), 0)
	+ coalesce((
		SELECT sum(512 + octet_length(filename) + coalesce(octet_length(reference_filename), 0)
			+ coalesce(octet_length(subtitle), 0))
		FROM draft_assets JOIN drafts ON drafts.id = draft_assets.draft_id
		WHERE drafts.integration_id = integrations.id), 0)
	+ coalesce((
		SELECT sum(512 + octet_length(key) + coalesce(octet_length(body), 0)) FROM idempotency_keys
		WHERE integration_id = integrations.id), 0)
	+ coalesce((
		SELECT sum(512 + octet_length(request) + coalesce(octet_length(answer_body), 0)) FROM operations
		WHERE integration_id = integrations.id AND state = 'failed'), 0);
