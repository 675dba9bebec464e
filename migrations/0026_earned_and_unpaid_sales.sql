ALTER TABLE `collections` ADD `earned` text;--> statement-breakpoint
ALTER TABLE `integrations` ADD `unpaid_sales` integer DEFAULT 0 NOT NULL;