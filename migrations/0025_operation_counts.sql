CREATE TABLE `counted_open` (
	`operation_id` blob PRIMARY KEY NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `minted_counts` (
	`contract_id` blob NOT NULL,
	`slot` integer NOT NULL,
	`tokens` integer NOT NULL,
	PRIMARY KEY(`contract_id`, `slot`),
	FOREIGN KEY (`contract_id`) REFERENCES `contracts`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `minted_counts_slot` ON `minted_counts` (`slot`);--> statement-breakpoint
CREATE TABLE `operation_counts` (
	`slot` integer PRIMARY KEY NOT NULL,
	`accepted` integer NOT NULL,
	`succeeded` integer NOT NULL,
	`failed` integer NOT NULL,
	`took` integer NOT NULL
);--> statement-breakpoint
-- The operations of the last 25 hours are still to be counted; those before are in no slot that is read.
INSERT INTO `sweeps` (`name`, `cursor`, `updated_at`)
SELECT 'operation_counts', json_object('row', coalesce((SELECT min(place) FROM (
	SELECT rowid AS place FROM `operations`
	WHERE `id` < unhex(printf('%012x', (unixepoch() - 90000) * 1000) || '00000000000000000000')
	ORDER BY `id` DESC LIMIT 100)), 0), 'id', NULL), unixepoch() * 1000;
