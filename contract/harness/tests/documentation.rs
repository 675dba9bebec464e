//! The table of requirements in docs/contract.md names tests that there are.

use harness::mintage::workspace;

#[test]
fn every_test_that_the_documentation_names_is_there() {
    let documentation = std::fs::read_to_string(workspace("../docs/contract.md")).unwrap();
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
            let flat = workspace(&format!("harness/tests/{file}.rs"));
            let folder = workspace(&format!("harness/tests/{file}/main.rs"));
            let source =
                std::fs::read_to_string(&flat).or_else(|_| std::fs::read_to_string(folder));
            let source =
                source.unwrap_or_else(|error| panic!("{file}, named beside {part}: {error}"));
            assert!(
                source.contains(&format!("fn {part}(")),
                "no test {part} in {file}"
            );
            named += 1;
        }
    }
    assert!(named > 30, "{named} tests are named");
}
