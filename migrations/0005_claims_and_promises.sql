ALTER TABLE `idempotency_keys` ADD `owner` blob;--> statement-breakpoint
ALTER TABLE `operations` ADD `commitment` text;--> statement-breakpoint
ALTER TABLE `operations` ADD `height` integer;