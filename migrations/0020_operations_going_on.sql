DROP INDEX `operations_open`;--> statement-breakpoint
DROP INDEX `operations_open_subject`;--> statement-breakpoint
DROP INDEX `operations_open_integration`;--> statement-breakpoint
CREATE INDEX `operations_going_on` ON `operations` (`integration_id`,`subject_id`,`kind`,`state`) WHERE state IN ('pending', 'unknown');