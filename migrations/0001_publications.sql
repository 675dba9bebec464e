CREATE TABLE `publications` (
	`code_hash` blob PRIMARY KEY NOT NULL,
	`operation_id` blob NOT NULL,
	`created_at` integer NOT NULL
);
