import * as fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ServiceError } from "../../src/domain/errors.ts";
import { boundaryOf, readForm } from "../../src/http/multipart/multipart.ts";

const BOUNDARY = "----boundary-0123";
const latin = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, "latin1"));

interface Part {
  readonly name: string;
  readonly filename: string | null;
  readonly content: string;
}

/** A body as a browser writes it, as a string of bytes. */
const encode = (parts: readonly Part[], boundary = BOUNDARY): string =>
  `${parts
    .map(({ name, filename, content }) => {
      const file = filename === null ? "" : `; filename="${filename}"\r\nContent-Type: image/png`;
      return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${content}\r\n`;
    })
    .join("")}--${boundary}--\r\n`;

/** A stream of the body in pieces of the given sizes, repeated. */
function streamOf(body: string, sizes: readonly number[], bytes: boolean): ReadableStream<Uint8Array> {
  const all = latin(body);
  let at = 0;
  let turn = 0;
  return new ReadableStream({
    pull: (controller) => {
      if (at >= all.length) {
        controller.close();
        // A byte stream returns its reader's memory this way.
        (controller as unknown as ReadableByteStreamController).byobRequest?.respond(0);
        return;
      }
      const size = sizes[turn++ % sizes.length]!;
      controller.enqueue(all.slice(at, at + size));
      at += size;
    },
    ...(bytes ? { type: "bytes" as const } : {}),
  } as UnderlyingSource<Uint8Array>);
}

async function decode(body: string, sizes = [65_536], maxBytes = 1e9, bytes = false): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const part of readForm(streamOf(body, sizes, bytes), BOUNDARY, maxBytes)) {
    const chunks: Uint8Array[] = [];
    for (let chunk = await part.read(); chunk !== null; chunk = await part.read()) chunks.push(chunk.slice());
    parts.push({
      name: part.name,
      filename: part.filename,
      content: Buffer.concat(chunks).toString("latin1"),
    });
  }
  return parts;
}

const failure = async (body: string, maxBytes?: number): Promise<{ code: string; message: string }> => {
  const error = await decode(body, [7], maxBytes, true).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ServiceError)) throw new Error(`no clear error: ${String(error)}`);
  return { code: error.code, message: error.message };
};

describe("a form", () => {
  test("is read with all its parts unchanged, whatever they contain and however the body is split", async () => {
    const content = fc.oneof(
      fc.string({
        unit: fc.constantFrom("\r", "\n", "-", "b", "\0", "\xff", `\r\n--${BOUNDARY.slice(0, -1)}`),
        maxLength: 40,
      }),
      fc.integer({ min: 0, max: 200_000 }).map((length) => "\r\n--".repeat(length / 4)),
    );
    const part = fc.record({
      name: fc.constantFrom("asset_file", "reference_file", "assets_detail"),
      filename: fc.option(fc.constantFrom("a.png", "b c.png")),
      content: content.filter((text) => !text.includes(`\r\n--${BOUNDARY}`)),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { minLength: 1, maxLength: 6 }),
        fc.array(fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1000, max: 90_000 })), {
          minLength: 1,
        }),
        fc.boolean(),
        async (parts, sizes, bytes) => {
          expect(await decode(encode(parts), sizes, 1e9, bytes)).toEqual(parts);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("is read without a preamble, an epilogue and the parts that nobody reads", async () => {
    const parts = [
      { name: "a", filename: "1", content: "x".repeat(400_000) },
      { name: "b", filename: null, content: "y" },
    ];
    const names: string[] = [];
    const body = `preamble\r\n${encode(parts)}epilogue`;
    for await (const part of readForm(streamOf(body, [1000], false), BOUNDARY, 1e9)) names.push(part.name);
    expect(names).toEqual(["a", "b"]);
  });

  test("may have names as browsers and curl write them", async () => {
    const read = async (disposition: string) => {
      const [part] = await decode(
        `--${BOUNDARY}\r\nContent-Disposition: ${disposition}\r\n\r\nx\r\n--${BOUNDARY}--`,
      );
      return [part?.name, part?.filename];
    };
    expect(await read('form-data; name="a"; filename="b%22c.png"')).toEqual(["a", 'b"c.png']);
    expect(await read('form-data; name="a"; filename="b\\"c.png"')).toEqual(["a", 'b"c.png']);
    expect(await read('form-data; name="a"; filename="C:\\pics\\b.png"')).toEqual(["a", "C:\\pics\\b.png"]);
    expect(await read("form-data; filename=b.png; name=a")).toEqual(["a", "b.png"]);
    expect(await read('form-data; name="filename"; filename=""')).toEqual(["filename", ""]);
    const utf8 = Buffer.from("é😀.png").toString("latin1");
    expect(await read(`form-data; name="a"; filename="${utf8}"`)).toEqual(["a", "é😀.png"]);
  });

  const part = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="a"\r\n\r\nx`;
  test.each([
    ["an empty body", "", /boundary/],
    ["another boundary", `--other\r\n\r\n--other--`, /boundary/],
    ["a body cut in a part", part, /ends before/],
    ["a body cut in the closing boundary", `${part}\r\n--${BOUNDARY}-`, /ends before/],
    ["a body cut in the headers", part.slice(0, 50), /ends before/],
    ["a part without headers", `--${BOUNDARY}\r\n\r\nx\r\n--${BOUNDARY}--`, /no Content-Disposition/],
    [
      "a part without a name",
      `--${BOUNDARY}\r\nContent-Disposition: form-data\r\n\r\nx\r\n--${BOUNDARY}--`,
      /no name/,
    ],
    [
      "a part of another kind",
      `--${BOUNDARY}\r\nContent-Disposition: attachment; name="a"\r\n\r\nx\r\n--${BOUNDARY}--`,
      /form-data/,
    ],
    ["a header without a colon", `--${BOUNDARY}\r\nhello\r\n\r\nx\r\n--${BOUNDARY}--`, /colon/],
    ["headers that are too long", `--${BOUNDARY}\r\nA: ${"x".repeat(20_000)}\r\n\r\n`, /16 kB/],
    ["headers that are not UTF-8", `--${BOUNDARY}\r\nA: \xff\r\n\r\nx\r\n--${BOUNDARY}--`, /UTF-8/],
    [
      "an encoded part",
      `--${BOUNDARY}\r\nContent-Transfer-Encoding: base64\r\n\r\nx\r\n--${BOUNDARY}--`,
      /as they are/,
    ],
    ["other text after a boundary", `--${BOUNDARY}rubbish`, /line break/],
    [
      "too many spaces after a boundary",
      part.replace("\r\n", `${" ".repeat(20_000)}\r\n`),
      /16 kB of spaces/,
    ],
  ])("is refused for %s", async (_, body, message) => {
    const { code, message: text } = await failure(body);
    expect(code).toBe("invalid_multipart");
    expect(text).toMatch(message);
  });

  test("may have exactly the maximum size, and not one byte more", async () => {
    const body = encode([{ name: "a", filename: "a", content: "x".repeat(100) }]);
    expect(await decode(body, [10], body.length)).toHaveLength(1);
    expect(await failure(body, body.length - 1)).toMatchObject({ code: "payload_too_large" });
  });

  test("ends with an error if its stream fails", async () => {
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error("gone")),
    });
    await expect(readForm(body, BOUNDARY, 100).next()).rejects.toMatchObject({ code: "invalid_multipart" });
  });

  test("has its body cancelled if the reader stops early", async () => {
    let cancelled = false;
    const chunk = latin(encode([{ name: "a", filename: null, content: "x".repeat(500_000) }]));
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(chunk.slice(0, 1000)),
      cancel: () => {
        cancelled = true;
      },
    });
    for await (const _ of readForm(body, BOUNDARY, 1e9)) break;
    expect(cancelled).toBe(true);
  });
});

