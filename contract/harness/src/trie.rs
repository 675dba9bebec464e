//! The state of one shard, with the node count of NEAR's Merkle-Patricia trie.
//!
//! Gas depends on the trie's shape in one place: a write or a removal walks from the root to its key, and every node
//! on that path costs `wasm_touching_trie_node`; fetching the value that is replaced counts as one node more. Reads
//! go through flat storage, or the trie in memory, and pay for no node (nearcore `Trie::get_optimized_ref` with
//! `KeyLookupMode::MemOrFlatOrTrie`). The path is that of the state before the receipt: what the receipt itself wrote
//! is found in its own change set first, without a node touched (`TrieUpdate::get_ref_or`).
//!
//! The trie itself is not built. The nodes on the path to a key follow from the sorted set of keys alone: where all
//! keys below a prefix go on alike there is an extension, where they part a branch, where one is left a leaf.

use std::collections::{BTreeMap, HashSet};
use std::ops::Bound;
use std::sync::Arc;

/// First byte of a record's key: nearcore's `trie_key::col`.
pub mod column {
    pub const ACCOUNT: u8 = 0;
    pub const CONTRACT_CODE: u8 = 1;
    pub const ACCESS_KEY: u8 = 2;
    pub const CONTRACT_DATA: u8 = 9;
}

/// Largest serialised size of a node, for the estimate of a storage proof: a branch with sixteen children.
const BRANCH_BYTES: usize = 16 * 32 + 16;
const SHORT_NODE_BYTES: usize = 60;

/// All records of a shard by their full trie key.
#[derive(Clone, Default)]
pub struct Trie {
    records: BTreeMap<Vec<u8>, Arc<[u8]>>,
}

/// The nodes on the way to a key.
pub struct Path {
    /// Nodes touched, each paid once.
    pub nodes: u64,
    /// Number of nibbles before each node, which with the key identifies it, and whether it is a branch.
    pub depths: Vec<(usize, bool)>,
}

impl Trie {
    pub fn get(&self, key: &[u8]) -> Option<&Arc<[u8]>> {
        self.records.get(key)
    }

    pub fn set(&mut self, key: Vec<u8>, value: Option<Arc<[u8]>>) {
        match value {
            Some(value) => self.records.insert(key, value),
            None => self.records.remove(&key),
        };
    }

    /// Records whose key starts with `prefix`, in order.
    pub fn under<'a>(
        &'a self,
        prefix: &'a [u8],
    ) -> impl Iterator<Item = (&'a Vec<u8>, &'a Arc<[u8]>)> {
        self.records
            .range::<[u8], _>((Bound::Included(prefix), Bound::Unbounded))
            .take_while(move |(key, _)| key.starts_with(prefix))
    }

    /// The nodes that a look-up of `key` visits, whether or not the key is there.
    pub fn path(&self, key: &[u8]) -> Path {
        let length = key.len() * 2;
        let mut depths = Vec::with_capacity(16);
        let mut at = 0;
        while let Some((first, last)) = self.ends(key, at) {
            if first == last {
                depths.push((at, false));
                break;
            }
            let parting = common_nibbles(first, last);
            if parting > at {
                depths.push((at, false));
                if common_nibbles(first, key) < parting {
                    break;
                }
                at = parting;
            }
            depths.push((at, true));
            if at == length {
                break;
            }
            at += 1;
        }
        Path {
            nodes: depths.len() as u64,
            depths,
        }
    }

    /// First and last key that share the first `nibbles` nibbles of `key`.
    fn ends(&self, key: &[u8], nibbles: usize) -> Option<(&[u8], &[u8])> {
        let mut low = key[..nibbles / 2].to_vec();
        let mut high = low.clone();
        if nibbles % 2 == 1 {
            let start = key[nibbles / 2] & 0xf0;
            low.push(start);
            if start == 0xf0 {
                increment(&mut high);
            } else {
                high.push(start + 0x10);
            }
        } else {
            increment(&mut high);
        }
        let upper = if high.is_empty() {
            Bound::Unbounded
        } else {
            Bound::Excluded(high.as_slice())
        };
        let mut range = self
            .records
            .range::<[u8], _>((Bound::Included(low.as_slice()), upper));
        let first = range.next()?.0;
        let last = range.next_back().map_or(first, |(key, _)| key);
        Some((first, last))
    }
}

/// The smallest key after all that start with `prefix`; empty if there is none.
fn increment(prefix: &mut Vec<u8>) {
    while let Some(last) = prefix.pop() {
        if last < 0xff {
            prefix.push(last + 1);
            return;
        }
    }
}

fn common_nibbles(a: &[u8], b: &[u8]) -> usize {
    let bytes = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    match (a.get(bytes), b.get(bytes)) {
        (Some(x), Some(y)) if x >> 4 == y >> 4 => bytes * 2 + 1,
        _ => bytes * 2,
    }
}

/// An upper estimate of the storage proof that a receipt records, in bytes: each node and value once.
#[derive(Default)]
pub struct Proof {
    seen: HashSet<(usize, Vec<u8>)>,
    pub bytes: usize,
}

