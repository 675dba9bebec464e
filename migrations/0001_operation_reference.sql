ALTER TABLE `operations` ADD `reference` text;--> statement-breakpoint
CREATE INDEX `operations_reference` ON `operations` (`integration_id`,`reference`,`id`) WHERE reference IS NOT NULL;