import { z } from "@hono/zod-openapi";
import type { ToolAnnotations } from "@modelcontextprotocol/server";
import type { Caller, ServiceContext } from "../../context.ts";

/** A resource as the API answers it. */
export type Resource = Readonly<Record<string, unknown>>;

/** An answer of the API, in which each text that others may have written is marked. */
export interface Sent<Body = unknown> {
  readonly status: number;
  readonly body: Body;
  /** Cursor of a list's next page; null: there is none. */
  readonly cursor: string | null;
  readonly operationUuid: string | null;
}

interface Sending {
  readonly json?: unknown;
  readonly form?: FormData;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** A call of a tool: whose it is, and how it uses the API. */
export interface ToolCall {
  readonly context: ServiceContext;
  readonly caller: Caller;
  /** Bytes that its result may have. */
  readonly room: number;
  /** Sends a request to the API with the caller's key. Paths have no prefix. @throws Refused */
  readonly send: <Body = Resource>(method: string, path: string, sending?: Sending) => Promise<Sent<Body>>;
  /**
   * Returns if the person has confirmed what is asked under this name. @throws ConfirmationNeeded, to ask;
   * ServiceError confirmation_required, if the client can't or the person declined
   */
  readonly confirm: (name: string, question: string) => void;
  /** The API's document. */
  readonly document: () => Promise<unknown>;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly example: unknown;
  readonly annotations: ToolAnnotations;
  readonly run: (call: ToolCall, input: never) => Promise<object>;
}

/** A tool whose example fits its input. */
export const tool = <Fields extends z.ZodRawShape>(
  name: string,
  {
    input,
    ...rest
  }: {
    readonly description: string;
    readonly input: Fields;
    readonly example: z.input<z.ZodObject<Fields>>;
    readonly annotations: ToolAnnotations;
    readonly run: (call: ToolCall, input: z.output<z.ZodObject<Fields>>) => Promise<object>;
  },
): Tool => ({ name, input: z.strictObject(input), ...rest });
