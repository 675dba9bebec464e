/** The networks that a client's address counts for. */
export interface ClientNetworks {
  /** An IPv4 address, or the first 64 bits of an IPv6 address; anything else stays as it is. */
  readonly client: string;
  /** The first 48 bits of an IPv6 address; null for any other. */
  readonly site: string | null;
}

/**
 * The networks of an address. 64 bits of an IPv6 address are the least that a customer of a network is given (RFC 6177),
 * but many have 56 or 48 (RIPE-690), and then 256 or 65,536 networks of 64. A network of 48 bits may also be many
 * customers' together, so that it counts beside the others, with a larger allowance, as Let's Encrypt does it
 * (https://letsencrypt.org/docs/rate-limits/, "New Registrations per IPv6 Range").
 */
export function clientNetworks(address: string): ClientNetworks {
  if (!address.includes(":")) return { client: address, site: null };
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1]) return { client: mapped[1], site: null };
  const [head = "", tail] = address.split("%")[0]!.split("::");
  const left = groupsOf(head);
  const right = groupsOf(tail ?? "");
  const zeros = tail === undefined ? 0 : Math.max(8 - left.length - right.length, 0);
  const groups = [...left, ...Array<string>(zeros).fill("0"), ...right];
  return { client: networkOf(groups, 64), site: networkOf(groups, 48) };
}

const networkOf = (groups: readonly string[], bits: 48 | 64): string => {
  const first = groups.slice(0, bits / 16).map((group) => Number.parseInt(group, 16).toString(16));
  return `${first.join(":")}::/${bits}`;
};

/** The groups of 16 bits in a part of an IPv6 address; an IPv4 address at its end stands for two. */
const groupsOf = (text: string): string[] =>
  text === "" ? [] : text.split(":").flatMap((group) => (group.includes(".") ? ["0", "0"] : [group]));
