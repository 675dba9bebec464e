import type { Context } from "hono";
import { ServiceError } from "../domain/errors.ts";
import { JSON_TYPE, PROBLEM_TYPE } from "../domain/media-types.ts";
import type { AppEnv } from "./app-env.ts";
import { parametrisedList } from "./header-parameters.ts";

interface Wish {
  /** From 0, not at all, to 1. */
  readonly weight: number;
  /** 0: every type, 1: every subtype, 2: this type; -1: no range covers it. */
  readonly rank: number;
}

/** The weight of a type in an Accept header: that of the most specific matching range (RFC 9110, section 12.5.1). */
const wishFor = (type: string, header: string | undefined): Wish => {
  if (header === undefined || header.trim() === "") return { weight: 1, rank: 0 };
  const ranges = ["*/*", `${type.split("/")[0]}/*`, type];
  let wish: Wish = { weight: 0, rank: -1 };
  for (const { value, parameters } of parametrisedList(header)) {
    const rank = ranges.indexOf(value.toLowerCase());
    if (rank < 0 || rank < wish.rank) continue;
    const weight = parameters.get("q");
    wish = { rank, weight: weight === undefined ? 1 : Math.min(Number(weight) || 0, 1) };
  }
  return wish;
};

/** Whether an Accept header takes a type. No header, or an empty one, takes everything. */
export const accepts = (type: string, header: string | undefined): boolean =>
  wishFor(type, header).weight > 0;

/** Whether an Accept header names a type itself, not by a range, and takes it. */
export const namesType = (type: string, header: string | undefined): boolean => {
  const { weight, rank } = wishFor(type, header);
  return rank === 2 && weight > 0;
};

/** Whether an Accept header takes JSON. No header, or an empty one, takes everything. */
export const acceptsJson = (header: string | undefined): boolean =>
  accepts(JSON_TYPE, header) || acceptsProblems(header);

/** Whether an Accept header names the type of RFC 9457, and doesn't give it less weight than JSON. */
export const acceptsProblems = (header: string | undefined): boolean => {
  const { weight, rank } = wishFor(PROBLEM_TYPE, header);
  return rank === 2 && weight > 0 && weight >= wishFor(JSON_TYPE, header).weight;
};

/** Whether an Accept header wants a type rather than another: by a greater weight, or a more exact range. */
export const prefers = (type: string, header: string | undefined, other = JSON_TYPE): boolean => {
  const [wish, rival] = [wishFor(type, header), wishFor(other, header)];
  if (wish.weight === 0) return false;
  return wish.weight > rival.weight || (wish.weight === rival.weight && wish.rank > rival.rank);
};

/** Refuses requests whose Accept header allows no type that the endpoint returns. @throws ServiceError not_acceptable */
export const requireAcceptable = (c: Context<AppEnv>): void => {
  const header = c.req.header("Accept");
  const types = c.get("endpoint")?.otherTypes ?? [];
  if (acceptsJson(header) || types.some((type) => accepts(type, header))) return;
  throw new ServiceError(
    "not_acceptable",
    `This address answers ${[JSON_TYPE, ...types].join(" or ")}: the Accept header must allow it.`,
  );
};

/** Whether an If-None-Match header names a tag; comparison is weak (RFC 9110, section 13.1.2). */
export function namesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === "*") return true;
  const weakly = (tag: string): string => tag.trim().replace(/^W\//, "");
  return header.split(",").some((tag) => weakly(tag) === weakly(etag));
}
