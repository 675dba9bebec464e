ALTER TABLE `collections` ADD `told` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `collections` ADD `told_seq` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `events` ADD `minted` text;--> statement-breakpoint
UPDATE `collections` SET `told` = `minted`, `told_seq` = coalesce((SELECT max(`seq`) FROM `events` WHERE `events`.`integration_id` = `collections`.`integration_id`), 0);
