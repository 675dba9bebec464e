import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { FolderError, type FolderPlan } from "../client/src/folder/index.ts";

/** Formats that sharp decodes. The service checks the others. */
const DECODED = /\.(png|jpe?g|gif|webp|avif)$/i;
/** Pictures decoded at a time: each is in memory whole, with a byte per pixel. */
const AT_ONCE = 4;

/** What to do about a picture that the decoder refuses. */
export const decodeProblem = (path: string, error: Error): string =>
  `${path}: the picture can't be decoded (${error.message.split("\n")[0]}). Export it again.`;

/**
 * Decodes each picture of a plan to its end, all frames included, because a file that ends early shows broken
 * and stays on-chain.
 * @returns a problem for each picture that doesn't decode, in the order of the plan
 */
export async function undecodable(folder: string, { assets, placeholder }: FolderPlan): Promise<string[]> {
  const files = [...assets.map(({ media }) => media), ...(placeholder ? [placeholder] : [])];
  const paths = files.map(({ path }) => path).filter((path) => DECODED.test(path));
  if (paths.length === 0) return [];
  const { default: sharp } = await import("sharp");
  const problems = new Map<string, string>();
  const remaining = paths.values();
  const work = async () => {
    for (const path of remaining) {
      // From bytes: libvips caches by file name, and --shrink puts other bytes under the same name.
      const picture = sharp(await readFile(join(folder, path)), { animated: true, failOn: "truncated" });
      await picture
        .extractChannel(0)
        .raw()
        .toBuffer()
        .catch((error: Error) => {
          problems.set(path, decodeProblem(path, error));
        });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return paths.flatMap((path) => problems.get(path) ?? []);
}

/** @throws FolderError that names each picture of a plan that doesn't decode */
export async function requireDecodable(folder: string, plan: FolderPlan): Promise<void> {
  const problems = await undecodable(folder, plan);
  if (problems.length > 0) throw new FolderError(problems);
}
