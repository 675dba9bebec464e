/**
 * The shape of the state trie: which nodes a lookup passes. Writing and removing pay for each node touched
 * (`touching_trie_node`), so gas depends on what other keys exist. Values aren't kept here.
 *
 * As in nearcore, keys are paths of half-bytes; a run without forks is an extension node, a fork a branch node, and
 * an end a leaf that holds the rest of its path. The difference from a live shard is only in what else lives there.
 */
interface Node {
  /** Half-bytes that lead from the fork above to this node, without the one that chose it. */
  path: string;
  hasValue: boolean;
  children: Map<string, Node>;
}

const hex = (key: string) => Buffer.from(key, "latin1").toString("hex");

const leaf = (path: string): Node => ({ path, hasValue: true, children: new Map() });

function sharedLength(a: string, b: string): number {
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) i++;
  return i;
}

export class TrieShape {
  #root: Node | undefined;

  /** Nodes that a lookup of `key` touches, the value among them where it exists. */
  touchedNodes(key: string): number {
    let rest = hex(key);
    let node = this.#root;
    let touched = 0;
    while (node) {
      const isLeaf = node.children.size === 0;
      if (isLeaf || node.path !== "") touched += 1;
      if (!rest.startsWith(node.path)) return touched;
      if (!isLeaf) touched += 1;
      rest = rest.slice(node.path.length);
      if (rest === "") return node.hasValue ? touched + 1 : touched;
      node = node.children.get(rest[0]!);
      rest = rest.slice(1);
    }
    return touched;
  }

  add(key: string): void {
    let rest = hex(key);
    if (!this.#root) {
      this.#root = leaf(rest);
      return;
    }
    let node = this.#root;
    for (;;) {
      const shared = sharedLength(rest, node.path);
      if (shared < node.path.length) {
        const below: Node = { ...node, path: node.path.slice(shared + 1) };
        node.children = new Map([[node.path[shared]!, below]]);
        node.path = node.path.slice(0, shared);
        node.hasValue = false;
      }
      rest = rest.slice(shared);
      if (rest === "") {
        node.hasValue = true;
        return;
      }
      const next = node.children.get(rest[0]!);
      if (!next) {
        node.children.set(rest[0]!, leaf(rest.slice(1)));
        return;
      }
      rest = rest.slice(1);
      node = next;
    }
  }

  remove(key: string): void {
    const trail: [Node, string][] = [];
    let rest = hex(key);
    let node = this.#root;
    if (!node) return;
    for (;;) {
      if (!rest.startsWith(node.path)) return;
      rest = rest.slice(node.path.length);
      if (rest === "") break;
      const next: Node | undefined = node.children.get(rest[0]!);
      if (!next) return;
      trail.push([node, rest[0]!]);
      rest = rest.slice(1);
      node = next;
    }
    node.hasValue = false;
    const parent = trail.at(-1);
    if (node.children.size > 0) join(node);
    else if (parent) {
      parent[0].children.delete(parent[1]);
      join(parent[0]);
    } else this.#root = undefined;
  }
}

/** A node without a value and with a single child is one with it. */
function join(node: Node): void {
  const [only] = node.children;
  if (node.hasValue || node.children.size !== 1 || !only) return;
  const [nibble, child] = only;
  node.path += nibble + child.path;
  node.hasValue = child.hasValue;
  node.children = child.children;
}
