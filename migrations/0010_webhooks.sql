CREATE TABLE `webhooks` (
	`id` blob PRIMARY KEY NOT NULL,
	`integration_id` blob NOT NULL,
	`url` text NOT NULL,
	`types` text,
	`description` text,
	`state` text NOT NULL,
	`disabled_reason` text,
	`secret` blob NOT NULL,
	`old_secret` blob,
	`old_secret_until` integer,
	`secret_version` integer NOT NULL,
	`from_seq` integer NOT NULL,
	`woken_seq` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`integration_id`) REFERENCES `integrations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `webhooks_integration` ON `webhooks` (`integration_id`,`id`);--> statement-breakpoint
CREATE INDEX `webhooks_secret` ON `webhooks` (`secret_version`,`id`);--> statement-breakpoint
CREATE INDEX `webhooks_enabled` ON `webhooks` (`id`) WHERE state = 'enabled';