CREATE TABLE `mint_transactions` (
	`collection_id` blob NOT NULL,
	`first` integer NOT NULL,
	`last` integer NOT NULL,
	`hash` text NOT NULL,
	PRIMARY KEY(`collection_id`, `first`),
	FOREIGN KEY (`collection_id`) REFERENCES `collections`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
