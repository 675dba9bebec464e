interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
}

/**
 * What `npm start` prints of a line that the service logs: a request is a line, what else the service says is shown as it
 * is; the log file has all of it as JSON. Control characters are shown as escapes: anybody, a page in a browser included,
 * may ask for a path that has some, and a terminal obeys them.
 * @returns null where there is nothing to print
 */
export function shownLine(line: string): string | null {
  if (line.trim() === "") return null;
  const request = line.includes('"event":"request"') ? requestOf(line) : null;
  const text =
    request === null ? line : `${request.method} ${request.path} ${request.status} (${request.ms} ms)`;
  return text.replace(/\p{Cc}/gu, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function requestOf(line: string): LoggedRequest | null {
  try {
    return JSON.parse(line) as LoggedRequest;
  } catch {
    return null;
  }
}
