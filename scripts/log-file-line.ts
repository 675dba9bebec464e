/**
 * A line of a log file as one JSON object: what the service logs is one already; the words of the runtime and of the
 * programs beside it become the message of one.
 */
export function logFileLine(line: string, program: string, time: Date): string {
  if (isObject(line)) return line;
  return JSON.stringify({ time: time.toISOString(), event: "output", program, message: line });
}

function isObject(line: string): boolean {
  if (!line.startsWith("{")) return false;
  try {
    JSON.parse(line);
    return true;
  } catch {
    // A line that only begins like an object is text.
    return false;
  }
}
