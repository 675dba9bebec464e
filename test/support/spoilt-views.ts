import { vi } from "vitest";

/** A call of a view method, as it goes to a node. */
interface AskedView {
  readonly contract: string;
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
}

interface Query {
  readonly params: {
    readonly request_type?: string;
    readonly account_id: string;
    readonly method_name: string;
    readonly args_base64: string;
  };
}

/**
 * Has views return something else than their contracts do, as contracts with other code would; until
 * `vi.unstubAllGlobals()`.
 * @param change what a view returns instead of a text; null: a node doesn't answer
 * @returns whether any view was asked that this concerns
 */
export const spoilViews = (
  concerns: (view: AskedView) => boolean,
  change: (text: string, view: AskedView) => string | null | Promise<string | null>,
): (() => boolean) => {
  const real = globalThis.fetch;
  let asked = false;
  vi.stubGlobal("fetch", async (to: string, init?: RequestInit) => {
    const query = typeof init?.body === "string" && init.body.includes('"call_function"') ? init.body : null;
    const answer = await real(to, init);
    if (query === null) return answer;
    const { account_id, method_name, args_base64 } = (JSON.parse(query) as Query).params;
    const args = JSON.parse(Buffer.from(args_base64, "base64").toString() || "{}");
    const view = { contract: account_id, method: method_name, args };
    if (!concerns(view)) return answer;
    asked = true;
    const body = (await answer.json()) as { result: { result: number[] } };
    const text = await change(Buffer.from(body.result.result).toString(), view);
    if (text === null) return new Response("no gateway", { status: 502 });
    body.result.result = [...Buffer.from(text)];
    return Response.json(body);
  });
  return () => asked;
};
