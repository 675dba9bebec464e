ALTER TABLE `contracts` ADD `left_at` integer;--> statement-breakpoint
CREATE INDEX `contracts_left` ON `contracts` (`account_id`) WHERE left_at IS NOT NULL;