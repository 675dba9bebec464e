//! The contract's methods. They are exported one by one rather than by the SDK's macro, which would read and write a
//! state record on every call (0.16 Tgas).

macro_rules! entries {
    ($($($step:ident)::+),* $(,)?) => { $(entries!(@one $($step)::+);)* };
    (@one $module:ident::$name:ident) => { entries!(@export $name, crate::$module::$name); };
    (@one $outer:ident::$module:ident::$name:ident) => { entries!(@export $name, crate::$outer::$module::$name); };
    (@export $name:ident, $path:path) => {
        #[no_mangle]
        pub extern "C" fn $name() {
            $path();
        }
    };
}

entries! {
    roles::new,
    roles::nft_metadata,
    roles::contract_metadata_update,
    roles::admin_add,
    roles::admin_remove,
    roles::owner_propose,
    roles::owner_accept,
    roles::platform_set,
    roles::contract_roles,
    roles::contract_version,
    roles::contract_source_metadata,
    upgrade::upgrade_announce,
    upgrade::upgrade,
    upgrade::upgrade_check,
    upgrade::migrate,
    upgrade::contract_upgrade,
    balance::withdraw,
    balance::contract_balance,
    allowlist::allowlist_add,
    allowlist::allowlist_remove,
    allowlist::allowlist_clear,
    allowlist::allowlist_sweep,
    allowlist::is_allowlisted,
    collection::create::collection_create,
    collection::create::collection_add_assets,
    collection::create::collection_publish,
    collection::update::collection_update,
    collection::lock::collection_lock,
    collection::reveal::collection_reveal,
    collection::view::collection,
    collection::view::collections,
    collection::view::collection_assets,
    token::batch::nft_batch_mint,
    token::batch::staff_mints_allow,
    token::direct::nft_mint,
    purchase::ft_on_transfer,
    token::update::nft_update,
    token::update::nft_update_batch,
    token::lock::nft_lock,
    token::burn::nft_burn,
    token::mint::draws_tell,
    drop::manage::drop_create,
    drop::manage::drop_update,
    drop::manage::drop_close,
    drop::manage::drop,
    drop::manage::drops,
    drop::claim::nft_claim,
    drop::claim::claim_eligibility,
    drop::voucher::voucher_mint,
    drop::voucher::voucher_eligibility,
    shares::shares_withdraw,
    shares::shares_resolve,
    shares::shares_of,
    token::direct::mint_eligibility,
    token::transfer::nft_transfer,
    token::transfer::nft_transfer_call,
    token::transfer::nft_resolve_transfer,
    token::payout::nft_payout,
    token::payout::nft_transfer_payout,
    token::approvals::nft_approve,
    token::approvals::nft_revoke,
    token::approvals::nft_revoke_all,
    token::approvals::nft_is_approved,
    token::enumeration::nft_token,
    token::enumeration::nft_tokens,
    token::enumeration::nft_tokens_by_ids,
    token::enumeration::nft_tokens_for_owner,
    token::enumeration::nft_supply_for_owner,
    token::enumeration::nft_total_supply,
    token::enumeration::collection_tokens,
}
