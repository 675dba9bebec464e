CREATE TABLE `minted_hundreds` (
	`collection_id` blob NOT NULL,
	`hundred` integer NOT NULL,
	`transactions` text NOT NULL,
	PRIMARY KEY(`collection_id`, `hundred`),
	FOREIGN KEY (`collection_id`) REFERENCES `collections`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `collections` ADD `recent_mints` text;