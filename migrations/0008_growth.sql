CREATE TABLE `brought_files` (
	`collection_id` blob NOT NULL,
	`sha256` blob NOT NULL,
	`operation_id` blob NOT NULL,
	PRIMARY KEY(`collection_id`, `sha256`, `operation_id`)
);
--> statement-breakpoint
-- What mints and updates brought until now stands in their requests, in base64: four characters are three bytes.
INSERT INTO `brought_files`
SELECT `subject_id`, (
	SELECT unhex(substr(group_concat(printf('%06X',
		max(instr(alphabet.characters, substr(file.value, 4 * place.value + 1, 1)) - 1, 0) * 262144
		+ max(instr(alphabet.characters, substr(file.value, 4 * place.value + 2, 1)) - 1, 0) * 4096
		+ max(instr(alphabet.characters, substr(file.value, 4 * place.value + 3, 1)) - 1, 0) * 64
		+ max(instr(alphabet.characters, substr(file.value, 4 * place.value + 4, 1)) - 1, 0)), ''), 1, 64))
	FROM json_each('[0,1,2,3,4,5,6,7,8,9,10]') AS place
), `operations`.`id`
FROM `operations`,
	json_each(json_array(
		`request` ->> '$.metadata.media.sha256', `request` ->> '$.metadata.reference.sha256',
		`request` ->> '$.changes.media.sha256', `request` ->> '$.changes.reference.sha256')) AS file,
	(SELECT 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/' AS characters) AS alphabet
WHERE `operations`.`kind` IN ('mint', 'nft_update') AND file.value IS NOT NULL
ON CONFLICT DO NOTHING;
--> statement-breakpoint
DROP INDEX `operations_waiting`;--> statement-breakpoint
DROP INDEX `operations_open`;--> statement-breakpoint
DROP INDEX `operations_subject`;--> statement-breakpoint
CREATE INDEX `operations_open_subject` ON `operations` (`subject_id`,`kind`) WHERE state IN ('pending', 'unknown');--> statement-breakpoint
CREATE INDEX `operations_open_integration` ON `operations` (`integration_id`,`state`) WHERE state IN ('pending', 'unknown');--> statement-breakpoint
CREATE INDEX `operations_open` ON `operations` (`updated_at`) WHERE state IN ('pending', 'unknown');--> statement-breakpoint
CREATE INDEX `operations_subject` ON `operations` (`subject_id`,`id`);--> statement-breakpoint
CREATE INDEX `drafts_finalizing` ON `drafts` (`state`) WHERE state = 'finalizing';