import { mediaUrlFault, spellingFault } from "./media-url.ts";

/** What an endpoint's address is checked against. */
export interface UrlRules {
  /** The service's own addresses. */
  readonly own: readonly string[];
  /** Whether plain http to this machine is taken: `npm start` alone, whose receivers run beside it. */
  readonly local: boolean;
}

const LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Why an address is no endpoint, as a sentence; null if it may be one. The rules of files' addresses, and never this
 * service. That a public name doesn't resolve to a private address is the platform's part, as
 * for files. Asked again before each attempt, since rules may have become stricter.
 */
export const webhookUrlFault = (text: string, { own, local }: UrlRules): string | null => {
  const spelling = spellingFault(text);
  if (spelling !== null) return spelling;
  const url = URL.parse(text);
  if (url !== null && own.some((address) => sameHost(url, URL.parse(address)))) {
    return "Give an address of your own: events aren't sent to this service.";
  }
  if (local && url?.protocol === "http:" && LOCAL_HOSTS.includes(url.hostname)) {
    return url.username === "" && url.password === ""
      ? null
      : "Remove the user name and password from the URL.";
  }
  return mediaUrlFault(text);
};

/** A deployed service has its host to itself; on one machine, others have other ports. */
const sameHost = (url: URL, own: URL | null): boolean => {
  if (own === null) return false;
  const bare = (host: string) => host.replace(/\.$/, "");
  const isLocal = LOCAL_HOSTS.includes(own.hostname) && LOCAL_HOSTS.includes(url.hostname);
  return isLocal ? url.port === own.port : bare(url.hostname) === bare(own.hostname);
};
