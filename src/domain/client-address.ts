/**
 * The part of a client's address that one client has: an IPv4 address, or the first 64 bits of an IPv6 address, which
 * is the least that a network gives to a customer (RFC 6177). Anything else stays as it is.
 */
export function clientNetwork(address: string): string {
  if (!address.includes(":")) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1]) return mapped[1];
  const [head = "", tail] = address.split("%")[0]!.split("::");
  const left = groupsOf(head);
  const right = groupsOf(tail ?? "");
  const zeros = tail === undefined ? 0 : Math.max(8 - left.length - right.length, 0);
  const groups = [...left, ...Array<string>(zeros).fill("0"), ...right].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}

/** The groups of 16 bits in a part of an IPv6 address; an IPv4 address at its end stands for two. */
const groupsOf = (text: string): string[] =>
  text === "" ? [] : text.split(":").flatMap((group) => (group.includes(".") ? ["0", "0"] : [group]));
