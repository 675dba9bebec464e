-- Tables whose rows are found by their whole key alone are WITHOUT ROWID, which drizzle-kit can't write: keep it when this
-- file is generated again.
CREATE TABLE `blob_leaves` (
	`blob_sha256` blob NOT NULL,
	`position` integer NOT NULL,
	`sha256` blob NOT NULL,
	PRIMARY KEY(`blob_sha256`, `position`),
	FOREIGN KEY (`blob_sha256`) REFERENCES `blobs`(`sha256`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `blob_leaves_sha256` ON `blob_leaves` (`sha256`);--> statement-breakpoint
CREATE TABLE `blobs` (
	`sha256` blob PRIMARY KEY NOT NULL,
	`size` integer NOT NULL,
	`media_type` text NOT NULL,
	`root_sha256` blob,
	`object_key` text,
	`going` text,
	`going_at` integer,
	`created_at` integer NOT NULL,
	`ground` text
);
--> statement-breakpoint
CREATE INDEX `blobs_going` ON `blobs` (`going`,`going_at`);--> statement-breakpoint
CREATE INDEX `blobs_root` ON `blobs` (`root_sha256`);--> statement-breakpoint
CREATE INDEX `blobs_object` ON `blobs` (`object_key`);--> statement-breakpoint
CREATE TABLE `brought_files` (
	`collection_id` blob NOT NULL,
	`sha256` blob NOT NULL,
	`operation_id` blob NOT NULL,
	PRIMARY KEY(`collection_id`, `sha256`, `operation_id`)
);
--> statement-breakpoint
CREATE INDEX `brought_files_operation` ON `brought_files` (`operation_id`);--> statement-breakpoint
CREATE TABLE `collection_blobs` (
	`collection_id` blob NOT NULL,
	`sha256` blob NOT NULL,
	`pin_state` text,
	PRIMARY KEY(`collection_id`, `sha256`),
	FOREIGN KEY (`sha256`) REFERENCES `blobs`(`sha256`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `collection_blobs_sha256` ON `collection_blobs` (`sha256`);--> statement-breakpoint
CREATE INDEX `collection_blobs_due` ON `collection_blobs` (`collection_id`) WHERE pin_state = 'due';--> statement-breakpoint
CREATE TABLE `collection_pages` (
	`collection_id` blob PRIMARY KEY NOT NULL,
	`slug` text NOT NULL,
	`cover_asset_id` blob,
	`theme` text,
	`links` text NOT NULL,
	`enabled` integer NOT NULL,
	`traits_cursor` integer DEFAULT -1,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`creator` text,
	`about` text,
	`creator_picture` blob,
	FOREIGN KEY (`cover_asset_id`) REFERENCES `draft_assets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `collection_pages_slug` ON `collection_pages` (`slug`);--> statement-breakpoint
CREATE INDEX `collection_pages_traits` ON `collection_pages` (`traits_cursor`);--> statement-breakpoint
CREATE INDEX `collection_pages_cover` ON `collection_pages` (`cover_asset_id`);--> statement-breakpoint
CREATE TABLE `collections` (
	`id` blob PRIMARY KEY NOT NULL,
	`integration_id` blob NOT NULL,
	`contract_id` blob NOT NULL,
	`contract_account_id` text NOT NULL,
	`code_state` text NOT NULL,
	`draft_id` blob NOT NULL,
	`on_chain_id` integer NOT NULL,
	`settings` text NOT NULL,
	`total` integer NOT NULL,
	`assets` integer NOT NULL,
	`minted` integer DEFAULT 0 NOT NULL,
	`earned` text,
	`earned_own` integer DEFAULT true NOT NULL,
	`events_reported_to` integer DEFAULT 0 NOT NULL,
	`scanned_seq` integer DEFAULT 0 NOT NULL,
	`height` integer DEFAULT 0 NOT NULL,
	`ipfs_root` blob NOT NULL,
	`pin_state` text,
	`pin_cursor` integer DEFAULT 0,
	`pin_attempts` integer DEFAULT 0 NOT NULL,
	`pin_retry_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`reveal` text,
	`locks` text DEFAULT '{}' NOT NULL,
	`reveal_at` integer,
	`phase_counts` text,
	`has_page` integer DEFAULT false NOT NULL,
	`ledger_version` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `collections_draft` ON `collections` (`draft_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `collections_on_chain` ON `collections` (`contract_id`,`on_chain_id`);--> statement-breakpoint
CREATE INDEX `collections_integration` ON `collections` (`integration_id`,`id`);--> statement-breakpoint
CREATE INDEX `collections_pin` ON `collections` (`pin_state`);--> statement-breakpoint
CREATE INDEX `collections_hidden` ON `collections` (reveal ->> '$.order.secretVersion',`id`) WHERE reveal IS NOT NULL;--> statement-breakpoint
CREATE INDEX `collections_reveal_at` ON `collections` (`reveal_at`,`id`) WHERE reveal_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `collections_version` ON `collections` (`ledger_version`);--> statement-breakpoint
CREATE TABLE `minted_hundreds` (
	`collection_id` blob NOT NULL,
	`hundred` integer NOT NULL,
	`transactions` text NOT NULL,
	PRIMARY KEY(`collection_id`, `hundred`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `reference_traits` (
	`collection_id` blob NOT NULL,
	`reference_sha256` blob NOT NULL,
	`traits` text NOT NULL,
	`copies` integer NOT NULL,
	`rank` integer,
	PRIMARY KEY(`collection_id`, `reference_sha256`)
);
--> statement-breakpoint
CREATE TABLE `token_transfers` (
	`collection_id` blob NOT NULL,
	`number` integer NOT NULL,
	`at` integer NOT NULL,
	`receiver_id` text NOT NULL,
	`hash` text NOT NULL,
	PRIMARY KEY(`collection_id`, `number`, `at`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `contracts` (
	`id` blob PRIMARY KEY NOT NULL,
	`integration_id` blob NOT NULL,
	`account_id` text NOT NULL,
	`code_hash` blob NOT NULL,
	`state` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`left_at` integer,
	`code_state` text DEFAULT '{"locked":false,"announced":null,"delay_blocks":432000,"has_full_access_key":false}' NOT NULL,
	FOREIGN KEY (`integration_id`) REFERENCES `integrations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `contracts_account` ON `contracts` (`account_id`);--> statement-breakpoint
CREATE INDEX `contracts_integration` ON `contracts` (`integration_id`,`id`);--> statement-breakpoint
CREATE INDEX `contracts_deploying` ON `contracts` (`id`) WHERE state = 'deploying';--> statement-breakpoint
CREATE INDEX `contracts_left` ON `contracts` (`account_id`) WHERE left_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `publications` (
	`code_hash` blob PRIMARY KEY NOT NULL,
	`operation_id` blob NOT NULL,
	`created_at` integer NOT NULL,
	`is_done` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE INDEX `publications_operation` ON `publications` (`operation_id`);--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`integration_id` blob NOT NULL,
	`key` text NOT NULL,
	`fingerprint` blob,
	`operation_id` blob,
	`status` integer,
	`body` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`body_bytes` integer,
	PRIMARY KEY(`integration_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_expiry` ON `idempotency_keys` (`expires_at`);--> statement-breakpoint
CREATE TABLE `operation_counts` (
	`integration_id` blob NOT NULL,
	`day` integer NOT NULL,
	`kind` text NOT NULL,
	`state` text NOT NULL,
	`bucket` integer NOT NULL,
	`count` integer NOT NULL,
	`ledger_version` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`day`, `kind`, `state`, `bucket`, `integration_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `draft_assets` (
	`id` blob PRIMARY KEY NOT NULL,
	`draft_id` blob NOT NULL,
	`position` integer NOT NULL,
	`filename` text NOT NULL,
	`sha256` blob NOT NULL,
	`reference_filename` text,
	`reference_sha256` blob,
	`subtitle` text,
	`copies` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`draft_id`) REFERENCES `drafts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`sha256`) REFERENCES `blobs`(`sha256`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`reference_sha256`) REFERENCES `blobs`(`sha256`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `draft_assets_position` ON `draft_assets` (`draft_id`,`position`);--> statement-breakpoint
CREATE INDEX `draft_assets_sha256` ON `draft_assets` (`sha256`);--> statement-breakpoint
CREATE INDEX `draft_assets_reference` ON `draft_assets` (`reference_sha256`);--> statement-breakpoint
CREATE TABLE `drafts` (
	`id` blob PRIMARY KEY NOT NULL,
	`integration_id` blob NOT NULL,
	`contract_id` blob NOT NULL,
	`settings` text NOT NULL,
	`state` text NOT NULL,
	`operation_id` blob,
	`planned_collection_id` blob NOT NULL,
	`placeholder_sha256` blob,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`integration_id`) REFERENCES `integrations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`contract_id`) REFERENCES `contracts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`placeholder_sha256`) REFERENCES `blobs`(`sha256`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `drafts_integration` ON `drafts` (`integration_id`,`id`);--> statement-breakpoint
CREATE INDEX `drafts_finalizing` ON `drafts` (`id`) WHERE state = 'finalizing';--> statement-breakpoint
CREATE INDEX `drafts_open` ON `drafts` (`integration_id`) WHERE state <> 'finalized';--> statement-breakpoint
CREATE INDEX `drafts_placeholder` ON `drafts` (`placeholder_sha256`) WHERE placeholder_sha256 IS NOT NULL;--> statement-breakpoint
CREATE INDEX `drafts_planned_collection` ON `drafts` (`planned_collection_id`);--> statement-breakpoint
CREATE TABLE `untold_events` (
	`id` blob PRIMARY KEY NOT NULL,
	`integration_id` blob NOT NULL,
	`type` text NOT NULL,
	`data` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` blob PRIMARY KEY NOT NULL,
	`integration_id` blob NOT NULL,
	`url` text NOT NULL,
	`types` text,
	`description` text,
	`state` text NOT NULL,
	`disabled_reason` text,
	`secret` blob NOT NULL,
	`old_secret` blob,
	`old_secret_until` integer,
	`secret_version` integer NOT NULL,
	`from_seq` integer NOT NULL,
	`woken_seq` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`integration_id`) REFERENCES `integrations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `webhooks_integration` ON `webhooks` (`integration_id`,`id`);--> statement-breakpoint
CREATE INDEX `webhooks_secret` ON `webhooks` (`secret_version`,`id`);--> statement-breakpoint
CREATE INDEX `webhooks_enabled` ON `webhooks` (`id`) WHERE state = 'enabled';--> statement-breakpoint
CREATE INDEX `webhooks_disabled` ON `webhooks` (`id`) WHERE disabled_reason IS NOT NULL;--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` blob PRIMARY KEY NOT NULL,
	`integration_id` blob NOT NULL,
	`name` text NOT NULL,
	`scopes` text NOT NULL,
	`collections` text,
	`spending_per_day` text,
	`maker_budgets` text NOT NULL,
	`confirm_above` text,
	`digest` blob NOT NULL,
	`prefix` text NOT NULL,
	`old_digest` blob,
	`old_digest_until` integer,
	`expires_at` integer,
	`last_used_at` integer,
	`revoked_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`integration_id`) REFERENCES `integrations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_digest` ON `api_keys` (`digest`);--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_old_digest` ON `api_keys` (`old_digest`) WHERE old_digest IS NOT NULL;--> statement-breakpoint
CREATE INDEX `api_keys_integration` ON `api_keys` (`integration_id`);--> statement-breakpoint
CREATE INDEX `api_keys_working` ON `api_keys` (`integration_id`,`expires_at`) WHERE revoked_at IS NULL;--> statement-breakpoint
CREATE TABLE `audit_entries` (
	`integration_id` blob NOT NULL,
	`seq` integer NOT NULL,
	`action` text NOT NULL,
	`subject_id` blob,
	`changes` text NOT NULL,
	`actor` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`integration_id`, `seq`),
	FOREIGN KEY (`integration_id`) REFERENCES `integrations`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `integrations` (
	`id` blob PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`wallet_account_id` text,
	`wallet_public_key` blob,
	`wallet_secret` blob,
	`wallet_secret_version` integer,
	`wallet_state` text NOT NULL,
	`limits` text,
	`spending_per_day` text,
	`suspended_at` integer,
	`deleted_at` integer,
	`stored_bytes` integer DEFAULT 0 NOT NULL,
	`database_bytes` integer DEFAULT 0 NOT NULL,
	`payout_account` text,
	`wallet_seen` text,
	`wallet_inactive_since` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `integrations_wallet_account` ON `integrations` (`wallet_account_id`);--> statement-breakpoint
CREATE INDEX `integrations_name` ON `integrations` (`name`,`id`);--> statement-breakpoint
CREATE INDEX `integrations_deleted` ON `integrations` (`id`) WHERE deleted_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `integrations_with_wallet` ON `integrations` (`id`) WHERE wallet_account_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `integrations_inactive` ON `integrations` (`id`) WHERE wallet_inactive_since IS NOT NULL;--> statement-breakpoint
CREATE INDEX `integrations_ready` ON `integrations` (`id`) WHERE wallet_state = 'ready' AND deleted_at IS NULL;--> statement-breakpoint
CREATE TABLE `sweeps` (
	`name` text PRIMARY KEY NOT NULL,
	`cursor` text,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `ledgers` (
	`id` blob PRIMARY KEY NOT NULL,
	`entry` integer NOT NULL,
	`version` integer NOT NULL,
	`flush` integer NOT NULL,
	`flush_tag` text NOT NULL,
	`events_seq` integer NOT NULL,
	`pending` integer NOT NULL,
	`unknown` integer NOT NULL,
	`open_since` integer,
	`unpaid_sales` integer NOT NULL,
	`unshipped` text NOT NULL,
	`refused` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `ledgers_open` ON `ledgers` (`open_since`) WHERE open_since IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ledgers_refused` ON `ledgers` (`id`) WHERE refused > 0;--> statement-breakpoint
CREATE INDEX `ledgers_working` ON `ledgers` (`id`) WHERE open_since IS NOT NULL;--> statement-breakpoint
CREATE TABLE `unshipped_operations` (
	`ledger_id` blob NOT NULL,
	`last_id` blob NOT NULL,
	`expires_at` integer,
	`operations` text NOT NULL,
	PRIMARY KEY(`ledger_id`, `last_id`)
);
