import { exports } from "cloudflare:workers";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { BASE } from "./api.ts";

/** The protocol of 2025, or the current revision. */
export type Era = "legacy" | "auto";

/**
 * A connected client of the protocol's own SDK, with a key as Bearer.
 * @param answered called with each response
 * @param person answers questions by true (accepts) or false (declines); absent: the client can't ask
 */
export const connect = async (
  key: string,
  era: Era = "auto",
  answered: (response: Response) => void = () => undefined,
  person?: (question: string) => boolean,
): Promise<Client> => {
  const capabilities = person === undefined ? {} : { elicitation: {} };
  const client = new Client(
    { name: "test", version: "1" },
    { versionNegotiation: { mode: era }, capabilities },
  );
  if (person !== undefined) {
    client.setRequestHandler("elicitation/create", ({ params }) =>
      person(params.message) ? { action: "accept", content: {} } : { action: "decline" },
    );
  }
  const transport = new StreamableHTTPClientTransport(new URL(`${BASE}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
    fetch: async (input, init) => {
      const response = await exports.default.fetch(new Request(input, init as RequestInit));
      answered(response);
      return response;
    },
  });
  await client.connect(transport);
  return client;
};

/** What a tool returned. */
export interface ToolAnswer<Body> {
  readonly isError: boolean;
  readonly text: string;
  readonly body: Body;
}

/** Calls a tool. Its result is one JSON text. */
export const call = async <Body = Readonly<Record<string, unknown>>>(
  client: Client,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
): Promise<ToolAnswer<Body>> => {
  const { content, isError = false } = await client.callTool({ name, arguments: args });
  const [{ text }] = content as unknown as [{ text: string }];
  return { isError, text, body: JSON.parse(text) as Body };
};

/** The body of a tool's success. A failure shows the error. */
export const done = async <Body>(...args: Parameters<typeof call>): Promise<Body> => {
  const { isError, text, body } = await call<Body>(...args);
  if (isError) throw new Error(`${args[1]} failed: ${text}`);
  return body;
};

/** A text that somebody else may have written, as tools mark it. */
export interface Untrusted {
  readonly untrusted_text: string;
}

/** An error of a tool. */
export interface ToolError {
  readonly code: string;
  readonly message: Untrusted;
  readonly next: string;
  readonly operation_uuid?: string;
}

/** The error of a tool. A success shows its result. */
export const refused = async (...args: Parameters<typeof call>): Promise<ToolError> => {
  const { isError, text, body } = await call<ToolError>(...args);
  if (!isError) throw new Error(`${args[1]} succeeded: ${text}`);
  return body;
};
