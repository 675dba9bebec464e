//! docs/contract.md has every method with its arguments and its deposit, every failure code, and in the table of
//! requirements tests that there are.

use harness::mintage::workspace;
use serde_json::Value;

fn documentation() -> String {
    std::fs::read_to_string(workspace("../docs/contract.md")).unwrap()
}

/// The rows of the tables between two headings, by their cells.
fn rows(documentation: &str, from: &str, to: &str) -> Vec<Vec<String>> {
    let (_, part) = documentation.split_once(from).expect(from);
    let (part, _) = part.split_once(to).expect(to);
    part.lines()
        .filter(|line| line.starts_with("| "))
        .map(|line| line.split('|').map(|cell| cell.trim().to_owned()).collect())
        .collect()
}

/// What stands in the brackets of a type of the documentation, on one line or several.
fn type_of<'a>(documentation: &'a str, name: &str) -> &'a str {
    let (_, rest) = documentation
        .split_once(&format!("\n{name} {{"))
        .expect(name);
    let line = rest.lines().next().unwrap_or_default();
    match line.split_once('}') {
        Some((inside, _)) => inside,
        None => rest.split_once("\n}").expect("a closing bracket").0,
    }
}

#[test]
fn every_method_is_documented_with_its_arguments_and_deposit() {
    let documentation = documentation();
    let abi = std::fs::read_to_string(workspace("abi.json")).unwrap();
    let abi: Value = serde_json::from_str(&abi).unwrap();
    let calls = rows(&documentation, "## Calls", "### Gas");
    let views = rows(&documentation, "## Views", "## Failure codes");
    for function in abi["body"]["functions"].as_array().unwrap() {
        let name = function["name"].as_str().unwrap();
        let is_view = function["kind"] == "view";
        let table = if is_view { &views } else { &calls };
        let named = format!("`{name}`");
        let found: Vec<_> = table.iter().filter(|row| row[1].contains(&named)).collect();
        assert_eq!(found.len(), 1, "{name} has one row");
        let row = found[0];
        let mut text = row.join("|");
        for (mention, part) in [
            ("...Settings", "Settings"),
            ("...Order", "Order"),
            ("...Override", "Override"),
            ("as `nft_claim`", "as `nft_claim`"),
        ] {
            if !text.contains(mention) {
                continue;
            }
            if part == "as `nft_claim`" {
                let claim = calls.iter().find(|row| row[1] == "`nft_claim`").unwrap();
                text.push_str(&claim.join("|"));
            } else {
                text.push_str(type_of(&documentation, part));
            }
        }
        let args = function["params"]["args"].as_array();
        for arg in args.into_iter().flatten() {
            let arg = arg["name"].as_str().unwrap();
            let word = |c: char| c.is_alphanumeric() || c == '_';
            let mut words = text.split(|c| !word(c));
            assert!(
                words.any(|other| other == arg),
                "{name}: {arg} is not in {row:?}"
            );
        }
        if !is_view {
            let modifiers = function["modifiers"].as_array();
            let is_payable = modifiers.is_some_and(|all| all.contains(&"payable".into()));
            assert_eq!(row[3] != "–", is_payable, "{name}: deposit {}", row[3]);
        }
    }
}

#[test]
fn every_failure_code_is_documented() {
    let source = std::fs::read_to_string(workspace("mintage/src/error.rs")).unwrap();
    let codes: Vec<&str> = source
        .split('"')
        .filter(|text| text.starts_with("E_") && !text.contains(' '))
        .collect();
    assert!(codes.len() > 30, "{codes:?}");
    let documented = rows(
        &documentation(),
        "## Failure codes",
        "Limits that the types",
    );
    for code in codes {
        let named = format!("`{code}`");
        let count = documented
            .iter()
            .filter(|row| row[1].contains(&named))
            .count();
        assert_eq!(count, 1, "{code} has one row");
    }
}

/// The source of a file of tests, or of all that a folder of that name has.
fn sources(file: &str) -> String {
    if let Ok(source) = std::fs::read_to_string(workspace(&format!("harness/tests/{file}.rs"))) {
        return source;
    }
    let folder = std::fs::read_dir(workspace(&format!("harness/tests/{file}")));
    let folder = folder.unwrap_or_else(|error| panic!("{file}: {error}"));
    let read = |entry: std::io::Result<std::fs::DirEntry>| std::fs::read_to_string(entry?.path());
    folder.map(|entry| read(entry).unwrap()).collect()
}

#[test]
fn every_test_that_the_documentation_names_is_there() {
    let documentation = documentation();
    let (_, standards) = documentation
        .split_once("## Standards")
        .expect("the table of requirements");
    let mut named = 0;
    for line in standards.lines().filter(|line| line.starts_with("| ")) {
        let Some(tests) = line.trim_end_matches(['|', ' ']).rsplit('|').next() else {
            continue;
        };
        let mut file = String::new();
        // `file: `test`, `test`, file: `test``: text before a colon names the file, text in backticks a test of it.
        for (at, part) in tests.split('`').enumerate() {
            if at % 2 == 0 {
                if let Some((name, _)) = part.rsplit_once(':') {
                    file = name.trim_matches([',', ' ']).to_owned();
                }
                continue;
            }
            let source = sources(&file);
            assert!(
                source.contains(&format!("fn {part}(")),
                "no test {part} in {file}"
            );
            named += 1;
        }
    }
    assert!(named > 30, "{named} tests are named");
}
