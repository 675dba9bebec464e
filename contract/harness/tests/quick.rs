use harness::*;
use serde_json::json;
#[test]
fn reference() {
    let wasm = std::fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../target/wasm32-unknown-unknown/release/reference.wasm"
    ))
    .unwrap();
    let mut chain = Chain::default();
    for a in ["alice.near", "bob.near", "minter.near"] {
        chain.create_account(a, 1000 * NEAR);
    }
    chain.create_contract("nft.near", 100 * NEAR, &wasm);
    let o = chain.call("nft.near", "nft.near", "new", json!({"owner_id":"minter.near","metadata":{"spec":"nft-1.0.0","name":"Example","symbol":"EX"}}), 0);
    println!("new {} {:?}", o.tgas(), o.result());
    for n in 1..=1000 {
        let o = chain.call("minter.near", "nft.near", "nft_mint", json!({"token_id": n.to_string(), "token_owner_id":"alice.near","token_metadata":{"title":"Title","media":"https://example.com/1.png"}}), NEAR/10);
        assert!(o.succeeded(), "{:?}", o);
        if [1, 2, 3, 10, 100, 1000].contains(&n) {
            println!(
                "mint {n} {} {} {:?}",
                o.tgas(),
                o.bytes_of("nft.near"),
                o.receipts
                    .iter()
                    .map(|r| r.gas as f64 / 1e12)
                    .collect::<Vec<_>>()
            );
        }
    }
    assert_eq!(chain.unaccounted(), 0);
    let o = chain.call(
        "alice.near",
        "nft.near",
        "nft_transfer",
        json!({"token_id": "1", "receiver_id":"bob.near"}),
        1,
    );
    println!(
        "transfer {} {} {:?}",
        o.tgas(),
        o.bytes_of("nft.near"),
        o.events()
    );
}
