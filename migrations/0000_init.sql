CREATE TABLE `api_keys` (
	`id` blob PRIMARY KEY NOT NULL,
	`integration_id` blob NOT NULL,
	`name` text NOT NULL,
	`role` text NOT NULL,
	`digest` blob NOT NULL,
	`prefix` text NOT NULL,
	`expires_at` integer,
	`last_used_at` integer,
	`revoked_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`integration_id`) REFERENCES `integrations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_digest` ON `api_keys` (`digest`);--> statement-breakpoint
CREATE INDEX `api_keys_integration` ON `api_keys` (`integration_id`);--> statement-breakpoint
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
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `blobs_going` ON `blobs` (`going`,`going_at`);--> statement-breakpoint
CREATE INDEX `blobs_root` ON `blobs` (`root_sha256`);--> statement-breakpoint
CREATE INDEX `blobs_object` ON `blobs` (`object_key`);--> statement-breakpoint
CREATE TABLE `collection_blobs` (
	`collection_id` blob NOT NULL,
	`sha256` blob NOT NULL,
	PRIMARY KEY(`collection_id`, `sha256`),
	FOREIGN KEY (`collection_id`) REFERENCES `collections`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`sha256`) REFERENCES `blobs`(`sha256`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `collection_blobs_sha256` ON `collection_blobs` (`sha256`);--> statement-breakpoint
CREATE TABLE `collections` (
	`id` blob PRIMARY KEY NOT NULL,
	`integration_id` blob NOT NULL,
	`contract_id` blob NOT NULL,
	`draft_id` blob NOT NULL,
	`on_chain_id` integer NOT NULL,
	`settings` text NOT NULL,
	`total` integer NOT NULL,
	`assets` integer NOT NULL,
	`minted` integer DEFAULT 0 NOT NULL,
	`ipfs_root` blob NOT NULL,
	`pin_state` text,
	`pin_error` text,
	`pin_cursor` integer DEFAULT 0,
	`pin_attempts` integer DEFAULT 0 NOT NULL,
	`pin_retry_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`integration_id`) REFERENCES `integrations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`contract_id`) REFERENCES `contracts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`draft_id`) REFERENCES `drafts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `collections_draft` ON `collections` (`draft_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `collections_on_chain` ON `collections` (`contract_id`,`on_chain_id`);--> statement-breakpoint
CREATE INDEX `collections_integration` ON `collections` (`integration_id`,`id`);--> statement-breakpoint
CREATE INDEX `collections_pin` ON `collections` (`pin_state`);--> statement-breakpoint
CREATE TABLE `contracts` (
	`id` blob PRIMARY KEY NOT NULL,
	`integration_id` blob NOT NULL,
	`account_id` text NOT NULL,
	`code_hash` blob NOT NULL,
	`state` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`integration_id`) REFERENCES `integrations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `contracts_account` ON `contracts` (`account_id`);--> statement-breakpoint
CREATE INDEX `contracts_integration` ON `contracts` (`integration_id`,`id`);--> statement-breakpoint
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
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`integration_id`) REFERENCES `integrations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`contract_id`) REFERENCES `contracts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `drafts_integration` ON `drafts` (`integration_id`,`id`);--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`integration_id` blob NOT NULL,
	`key` text NOT NULL,
	`fingerprint` blob,
	`operation_id` blob,
	`status` integer,
	`headers` text,
	`body` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`integration_id`, `key`),
	FOREIGN KEY (`integration_id`) REFERENCES `integrations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_expiry` ON `idempotency_keys` (`expires_at`);--> statement-breakpoint
CREATE TABLE `integrations` (
	`id` blob PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`wallet_account_id` text,
	`wallet_public_key` blob,
	`wallet_secret` blob,
	`wallet_secret_version` integer,
	`wallet_state` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `integrations_wallet_account` ON `integrations` (`wallet_account_id`);--> statement-breakpoint
CREATE TABLE `operations` (
	`id` blob PRIMARY KEY NOT NULL,
	`integration_id` blob NOT NULL,
	`kind` text NOT NULL,
	`state` text NOT NULL,
	`subject_id` blob NOT NULL,
	`request` text NOT NULL,
	`answer_status` integer,
	`answer_body` text,
	`finished_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`integration_id`) REFERENCES `integrations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `operations_integration` ON `operations` (`integration_id`,`id`);--> statement-breakpoint
CREATE INDEX `operations_open` ON `operations` (`state`,`updated_at`);--> statement-breakpoint
CREATE INDEX `operations_subject` ON `operations` (`subject_id`);--> statement-breakpoint
CREATE TABLE `sweeps` (
	`name` text PRIMARY KEY NOT NULL,
	`cursor` text,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `transactions` (
	`hash` blob PRIMARY KEY NOT NULL,
	`operation_id` blob NOT NULL,
	`integration_id` blob NOT NULL,
	`step` text NOT NULL,
	`result` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`operation_id`) REFERENCES `operations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`integration_id`) REFERENCES `integrations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `transactions_operation` ON `transactions` (`operation_id`);--> statement-breakpoint
CREATE INDEX `transactions_integration` ON `transactions` (`integration_id`,`created_at`);