impl Proof {
    pub fn visit(&mut self, key: &[u8], path: &Path, value: Option<usize>) {
        for (depth, branch) in &path.depths {
            if self
                .seen
                .insert((*depth, key[..depth.div_ceil(2)].to_vec()))
            {
                self.bytes += if *branch {
                    BRANCH_BYTES
                } else {
                    SHORT_NODE_BYTES + key.len()
                };
            }
        }
        if let Some(length) = value
            && self.seen.insert((usize::MAX, key.to_vec()))
        {
            self.bytes += length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trie(keys: &[&[u8]]) -> Trie {
        let mut trie = Trie::default();
        for key in keys {
            trie.set(key.to_vec(), Some(Arc::from(&b"v"[..])));
        }
        trie
    }

    #[test]
    fn nodes_on_a_path_follow_from_the_keys() {
        assert_eq!(trie(&[]).path(b"a").nodes, 0);
        assert_eq!(trie(&[b"a"]).path(b"a").nodes, 1, "a leaf");
        assert_eq!(
            trie(&[b"a"]).path(b"b").nodes,
            1,
            "the leaf is read before it is known to be another"
        );
        // 0x61 and 0x62 share a nibble: extension, branch, leaf.
        assert_eq!(trie(&[b"a", b"b"]).path(b"a").nodes, 3);
        assert_eq!(trie(&[b"a", b"b"]).path(b"c").nodes, 2, "no child for it");
        assert_eq!(trie(&[b"a", b"b"]).path(b"q").nodes, 1, "off the extension");
        // "a" is a prefix of "ab": extension to the branch that holds the value of "a".
        assert_eq!(trie(&[b"a", b"ab"]).path(b"a").nodes, 2);
        assert_eq!(trie(&[b"a", b"ab"]).path(b"ab").nodes, 3);
        assert_eq!(
            trie(&[&[0x10], &[0x20]]).path(&[0x10]).nodes,
            2,
            "branch at the root, leaf"
        );
        assert_eq!(
            trie(&[&[0xff, 0xf0], &[0xff, 0xff]])
                .path(&[0xff, 0xff])
                .nodes,
            3
        );
    }

    #[test]
    fn a_proof_counts_each_node_and_value_once() {
        let trie = trie(&[b"a", b"b"]);
        let mut proof = Proof::default();
        proof.visit(b"a", &trie.path(b"a"), Some(100));
        let once = proof.bytes;
        proof.visit(b"a", &trie.path(b"a"), Some(100));
        assert_eq!(proof.bytes, once);
    }

    /// The trie itself, built by inserting one key after another, to compare paths with.
    enum Node {
        Leaf(Vec<u8>),
        Extension(Vec<u8>, Box<Node>),
        Branch(bool, Vec<Option<Node>>),
    }

    fn common(a: &[u8], b: &[u8]) -> usize {
        a.iter().zip(b).take_while(|(x, y)| x == y).count()
    }

    fn extend(prefix: &[u8], node: Node) -> Node {
        if prefix.is_empty() {
            node
        } else {
            Node::Extension(prefix.to_vec(), Box::new(node))
        }
    }

    fn insert(node: Option<Node>, key: &[u8]) -> Node {
        let empty = || Node::Branch(false, (0..16).map(|_| None).collect());
        match node {
            None => Node::Leaf(key.to_vec()),
            Some(Node::Leaf(old)) if old == key => Node::Leaf(old),
            Some(Node::Leaf(old)) => {
                let shared = common(&old, key);
                let branch = insert(Some(empty()), &old[shared..]);
                extend(&key[..shared], insert(Some(branch), &key[shared..]))
            }
            Some(Node::Extension(prefix, child)) => {
                let shared = common(&prefix, key);
                if shared == prefix.len() {
                    return Node::Extension(prefix, Box::new(insert(Some(*child), &key[shared..])));
                }
                let Node::Branch(value, mut children) = empty() else {
                    unreachable!()
                };
                children[usize::from(prefix[shared])] = Some(extend(&prefix[shared + 1..], *child));
                extend(
                    &key[..shared],
                    insert(Some(Node::Branch(value, children)), &key[shared..]),
                )
            }
            Some(Node::Branch(_, children)) if key.is_empty() => Node::Branch(true, children),
            Some(Node::Branch(value, mut children)) => {
                let at = usize::from(key[0]);
                let child = children[at].take();
                children[at] = Some(insert(child, &key[1..]));
                Node::Branch(value, children)
            }
        }
    }

    fn visited(node: &Node, key: &[u8]) -> u64 {
        match node {
            Node::Leaf(_) => 1,
            Node::Extension(prefix, child) if key.starts_with(prefix) => {
                1 + visited(child, &key[prefix.len()..])
            }
            Node::Extension(..) => 1,
            Node::Branch(..) if key.is_empty() => 1,
            Node::Branch(_, children) => {
                1 + children[usize::from(key[0])]
                    .as_ref()
                    .map_or(0, |child| visited(child, &key[1..]))
            }
        }
    }

    #[test]
    fn paths_are_those_of_a_trie_that_was_built() {
        use rand::{Rng, SeedableRng};
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(3);
        let nibbles = |key: &[u8]| {
            key.iter()
                .flat_map(|byte| [byte >> 4, byte & 15])
                .collect::<Vec<_>>()
        };
        for _ in 0..300 {
            let mut key = || -> Vec<u8> {
                let length = rng.random_range(0..4);
                (0..length)
                    .map(|_| {
                        *[0x00, 0x01, 0x10, 0x11, 0xf0, 0xff]
                            .get(rng.random_range(0..6))
                            .unwrap()
                    })
                    .collect()
            };
            let keys: Vec<_> = (0..40).map(|_| key()).collect();
            let flat = trie(&keys.iter().map(Vec::as_slice).collect::<Vec<_>>());
            let built = keys
                .iter()
                .fold(None, |node, key| Some(insert(node, &nibbles(key))))
                .unwrap();
            for key in keys.iter().cloned().chain((0..40).map(|_| key())) {
                assert_eq!(
                    flat.path(&key).nodes,
                    visited(&built, &nibbles(&key)),
                    "{key:02x?} in {keys:02x?}"
                );
            }
        }
    }
}
