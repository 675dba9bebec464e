//! Random sequences of all methods: after every step each account holds exactly what it should, nothing goes astray,
//! and what the contract shows agrees with a simple model.
//!
//! `MONEY_SEED=17 cargo test -p harness --test money` replays one sequence; `MONEY_SEQUENCES` sets how many there are
//! in all (5,000), `MONEY_STEPS` how many steps each has (25).

mod drop_steps;
mod model;
mod steps;
mod token_steps;
mod world;

use harness::NEAR;
use harness::mintage::{ADMIN, OWNER, PLATFORM, Scene};
use harness::stub::{Behaviour, contract};
use model::Model;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::OnceLock;
use world::{PEOPLE, RECEIVERS, World};

/// The chain that every sequence starts from.
fn base() -> &'static Scene {
    static BASE: OnceLock<Scene> = OnceLock::new();
    BASE.get_or_init(|| {
        let mut scene = Scene::new(&harness::mintage::wasm(), 3 * NEAR);
        scene.accounts(PEOPLE);
        let behaviours = [
            Behaviour::Return(b"false".to_vec()),
            Behaviour::Return(b"true".to_vec()),
            Behaviour::Panic("no".into()),
            Behaviour::BurnAllGas,
            Behaviour::Nothing,
        ];
        for (receiver, behaviour) in RECEIVERS.iter().zip(behaviours) {
            scene.chain.create_contract(
                receiver,
                100 * NEAR,
                &contract(&[("nft_on_transfer", behaviour)]),
            );
        }
        scene
    })
}

fn number(name: &str, or: u64) -> u64 {
    std::env::var(name).map_or(or, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{name} is no number: {text}"))
    })
}

fn run(seed: u64) {
    let mut scene = base().clone();
    scene.chain.entropy = seed;
    let model = Model {
        collections: vec![],
        drops: vec![],
        owner: OWNER.into(),
        proposed: None,
        admins: BTreeSet::from([ADMIN.to_owned()]),
        platform: PLATFORM.into(),
        next_approval: 0,
    };
    let mut world = World {
        scene,
        model,
        rng: ChaCha8Rng::seed_from_u64(seed),
        steps: vec![],
    };
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        while world.model.collections.is_empty() {
            world.create();
        }
        for step in 1..=number("MONEY_STEPS", 25) {
            world.step();
            world.check_money();
            if step % 8 == 0 {
                world.check_everything();
            }
        }
        world.check_everything();
    }));
    if let Err(panic) = outcome {
        let steps = world.steps.join("\n  ");
        eprintln!(
            "Sequence {seed} failed after these steps; MONEY_SEED={seed} replays it:\n  {steps}"
        );
        resume_unwind(panic);
    }
}

/// One of four shares of the sequences, so that they run side by side.
fn share(part: u64) {
    if let Ok(seed) = std::env::var("MONEY_SEED") {
        if part == 0 {
            run(seed.parse().expect("MONEY_SEED is a number"));
        }
        return;
    }
    (part..number("MONEY_SEQUENCES", 5_000))
        .step_by(4)
        .for_each(run);
}

#[test]
fn money_is_accounted_for_1() {
    share(0);
}

#[test]
fn money_is_accounted_for_2() {
    share(1);
}

#[test]
fn money_is_accounted_for_3() {
    share(2);
}

#[test]
fn money_is_accounted_for_4() {
    share(3);
}
