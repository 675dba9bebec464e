CREATE TABLE `events` (
	`integration_id` blob NOT NULL,
	`seq` integer NOT NULL,
	`count` integer NOT NULL,
	`id` blob NOT NULL,
	`runs` text NOT NULL,
	`sold_out` integer NOT NULL,
	`operation_id` blob,
	`collection_id` blob,
	`data` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`integration_id`, `seq`),
	FOREIGN KEY (`integration_id`) REFERENCES `integrations`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `integrations` ADD `wallet_seen` text;