/** Whether an If-None-Match header names a tag; comparison is weak (RFC 9110, section 13.1.2). */
export function namesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === "*") return true;
  const weakly = (tag: string): string => tag.trim().replace(/^W\//, "");
  return header.split(",").some((tag) => weakly(tag) === weakly(etag));
}
