/**
 * Why a call failed: the text that an outcome shows (nearcore's `Display`), the one that a view shows (`Debug`), and
 * the JSON of the outcome's `FunctionCallError`.
 */
import type { ErrorView } from "../protocol/types.ts";

export class CallError extends Error {
  /** Rust's `Debug` form, which `query` puts into `result.error`. */
  readonly debug: string;
  readonly view: ErrorView;

  constructor(message: string, debug: string, view: ErrorView) {
    super(message);
    this.debug = debug;
    this.view = view;
  }
}

/** Rust's `{:?}` of a string. */
function debugString(text: string): string {
  const named: Record<string, string> = {
    '"': '\\"',
    "\\": "\\\\",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\0": "\\0",
  };
  const escaped = text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what has to be escaped
    /["\\\u0000-\u001f\u007f]/g,
    (char) => named[char] ?? `\\u{${char.charCodeAt(0).toString(16)}}`,
  );
  return `"${escaped}"`;
}

function debugFields(fields: Record<string, string | number>): string {
  const parts = Object.entries(fields).map(
    ([name, value]) => `${name}: ${typeof value === "string" ? debugString(value) : value}`,
  );
  return parts.length === 0 ? "" : ` { ${parts.join(", ")} }`;
}

/** A host function refused. */
export function hostError(
  name: string,
  message: string,
  fields: Record<string, string | number> = {},
): CallError {
  return new CallError(message, `HostError(${name}${debugFields(fields)})`, { ExecutionError: message });
}

export const gasExceeded = () => hostError("GasExceeded", "Exceeded the prepaid gas.");
export const gasLimitExceeded = () =>
  hostError("GasLimitExceeded", "Exceeded the maximum amount of gas allowed to burn per contract.");
export const memoryViolation = () =>
  hostError("MemoryAccessViolation", "Accessed memory outside the bounds.");
export const guestPanic = (message: string) =>
  hostError("GuestPanic", `Smart contract panicked: ${message}`, { panic_msg: message });
export const invalidPublicKey = () =>
  hostError("InvalidPublicKey", "VM Logic provided an invalid public key");
export const prohibitedInView = (method: string) =>
  hostError("ProhibitedInView", `${method} is not allowed in view calls`, { method_name: method });

export function methodResolveError(
  name: "MethodNotFound" | "MethodEmptyName" | "MethodInvalidSignature",
): CallError {
  return new CallError(name, `MethodResolveError(${name})`, { MethodResolveError: name });
}

export function codeDoesNotExist(accountId: string): CallError {
  return new CallError(
    `cannot find contract code for account ${accountId}`,
    `CompilationError(CodeDoesNotExist { account_id: ${debugString(accountId)} })`,
    { CompilationError: { CodeDoesNotExist: { account_id: accountId } } },
  );
}

export function prepareError(): CallError {
  return new CallError(
    "PrepareError: Error happened while deserializing the module.",
    "CompilationError(PrepareError(Deserialization))",
    { CompilationError: { PrepareError: "Deserialization" } },
  );
}

export function linkError(message: string): CallError {
  const text = `Link Error: ${message}`;
  return new CallError(text, `LinkError { msg: ${debugString(message)} }`, { ExecutionError: text });
}

/** What V8 says of a trap, and the protocol's name and sentence for it. */
const TRAPS: [RegExp, string, string][] = [
  [/unreachable/, "Unreachable", "An `unreachable` opcode was executed."],
  [/memory access out of bounds/, "MemoryOutOfBounds", "Memory out of bounds trap."],
  [
    /table index is out of bounds|table.*out of bounds/,
    "CallIndirectOOB",
    "Call indirect out of bounds trap.",
  ],
  [/null function|null reference/, "IndirectCallToNull", "Indirect call to null."],
  [/signature/, "IncorrectCallIndirectSignature", "Call indirect incorrect signature trap."],
  [
    /divide|remainder|float unrepresentable|unrepresentable/,
    "IllegalArithmetic",
    "An arithmetic exception, e.g. divided by zero.",
  ],
  [/stack/, "StackOverflow", "Stack overflow."],
];

export function trapError(error: Error): CallError {
  const [, name, sentence] = TRAPS.find(([pattern]) => pattern.test(error.message)) ?? [
    undefined,
    "GenericTrap",
    "Generic trap.",
  ];
  return new CallError(`WebAssembly trap: ${sentence}`, `WasmTrap(${name})`, {
    ExecutionError: `WebAssembly trap: ${sentence}`,
  });
}
