ALTER TABLE `integrations` ADD `spending_per_day` text;--> statement-breakpoint
ALTER TABLE `integrations` ADD `suspended_at` integer;--> statement-breakpoint
ALTER TABLE `integrations` ADD `deleted_at` integer;--> statement-breakpoint
CREATE INDEX `integrations_name` ON `integrations` (`name`,`id`);--> statement-breakpoint
CREATE INDEX `integrations_deleted` ON `integrations` (`id`) WHERE deleted_at IS NOT NULL;