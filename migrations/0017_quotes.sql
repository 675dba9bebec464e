CREATE TABLE `quotes` (
	`id` blob PRIMARY KEY NOT NULL,
	`integration_id` blob NOT NULL,
	`method` text NOT NULL,
	`path` text NOT NULL,
	`body_digest` blob NOT NULL,
	`expected` text NOT NULL,
	`most` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`integration_id`) REFERENCES `integrations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `quotes_expiry` ON `quotes` (`expires_at`);--> statement-breakpoint
ALTER TABLE `operations` ADD `quoted_cost` text;--> statement-breakpoint
ALTER TABLE `operations` ADD `most_cost` text;--> statement-breakpoint
ALTER TABLE `operations` ADD `actual_cost` text;