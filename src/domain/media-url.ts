/** Redirects that are followed before a fetch is given up. */
export const MAX_REDIRECTS = 5;

/** Longest address that is accepted. */
const MAX_LENGTH = 2048;

/** Top-level names that lead into private networks or nowhere, by RFC 6761, RFC 6762, RFC 9476, ICANN's reservation or habit. */
const PRIVATE_SUFFIXES =
  "local localhost localdomain internal intranet lan home corp private workgroup svc test invalid arpa alt onion".split(
    " ",
  );

/**
 * Why an address is not fetched, as a sentence; null if it may be. Asked at the start and at every redirect. That a public
 * name doesn't resolve to a private address is the platform's part (`global_fetch_strictly_public`).
 */
export function mediaUrlFault(text: string): string | null {
  if (text.length > MAX_LENGTH) return `The URL is longer than ${MAX_LENGTH} characters.`;
  const spelling = spellingFault(text);
  if (spelling !== null) return spelling;
  const url = URL.parse(text);
  if (url === null) return "Give a complete URL such as https://example.com/picture.png.";
  if (url.protocol !== "https:") return "Only https addresses are fetched.";
  if (url.username !== "" || url.password !== "") return "Remove the user name and password from the URL.";
  if (url.port !== "") return "Use port 443, the default of https.";
  return hostFault(url.hostname.toLowerCase().replace(/\.$/, ""));
}

/** What the URL parser would put right by itself, so that the text shows another address than the one that is called. */
export const spellingFault = (text: string): string | null =>
  /[\s\\\p{Cc}\p{Cf}]/u.test(text) || !text.isWellFormed()
    ? "Write the URL without spaces, control characters, backslashes and invisible characters."
    : null;

function hostFault(host: string): string | null {
  // The URL parser has turned every spelling of an IPv4 address (octal, hexadecimal, one number) into four numbers.
  if (host.startsWith("[") || /^[\d.]+$/.test(host)) return "Give a host name: IP addresses are not fetched.";
  const labels = host.split(".");
  // What follows the root's own dot is no name, and a resolver may pass over it.
  if (labels.includes("")) return "The host name has an empty part; write it with single dots.";
  if (labels.length < 2) return "Give a public host name, with a dot.";
  if (PRIVATE_SUFFIXES.includes(labels.at(-1) ?? "")) return "The host name is one of a private network.";
  return null;
}
