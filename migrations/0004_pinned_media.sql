ALTER TABLE `collection_blobs` ADD `pin_state` text;--> statement-breakpoint
CREATE INDEX `collection_blobs_due` ON `collection_blobs` (`collection_id`) WHERE pin_state = 'due';