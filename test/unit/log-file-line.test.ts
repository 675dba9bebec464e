import fc from "fast-check";
import { expect, test } from "vitest";
import { logFileLine } from "../../scripts/log-file-line.ts";

const TIME = new Date("2026-12-24T18:00:00Z");

test("a log line that is a JSON object stays unchanged", () => {
  const line = '{"time":"2026-12-24T18:00:00.000Z","event":"request"}';
  expect(logFileLine(line, "The service", TIME)).toBe(line);
});

test("any other output becomes one JSON object on one line", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }).filter((text) => !text.startsWith("{")),
      (text) => {
        const line = logFileLine(text, "The service", TIME);
        expect(line).not.toContain("\n");
        expect(JSON.parse(line)).toEqual({
          time: "2026-12-24T18:00:00.000Z",
          event: "output",
          program: "The service",
          message: text,
        });
      },
    ),
  );
  expect(JSON.parse(logFileLine("{not JSON}", "The chain", TIME)).message).toBe("{not JSON}");
});
