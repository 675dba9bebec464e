CREATE TABLE `behind_wallets` (
	`wallet` text PRIMARY KEY NOT NULL,
	`witness` blob NOT NULL,
	`noticed_at` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `drafts` ADD `planned_collection_id` blob;--> statement-breakpoint
CREATE INDEX `drafts_planned_collection` ON `drafts` (`planned_collection_id`);