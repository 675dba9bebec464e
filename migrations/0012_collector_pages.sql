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
	FOREIGN KEY (`collection_id`) REFERENCES `collections`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`cover_asset_id`) REFERENCES `draft_assets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `collection_pages_slug` ON `collection_pages` (`slug`);--> statement-breakpoint
CREATE INDEX `collection_pages_traits` ON `collection_pages` (`traits_cursor`);--> statement-breakpoint
CREATE TABLE `reference_traits` (
	`collection_id` blob NOT NULL,
	`reference_sha256` blob NOT NULL,
	`traits` text NOT NULL,
	`copies` integer NOT NULL,
	`rank` integer,
	PRIMARY KEY(`collection_id`, `reference_sha256`),
	FOREIGN KEY (`collection_id`) REFERENCES `collections`(`id`) ON UPDATE no action ON DELETE no action
);
