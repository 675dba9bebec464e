CREATE TABLE `claim_drops` (
	`contract_id` blob NOT NULL,
	`drop_id` integer NOT NULL,
	`told` integer NOT NULL,
	`links` blob NOT NULL,
	PRIMARY KEY(`contract_id`, `drop_id`),
	FOREIGN KEY (`contract_id`) REFERENCES `contracts`(`id`) ON UPDATE no action ON DELETE no action
);