describe("the boundary of a form", () => {
  test.each([
    ["multipart/form-data; boundary=abc", "abc"],
    ["multipart/form-data; boundary=a", "a"],
    [`multipart/form-data; boundary=${"a".repeat(70)}`, "a".repeat(70)],
    ['Multipart/Form-Data; charset=utf-8; Boundary="a b:c"', "a b:c"],
    [
      "multipart/form-data;boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW",
      "----WebKitFormBoundary7MA4YWxkTrZu0gW",
    ],
  ])("is read from %s", (header, boundary) => expect(boundaryOf(header)).toBe(boundary));

  test.each([
    [null, "unsupported_content_type"],
    ["application/json", "unsupported_content_type"],
    ["multipart/mixed; boundary=a", "unsupported_content_type"],
    ["multipart/form-data", "invalid_multipart"],
    ["multipart/form-data; boundary=", "invalid_multipart"],
    [`multipart/form-data; boundary=${"a".repeat(71)}`, "invalid_multipart"],
    ['multipart/form-data; boundary="a\u00e9"', "invalid_multipart"],
  ])("can't be read from %s", (header, code) => {
    expect(() => boundaryOf(header)).toThrowError(expect.objectContaining({ code }));
  });
});

describe("a body without progress", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A body whose pieces come so many seconds after one another; after the last one nothing comes. */
  const slow = (text: string, seconds: number, cancelled: () => void) => {
    const letters = [...latin(text)];
    return new ReadableStream<Uint8Array>(
      {
        pull: (controller) =>
          new Promise((resolve) => {
            if (letters.length === 0) return;
            setTimeout(() => {
              controller.enqueue(Uint8Array.of(letters.shift()!));
              resolve();
            }, seconds * 1_000);
          }),
        cancel: cancelled,
      },
      { highWaterMark: 0 },
    );
  };

  test("is aborted after a minute without data, and not before, however long it takes in total", async () => {
    vi.useFakeTimers();
    const text = encode([{ name: "a", filename: null, content: "b" }]);
    let moved = 0;
    const cancelled = vi.fn();
    const reading = readForm(slow(text.slice(0, -8), 59, cancelled), BOUNDARY, 1e9, () => moved++);
    const names: string[] = [];
    const work = (async () => {
      for await (const part of reading) names.push(part.name);
    })().catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(text.length * 60_000);
    expect(names).toEqual(["a"]);
    expect(moved).toBe(text.length - 8);
    expect(await work).toMatchObject({
      code: "invalid_multipart",
      message: expect.stringContaining("60 seconds"),
    });
    expect(cancelled).toHaveBeenCalledOnce();
  });
});
