CREATE TABLE `archives` (
	`integration_id` blob NOT NULL,
	`first_id` blob NOT NULL,
	`last_id` blob NOT NULL,
	`first_at` integer,
	`last_at` integer,
	`object_key` text NOT NULL,
	`operations` integer NOT NULL,
	`bytes` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`integration_id`, `last_id`),
	FOREIGN KEY (`integration_id`) REFERENCES `integrations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `archives_transactions` ON `archives` (`integration_id`,`last_at`);--> statement-breakpoint
CREATE INDEX `archives_object` ON `archives` (`object_key`);--> statement-breakpoint
CREATE INDEX `collection_pages_cover` ON `collection_pages` (`cover_asset_id`);--> statement-breakpoint
CREATE INDEX `operations_platform` ON `operations` (`id`) WHERE kind IN ('wallet_create', 'contract_deploy', 'contract_publish');--> statement-breakpoint
CREATE INDEX `webhooks_disabled` ON `webhooks` (`id`) WHERE disabled_reason IS NOT NULL;