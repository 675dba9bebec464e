CREATE TABLE `claims` (
	`collection_id` blob NOT NULL,
	`drop_id` integer NOT NULL,
	`link` integer NOT NULL,
	`operation_id` blob NOT NULL,
	PRIMARY KEY(`collection_id`, `drop_id`, `link`),
	FOREIGN KEY (`collection_id`) REFERENCES `collections`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
