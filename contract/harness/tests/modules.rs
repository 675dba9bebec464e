//! The contract's modules use each other in one direction: none can be reached from what it uses itself, and folders
//! stand on each other. Found from the `use` lines and the full paths of the sources.

use harness::mintage::workspace;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Module by module, `a::b` as the crate's root names it, with what it uses.
type Uses = BTreeMap<String, BTreeSet<String>>;

fn sources(folder: &Path, module: &str, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let inside = match name {
            "mod" | "lib" => module.to_owned(),
            _ if module.is_empty() => name.to_owned(),
            _ => format!("{module}::{name}"),
        };
        if path.is_dir() {
            sources(&path, &inside, found);
        } else if !matches!(name, "lib" | "tests") {
            let text = std::fs::read_to_string(&path).unwrap();
            // What only tests use is no part of the contract.
            let (code, _) = text.split_once("#[cfg(test)]\nmod ").unwrap_or((&text, ""));
            found.insert(inside, code.to_owned());
        }
    }
}

/// The paths of a `use`: `a::{b, c::{self, d}}` names `a::b`, `a::c::self` and `a::c::d`.
fn expand(prefix: &str, tree: &str, out: &mut Vec<String>) {
    let tree = tree.trim();
    let Some((before, inside)) = tree.split_once('{') else {
        out.push(format!("{prefix}{tree}"));
        return;
    };
    let inside = inside.trim_end();
    let inside = inside.strip_suffix('}').unwrap_or(inside);
    let (mut depth, mut from) = (0, 0);
    for (at, byte) in inside.bytes().chain([b',']).enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b',' if depth == 0 => {
                expand(&format!("{prefix}{before}"), &inside[from..at], out);
                from = at + 1;
            }
            _ => {}
        }
    }
}

/// The paths that a module's code names, from the crate's root on.
fn paths(module: &str, code: &str) -> Vec<String> {
    let mut named = Vec::new();
    let lines: Vec<&str> = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect();
    let code = lines.join("\n");
    for statement in code.split("use ").skip(1) {
        if let Some((tree, _)) = statement.split_once(';') {
            expand("", tree, &mut named);
        }
    }
    for path in code.split("crate::").skip(1) {
        let end = path.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
        named.push(format!("crate::{}", &path[..end.unwrap_or(path.len())]));
    }
    let parent = module.rsplit_once("::").map_or("", |(parent, _)| parent);
    let from_root = |path: String| match path.strip_prefix("crate::") {
        Some(rest) => rest.to_owned(),
        None if parent.is_empty() => path.trim_start_matches("super::").to_owned(),
        None => match path.strip_prefix("super::") {
            Some(rest) => format!("{parent}::{rest}"),
            None => format!("{module}::{path}"),
        },
    };
    named.into_iter().map(from_root).collect()
}

fn uses() -> Uses {
    let mut found = BTreeMap::new();
    sources(&workspace("mintage/src"), "", &mut found);
    let module_of = |mut path: &str| loop {
        if found.contains_key(path) {
            return Some(path.to_owned());
        }
        path = path.rsplit_once("::")?.0;
    };
    let used = |(module, code): (&String, &String)| {
        let named = paths(module, code);
        let mut used: BTreeSet<String> = named.iter().filter_map(|path| module_of(path)).collect();
        used.remove(module);
        (module.clone(), used)
    };
    found.iter().map(used).collect()
}

/// All that can be reached from a module, itself only where there is a circle.
fn reached<'a>(uses: &'a Uses, from: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&str> = uses[from].iter().map(String::as_str).collect();
    while let Some(module) = next.pop() {
        if reached.insert(module) {
            next.extend(uses[module].iter().map(String::as_str));
        }
    }
    reached
}

#[test]
fn no_module_is_reached_from_what_it_uses() {
    let uses = uses();
    // The reader sees what is there: plain, nested and full paths, and those by the parent's name.
    for (module, used) in [
        ("guard", "books"),
        ("books", "store"),
        ("store", "collection::token_page"),
        ("collection::view", "allowlist"),
        ("collection::update", "collection::create"),
        ("host", "codec"),
    ] {
        assert!(uses[module].contains(used), "{module} uses {used}");
    }
    for module in uses.keys() {
        assert!(
            !reached(&uses, module).contains(module.as_str()),
            "{module} is reached from what it uses: {:?}",
            uses[module]
        );
    }
}

/// The folders from the lowest up: what is above knows what is below, and not the other way round.
const FOLDERS: [&str; 4] = ["json", "collection", "token", "drop"];

#[test]
fn no_folder_uses_one_above_it() {
    let place = |module: &str| {
        let folder = module.split("::").next().unwrap();
        FOLDERS.iter().position(|name| *name == folder)
    };
    for (module, used) in uses() {
        for other in used {
            if let (Some(own), Some(its)) = (place(&module), place(&other)) {
                assert!(its <= own, "{module} uses {other}, which is above it");
            }
        }
    }
}
