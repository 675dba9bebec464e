/* Made from the OpenAPI document by tools/client-types. Don't edit. */

export interface paths {
    "/admin/v1/collection/{collection_uuid}/hidden-order": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the secret order of a collection's hidden assets
         * @description Whoever has it knows which NFT shows what before the reveal, and can reveal the collection from the contract owner's account without the service. Keep it as you keep WALLET_SECRETS.
         */
        get: operations["adminGetHiddenOrder"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/contract": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the contracts of all integrations, newest first */
        get: operations["adminListEveryContract"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/contract/{contract_uuid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one contract, with its owner
         * @description The roles are read from the chain, where owners change them without this service.
         */
        get: operations["adminGetContract"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/contract/{contract_uuid}/hand-over": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Propose another owner for a contract
         * @description The account becomes the owner once it calls `owner_accept` on the contract with one yoctoNEAR; until then all stays as it is. The integration's wallet stays an admin unless `keep_admin` is false: then the service can't mint from the contract any more. 409 if the wallet isn't the owner.
         */
        post: operations["adminHandOverContract"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/contract/{contract_uuid}/upgrade": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What an upgrade of a contract would do and cost
         * @description Nothing is sent.
         */
        get: operations["adminPlanContractUpgrade"];
        put?: never;
        /**
         * Upgrade a contract to this release's code
         * @description Publishes the code if the chain doesn't have it (the platform pays), tops the contract up (the integration's wallet pays), switches its code and converts its collections. Minting continues meanwhile. A second call joins an upgrade in progress or continues an interrupted one; after the upgrade it changes nothing. 409 if the contract can't be upgraded: it runs unknown code, or the integration's wallet is not its owner.
         */
        post: operations["adminUpgradeContract"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/integration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List integrations, newest first */
        get: operations["adminListIntegrations"];
        put?: never;
        /**
         * Create an integration with a funded wallet
         * @description If the wallet can't be created now, the integration keeps the wallet_state `new`; create its wallet again later.
         */
        post: operations["adminCreateIntegration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/integration/{integration_uuid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one integration */
        get: operations["adminGetIntegration"];
        /**
         * Rename an integration, suspend or resume it
         * @description Requests with the keys of a suspended integration get 403 `integration_suspended`. Accepted operations continue, webhooks are sent, and collections, pages and files stay. Claim links get 503 `claims_paused`, because its wallet would pay for them.
         */
        put: operations["adminChangeIntegration"];
        post?: never;
        /**
         * Delete a suspended integration
         * @description Revokes its keys, stops its webhooks and, within minutes, deletes them with their attempts, and its drafts. What is on the chain stays: contracts, tokens, and the wallet's account, whose sealed key is kept. Files of its collections are still served. 409 while it isn't suspended, while operations are not over, and while its wallet has more than 0.1 NEAR to spend, unless `leave_funds` is true.
         */
        delete: operations["adminDeleteIntegration"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/integration/{integration_uuid}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who changed what of an integration, oldest first
         * @description What GET /api/v1/audit lists for the integration's own keys, also once it was deleted. With `Accept: application/x-ndjson` the answer has an entry a line.
         */
        get: operations["adminListAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/integration/{integration_uuid}/contract": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List an integration's contracts, newest first */
        get: operations["adminListContracts"];
        put?: never;
        /** Deploy a contract for an integration */
        post: operations["adminDeployContract"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/integration/{integration_uuid}/contract/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have an integration's wallet accept a contract that is proposed to it
         * @description Adopt the contract afterwards. If the wallet is the owner already, nothing is sent.
         */
        post: operations["adminAcceptContract"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/integration/{integration_uuid}/contract/adopt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Adopt a contract that exists on the chain
         * @description It must run the contract code of this release or an earlier one, with the integration's wallet as owner or admin. A contract of an earlier release can mint and change allowlists. Changes of settings and of tokens' metadata get 409 `conflict` until it is upgraded.
         */
        post: operations["adminAdoptContract"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/integration/{integration_uuid}/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List an integration's keys, newest first */
        get: operations["adminListKeys"];
        put?: never;
        /**
         * Issue a key
         * @description Only this answer ever shows the key.
         */
        post: operations["adminIssueKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/integration/{integration_uuid}/key/{key_uuid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a key
         * @description It is refused everywhere within five seconds. A second time changes nothing.
         */
        delete: operations["adminRevokeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/integration/{integration_uuid}/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show an integration's limits and its use of them */
        get: operations["adminGetLimits"];
        /**
         * Set limits of an integration
         * @description An absent limit stays; null restores the default. If a limit is lowered below its use, what exists stays, and nothing can be added until the use is below it. `requests`, `operations_waiting` and `spending_per_day` take effect everywhere within five seconds; while the database doesn't answer, within a quarter of an hour.
         */
        put: operations["adminSetLimits"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/integration/{integration_uuid}/payout-account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Set the account that an integration's money is paid out to */
        put: operations["adminSetPayoutAccount"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/integration/{integration_uuid}/wallet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a wallet's address, balance, lanes and queue */
        get: operations["adminGetWallet"];
        put?: never;
        /** Create an integration's wallet if that failed before */
        post: operations["adminCreateWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/integration/{integration_uuid}/wallet/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a restored wallet sign again
         * @description Operations that began before the restoration are not signed: they end as `unknown`, because the lost object may have sent them. An active wallet doesn't change.
         */
        post: operations["adminActivateWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/integration/{integration_uuid}/wallet/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore the key of a lost wallet object
         * @description The key comes from the encrypted copy in the database; operations, keys, events and collections from the database and the bucket. A wallet that has lost nothing doesn't change. A restored wallet signs nothing until it is activated. Call again to resume an interrupted restoration.
         */
        post: operations["adminRestoreWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metrics as OpenMetrics text, for Prometheus and compatible collectors
         * @description The data of GET overview: operations by outcome and duration, open operations, wallets, nodes, database, and what needs attention. ops/ of the repository has a dashboard and alert rules.
         */
        get: operations["adminGetMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/operation/{operation_uuid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an operation of any integration
         * @description An operation moves to its integration's archive a month after its end, or earlier if the ledger is above 4 GiB: give the integration's uuid to find it there.
         */
        get: operations["adminGetOperation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/operation/{operation_uuid}/settle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Settle an operation whose outcome can't be proven
         * @description Only for the state `unknown`; check the chain first. With `had_effect` false the operation ends as failed, nothing more of it is sent, and its caller can send the request again. While a signed transaction may still land, the response is 409 with Retry-After. With `had_effect` true its caller is told not to repeat the request, or gets the response that it would have had if you give the transaction's hash; 409 if that isn't a transaction of the operation's last step. A finalization then adopts the collection that the chain shows under its external id; 409 if it shows none. It is also 409 where it was only prepared, by a top-up or a registration that can't be proven.
         */
        post: operations["adminSettleOperation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The state of the whole service, as the page /operator shows it
         * @description The bucket, the nodes and the platform's account are up to five seconds old, wallets as old as the scheduled job's last look at them. The operation's end counts it, on the day (UTC) on which it ended.
         */
        get: operations["adminGetOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/platform": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the platform account's wallet */
        get: operations["adminGetPlatform"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/secret-rotation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Seal wallets' keys and webhooks' secrets under the newest version of WALLET_SECRETS */
        post: operations["adminRotateSecrets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/transaction/stuck": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List transactions that need the operator
         * @description The platform's wallet comes first, then the integrations'. Each page covers some of the wallets: with `limit` it may have fewer entries, or none, although there is a next page.
         */
        get: operations["adminListStuckTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who changed what, oldest first
         * @description Changes of keys, settings, payouts, webhooks and limits, by keys and by the operator. Entries are written with the change, are never changed, and are kept for 400 days. With `Accept: application/x-ndjson` the answer has an entry a line. With `limit`, Link leads to the next page. Scope: `full`.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collection": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all collections, newest first
         * @description Of a key that is limited to collections, only those. Scope: `read`.
         */
        get: operations["listCollections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collection-draft": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all drafts, newest first
         * @description Of a key that is limited to collections, only those that became one of them. Scope: `read`.
         */
        get: operations["listCollectionDrafts"];
        put?: never;
        /**
         * Create a collection draft
         * @description A draft is off-chain and free. Attach assets to it, then finalize it to create the collection. Scope: `drafts`.
         */
        post: operations["createCollectionDraft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collection-draft/{collection_draft_uuid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one draft
         * @description Scope: `read`.
         */
        get: operations["getCollectionDraft"];
        /**
         * Change a draft
         * @description Absent fields stay; null clears, also within public_mint_config and private_mint_config. `phases` replaces all phases. Refused once the finalization has begun. Scope: `drafts`.
         */
        put: operations["updateCollectionDraft"];
        post?: never;
        /**
         * Delete a draft and its assets
         * @description Scope: `drafts`.
         */
        delete: operations["deleteCollectionDraft"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collection-draft/{collection_draft_uuid}/asset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a draft's assets in their order
         * @description Scope: `read`.
         */
        get: operations["listDraftAssets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collection-draft/{collection_draft_uuid}/asset-bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Attach assets to a draft
         * @description One form contains the files and says how they are used: at most 100 MB (104,857,600 bytes), 20,000 files and 20,000 asset details, with parts in any order. Either all of it is attached, or nothing is stored and `issues` names the first 100 problems. Send larger collections in several forms. Scope: `drafts`.
         */
        post: operations["attachAssets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collection-draft/{collection_draft_uuid}/asset/{asset_uuid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove an asset from a draft
         * @description Scope: `drafts`.
         */
        delete: operations["deleteDraftAsset"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collection-draft/{collection_draft_uuid}/finalize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create the collection on-chain
         * @description Spends funds of the integration's wallet. A draft becomes only one collection, however often this is sent. Scope: `drafts`.
         */
        post: operations["finalizeCollectionDraft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collection/{collection_uuid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one collection
         * @description Scope: `read`.
         */
        get: operations["getCollection"];
        /**
         * Change a collection on-chain
         * @description Absent fields stay; null clears. The same holds within public_mint_config and private_mint_config: to change a price, give mint_fee alone. A config that isn't there yet needs mint_fee, also where the phase has a price in a currency, all of which it replaces, `supply` too; null ends its phase. `phases` replaces all phases: one that it doesn't name ends, unless its config is given beside it. A currency has to be the contract of a NEP-141 token that describes itself (NEP-148), with a symbol of ASCII letters and digits other than NEAR; the contract is registered there (NEP-145) first, once and for at most 0.0125 NEAR, and at most eight accounts of an integration in 24 hours: beyond it 402 `spending_limit_reached`. Royalties and lists of accounts are replaced as a whole. Scope: `settings`.
         */
        put: operations["updateCollection"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collection/{collection_uuid}/allowlist-add": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Add accounts to the allowlist
         * @description Scope: `mint`.
         */
        put: operations["allowlistAdd"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collection/{collection_uuid}/allowlist-checkaccount": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Whether an account is on the allowlist
         * @description Reads the chain and changes nothing; a key of role `read` may use it. Scope: `read`.
         */
        put: operations["allowlistCheckAccount"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collection/{collection_uuid}/allowlist-clear": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Remove every account from the allowlist
         * @description Scope: `mint`.
         */
        put: operations["allowlistClear"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collection/{collection_uuid}/allowlist-remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Remove accounts from the allowlist
         * @description Scope: `mint`.
         */
        put: operations["allowlistRemove"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collection/{collection_uuid}/drop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a collection's claim drops, from the chain
         * @description Those that were closed are gone. A page may have fewer entries than `limit`, or none, and still have a next one. Scope: `read`.
         */
        get: operations["listDrops"];
        put?: never;
        /**
         * Open a claim drop: links that each give NFTs to their holder
         * @description The caller makes the keys of issuer and links, and never sends them; `npm run claim` does all of it (docs/launching.md). docs/contract.md says what is signed, also for vouchers, with which the issuer sells NFTs of the drop at a price of its own. Scope: `mint`.
         */
        post: operations["createDrop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collection/{collection_uuid}/drop/{drop_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a claim drop, with which of its links were claimed, from the chain
         * @description Scope: `read`.
         */
        get: operations["getDrop"];
        /**
         * Change a claim drop: more links or reserve, another end or issuer's key, revoked links
         * @description Absent fields stay. `links` is the new number of links, those before included; `reserve` is added. Revoked links free what the reserve holds for them. Scope: `mint`.
         */
        put: operations["updateDrop"];
        post?: never;
        /**
         * Close a claim drop that is over, which frees the rest of its reserve
         * @description After its end, when all its links are claimed, or when the collection has no copies left for one. Scope: `mint`.
         */
        delete: operations["closeDrop"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collection/{collection_uuid}/eligibility/{account_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether an account may mint from its wallet now, and its price
         * @description The contract's answer is up to five seconds old, and shows all that writes of this API have changed. `currency` is the account of the token that the mint is to be paid in; without it, it is NEAR. Scope: `read`.
         */
        get: operations["getEligibility"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collection/{collection_uuid}/holder": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a collection's holders at one final block, largest first
         * @description All pages of a list by `cursor` show the same block. With `Accept: text/csv` the answer is a table. Scope: `read`.
         */
        get: operations["listHolders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collection/{collection_uuid}/lock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Lock parts of a collection, for ever
         * @description A promise to holders, kept by the contract. It can't be undone, by anyone. `metadata`: title, description and what NFTs show stay. `supply`: nothing is minted any more. `royalties`: ongoing_royalties stay. `transfers`: transfers and approvals that are possible stay possible. `code`: the contract's code never changes, for all of its collections. A write that a known lock forbids, and its quote, are then refused with 409 `conflict` before anything is sent; `issues` names the fields, unless no other fields would help, as of a mint under `supply`. These locks are refused: all while the contract has a full-access key, `metadata` before all assets are revealed, `transfers` while they are forbidden, `code` while an upgrade is announced, and where another account owns the contract. Scope: `settings`.
         */
        put: operations["lockCollection"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collection/{collection_uuid}/mint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mint NFTs to accounts
         * @description At most 25 NFTs a call: receivers times quantity. Without `asset_uuid` each takes one of the remaining copies at random. Scope: `mint`.
         */
        post: operations["mint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collection/{collection_uuid}/nft-burn": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Burn NFTs of the integration's wallet, for ever
         * @description Of NFTs that the integration's wallet owns, in one transaction: all or none. This can't be undone. Numbers and copies of burnt NFTs aren't used again. Scope: `update`.
         */
        post: operations["burnNfts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collection/{collection_uuid}/nft-lock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Lock what one NFT shows, for ever
         * @description The NFT keeps its picture and metadata, and the collection's title and description as they are now. This can't be undone. Scope: `settings`.
         */
        put: operations["lockNft"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collection/{collection_uuid}/nft-transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Transfer NFTs out of the integration's wallet
         * @description Of NFTs that the integration's wallet owns, in one transaction: all or none. The collection's rules for transfers hold, and a receiver with a name must exist on the chain. Scope: `mint`.
         */
        post: operations["transferNfts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collection/{collection_uuid}/nft-update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the metadata of one NFT
         * @description Absent fields stay; null restores the value of the collection and its asset. Scope: `update`.
         */
        put: operations["updateNft"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collection/{collection_uuid}/nft-update-bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the metadata of up to 1,000 NFTs
         * @description In as few transactions as fit. Each NFT has a result: one that can't be changed is named and keeps no other from being changed; `results` has the order of `updates`. If a later transaction can't be carried out, its NFTs are named as failed; send those again under a new Idempotency-Key. Fields are those of nft-update; at most 25 different files are named by URL. Scope: `update`.
         */
        post: operations["updateNfts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collection/{collection_uuid}/page": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how a collection is shown to collectors
         * @description Scope: `read`.
         */
        get: operations["getCollectionPage"];
        /**
         * Show a collection to collectors, with a mint page and a gallery
         * @description `slug` and `enabled` are needed each time; of the others, absent ones stay and null clears. The pages are at `/m/{slug}` and `/g/{slug}` of this service as long as `enabled` is true, and need no key. docs/pages.md explains them. Scope: `update`.
         */
        put: operations["updateCollectionPage"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collection/{collection_uuid}/reveal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show the assets that a collection hides
         * @description In the order that the collection is committed to since its finalization, which nobody can change. A collection is cut into at most 100 batches of equal size, and a reveal shows whole ones. Minting continues meanwhile. This can't be undone. Scope: `settings`.
         */
        post: operations["revealCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collection/{collection_uuid}/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a collection's NFTs, from the chain
         * @description `owner` selects an account's NFTs; a page then may have fewer entries than `limit`, or none, and still have a next one. With `Accept: text/csv` the answer is a table. Scope: `read`.
         */
        get: operations["listTokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/currency/{contract_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A NEP-141 token that prices may be in
         * @description Its symbol and decimals as its contract describes them (NEP-148): a price of 5 USDC is `5000000` of its smallest units. Scope: `read`.
         */
        get: operations["getCurrency"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/event": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events, oldest first, wait for them, or stream them
         * @description Events are numbered without gaps and kept for 90 days. Store the last `seq` that you handled, and ask for those after it. With `type` a page may be short or empty and still have a next one: follow `Link`, because the same `after` would give the same empty page again. With `Accept: text/event-stream` the answer is server-sent events, with the seq as id. Such a stream ends after five minutes; continue it by `Last-Event-ID`, as EventSource does by itself. After the loss of a wallet object, numbers continue after a gap. A seq that doesn't exist gets 409, which names the last one. Too many readers at once get 429. Scope: `read`.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the integration's keys, newest first
         * @description Without those that were deleted, and those that may do more than yours. A page may have fewer entries than `limit`, or none, and still have a next one. Scope: `full`.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Make a key
         * @description Never with more rights than your own key has. If your key has a `spending_per_day`, what the new key spends counts for it too. Only this answer shows the key. Scope: `full`.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/key/{key_uuid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a key
         * @description It is refused everywhere within five seconds. Writes that it sent are carried out. Keys that it made stay: delete them as well. Scope: `full`.
         */
        delete: operations["deleteKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/key/{key_uuid}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace a key's text
         * @description The old text works as well for 24 hours, so that no request fails while a server is given the new one. Another rotation ends the older one at once. Its uuid, rights and budget stay. Only this answer shows the new text. Scope: `full`.
         */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the key's integration, wallet, contracts and limits
         * @description Lists the newest 50 contracts that are ready. Values that only the chain knows are up to five seconds old, and null while no node responds; `balance` and `available` include all that the wallet itself has done.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the integration's operations, newest first
         * @description Of a key that is limited to collections, only operations on those. Read an operation by itself for its transactions and answer. A page may have fewer entries than `limit`, or none, and still have a next one: follow Link until there is none. Scope: `read`.
         */
        get: operations["listOperations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operation/{operation_uuid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an operation: a write to the chain */
        get: operations["getOperation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/quote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What a write to the chain would cost
         * @description Plans the write with the code that carries it out, and sends nothing. The write itself then names the quote in `Mintage-Quote`, and costs at most `cost.at_most`. A write that would be refused is refused here in the same way, except for missing money, which `wallet.missing` shows, and for `spending_limit_reached`. Several writes may name one quote; each of them may cost that much.
         */
        post: operations["quote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/transaction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the integration's final transactions, newest first
         * @description Scope: `read`.
         */
        get: operations["listTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/wallet/payout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pay sales, or other money of the wallet, out to the integration's account
         * @description Only the operator sets the account, so that a leaked key pays out to its owner only. Amounts reserved for pending writes are never paid out, and a payout is refused while a finalization or an upgrade is pending, `sales` and `all` also while another payout is, and any payout with `currency` while another one with `currency` is. `sales` pays all that the collections of the wallet's contracts have `earned`, minus earlier payouts, rounded down to whole nanoNEAR; it leaves 1.01 NEAR in the wallet, and what it can't pay for that reason remains for the next payout. An amount or `all` is deducted from unpaid sales first. With `Mintage-Quote` or `Mintage-Max-Cost` `sales` and `all` pay what the limit leaves beside the gas, so that a sale after the quote remains for the next payout. Each payout reads the collections from the chain before it is accepted. `sales` does without contracts that can't be read. With `currency` it pays units of that token: what the wallet lacks of the amount is first fetched from its contracts, where shares in tokens wait, and `all` is all of both. The wallet pays at most 0.0125 NEAR for each account that the token doesn't know yet, once, and for at most eight accounts in 24 hours. Scope: `money`.
         */
        post: operations["payOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks, newest first
         * @description Scope: `read`.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Have events sent to an address
         * @description Events from now on are sent as Standard Webhooks (standardwebhooks.com): signed, in order of their first attempts, each until it was answered with 2xx. Only this answer shows the secret. Scope: `webhooks`.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook/{webhook_uuid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook
         * @description Scope: `read`.
         */
        get: operations["getWebhook"];
        /**
         * Change a webhook, disable or enable it
         * @description Scope: `webhooks`.
         */
        put: operations["updateWebhook"];
        post?: never;
        /**
         * Delete a webhook
         * @description Scope: `webhooks`.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook/{webhook_uuid}/delivery": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a webhook's attempts, newest first
         * @description The last thousand are kept. Scope: `read`.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook/{webhook_uuid}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have events sent again
         * @description Scope: `webhooks`.
         */
        post: operations["replayWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook/{webhook_uuid}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace a webhook's secret
         * @description The old secret signs as well for 24 hours. Only this response shows the new one. Scope: `webhooks`.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook/{webhook_uuid}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test now
         * @description Sends an event of the type `webhook.test` and returns the result. One test of a webhook is sent at a time, and 5 of an integration in 10 seconds; others are answered 429. Scope: `webhooks`.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the Worker runs */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/public/v1/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redeem a claim link for an account, without NEAR and without a wallet
         * @description Sent by the wallet of the collection's integration, once the contract has shown that it would succeed. A link works once: the same claim, sent again, gets the answer of the first. Only the link's key can sign for a receiver (docs/contract.md, “Claim drops”).
         */
        post: operations["publicClaim"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/public/v1/page/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a collection as its page shows it
         * @description Read from the chain, at most two seconds ago, as everything under /public/v1 but `contract_code`.
         */
        get: operations["publicCollection"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/public/v1/page/{slug}/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether a claim link can be redeemed now, and what it gives
         * @description A link that can't be redeemed is an error, which says why not.
         */
        get: operations["publicClaimable"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/public/v1/page/{slug}/claimed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a claim link that was used has given, and to whom
         * @description For whoever has the link. A link that was redeemed without this service, or not at all, is `not_found`. An NFT's `owner_id` is who has it now.
         */
        get: operations["publicClaimed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/public/v1/page/{slug}/eligibility/{account_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether an account may mint now, at what price, and if not, why
         * @description `currency` is the account of the token that the mint is to be paid in; without it, it is NEAR.
         */
        get: operations["publicEligibility"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/public/v1/page/{slug}/mint/{hash}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What became of a mint that a wallet has sent */
        get: operations["publicMint"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/public/v1/page/{slug}/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a collection's NFTs in minting order, all, of an owner or with traits
         * @description A page with filters covers the next 1,000 NFTs, or at fewer if they have much metadata. It may be short or empty and still have a next one.
         */
        get: operations["publicTokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/public/v1/page/{slug}/token/{number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one NFT of a collection */
        get: operations["publicToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/public/v1/page/{slug}/trait": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the traits of a collection with how many copies have each value
         * @description Empty while assets are hidden, and until all reference files were read.
         */
        get: operations["publicTraits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/public/v1/page/{slug}/voucher": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether a voucher can be redeemed now, and what it costs
         * @description A voucher that can't be redeemed is an error, which says why not. A wallet redeems it by voucher_mint of the contract.
         */
        get: operations["publicVoucher"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the service can carry out a write, and the state of each part
         * @description The state of other machines is up to five seconds old. The service stays ready if a part is only low or late.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "claim.redeemed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A claim link was redeemed. */
        post: operations["onClaimRedeemed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "collection.finalized": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A draft has become a collection. */
        post: operations["onCollectionFinalized"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "collection.locked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Something of a collection was locked for ever, by a write or by its owner alone; data has these `locks` and `asset_uuids`. */
        post: operations["onCollectionLocked"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "collection.revealed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Hidden assets of a collection were shown, all of them or some, by a write or by its owner alone. */
        post: operations["onCollectionRevealed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "collection.sold_out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A collection's last copy was minted. */
        post: operations["onCollectionSoldOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "collection.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A collection's settings have changed. */
        post: operations["onCollectionUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "database.filling": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The database is filling up; for the operator's integration. */
        post: operations["onDatabaseFilling"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "key.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A key was made, by a key or by the operator. */
        post: operations["onKeyCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "key.rotated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A key's text was replaced. */
        post: operations["onKeyRotated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "nft.burned": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An NFT of the integration's wallet was burnt by the API. */
        post: operations["onNftBurned"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "nft.minted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An NFT was minted, by the API or from a wallet. */
        post: operations["onNftMinted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "nft.transferred": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An NFT of the integration's wallet was transferred by the API. */
        post: operations["onNftTransferred"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "nft.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An NFT's metadata has changed, or was locked for ever. */
        post: operations["onNftUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "operation.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A write to the chain has failed. */
        post: operations["onOperationFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "operation.succeeded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A write to the chain has succeeded. */
        post: operations["onOperationSucceeded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "operation.unknown": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The nodes can't prove whether a write took effect; the operator settles it. */
        post: operations["onOperationUnknown"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "wallet.low": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The integration's wallet runs low. */
        post: operations["onWalletLow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "wallet.topped_up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The integration's wallet has received NEAR. */
        post: operations["onWalletToppedUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.disabled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The service has disabled a webhook whose endpoint kept failing. */
        post: operations["onWebhookDisabled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A test was asked for. */
        post: operations["onWebhookTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        AcceptedOperation: {
            cost: components["schemas"]["OperationCost"];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            finished_at: string | null;
            /**
             * @example mint
             * @enum {string}
             */
            kind: "wallet_create" | "contract_deploy" | "contract_top_up" | "contract_publish" | "contract_upgrade" | "contract_hand_over" | "contract_accept" | "finalize" | "collection_update" | "mint" | "nft_update" | "nft_update_bulk" | "nft_transfer" | "nft_burn" | "nft_lock" | "collection_reveal" | "collection_lock" | "allowlist_add" | "allowlist_remove" | "allowlist_clear" | "wallet_payout" | "currency_payout" | "drop_create" | "drop_update" | "drop_close" | "claim";
            /** Format: uuid */
            operation_uuid: string;
            /**
             * @description The `reference` of its write; null: it was sent without one.
             * @example order-1042
             */
            reference: string | null;
            /** @enum {string} */
            state: "pending" | "succeeded" | "failed" | "unknown";
            /**
             * Format: uuid
             * @description The draft, collection, contract or integration that it acts on.
             */
            subject_uuid: string;
            transactions: components["schemas"]["ChainTransactionResult"][];
            /** Format: date-time */
            updated_at: string;
        };
        AccountInput: {
            account: components["schemas"]["ChainAccountId"];
            /**
             * @description Number of the phase whose allowlist it is; absent or null: 1, that of private_mint_config.
             * @example 3
             */
            phase?: number | null;
        };
        AccountsInput: {
            accounts: components["schemas"]["ChainAccountId"][];
            /**
             * @description Number of the phase whose allowlist it is; absent or null: 1, that of private_mint_config.
             * @example 3
             */
            phase?: number | null;
            /**
             * @description Your own name for this write, such as an order's number. Its operation and events show it, and GET /operation finds it. It needn't be unique, and is no Idempotency-Key.
             * @example order-1042
             */
            reference?: string | null;
        };
        AdoptedContract: {
            /** @example c-3a1f0e6b7c11.mint.near */
            account_id: string;
            /** @example cb8825e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c */
            code_hash: string;
            /** Format: uuid */
            contract_uuid: string;
            /** Format: date-time */
            created_at: string;
            /**
             * @description Full-access keys of the contract's account. Whoever has one can deploy other code there at any time, so locks are refused until they are deleted, and no delay of upgrades holds.
             * @example []
             */
            full_access_keys: string[];
            /**
             * @example ready
             * @enum {string}
             */
            state: "deploying" | "ready" | "failed";
            /**
             * @description Blocks of 0.6 seconds that pass between the announcement of an upgrade and the upgrade. A contract that this service deploys has 432,000, three days: with less, holders have less time to see what is announced, and the delay can't be changed.
             * @example 432000
             */
            upgrade_delay_blocks: number;
        };
        AdoptInput: {
            account_id: components["schemas"]["ChainAccountId"];
        };
        AllowlistAnswer: {
            is_allowlisted: boolean;
        };
        AllowlistClearInput: {
            /**
             * @description Number of the phase whose allowlist it is; absent or null: 1, that of private_mint_config.
             * @example 3
             */
            phase?: number | null;
            /**
             * @description Your own name for this write, such as an order's number. Its operation and events show it, and GET /operation finds it. It needn't be unique, and is no Idempotency-Key.
             * @example order-1042
             */
            reference?: string | null;
        };
        AuditEntry: {
            /**
             * @example key.created
             * @enum {string}
             */
            action: "key.created" | "key.rotated" | "key.deleted" | "settings.changed" | "collection.locked" | "collection.revealed" | "collection.order_exported" | "nft.locked" | "page.changed" | "payout.requested" | "payout_account.changed" | "webhook.created" | "webhook.changed" | "webhook.deleted" | "webhook.secret_rotated" | "limits.changed" | "integration.created" | "integration.changed" | "integration.deleted" | "contract.deployed" | "contract.upgraded" | "contract.handed_over" | "contract.accepted";
            actor: {
                /** Format: uuid */
                key_uuid: string | null;
                /** @description The key's name; null: the operator. */
                name: string | null;
                /**
                 * @description The first 24 bits of the address (of IPv6 48); empty if unknown.
                 * @example 203.0.113.0/24
                 */
                network: string;
                /** @enum {string} */
                type: "key" | "operator";
            };
            /** @description Values that were set, never secrets; `…` stands for one above 1 kB. Of a write to the chain with `operation_uuid`: it was accepted then, and its operation shows its end. */
            changes: {
                [key: string]: unknown;
            };
            /**
             * @description The entry's number, counted for each integration.
             * @example 42
             */
            seq: number;
            /**
             * Format: uuid
             * @description The key, collection, webhook or contract; null: the integration.
             */
            subject_uuid: string | null;
            /** Format: date-time */
            timestamp: string;
        };
        BurnAnswer: {
            /** @enum {string} */
            message: "success";
            tokens: components["schemas"]["BurntToken"][];
            tx_results: components["schemas"]["ChainTransactionResult"][];
        };
        BurntToken: {
            /** @example 7 */
            collection_id: number;
            /** Format: uuid */
            collection_uuid: string;
            /** @example c-3a1f0e6b7c11.mint.near */
            contract_address: string;
            /**
             * @description Who burnt it.
             * @example alice.near
             */
            owner_id: string;
            /** @example 7:42 */
            token_id: string;
        };
        /**
         * @description A NEAR account id, named or implicit.
         * @example alice.near
         */
        ChainAccountId: string;
        ChainTransactionResult: {
            /** @example 4xQmJtV6nR7cWb8Yp2sKf3LdHgUeTzAoXi9NqBvC5jPa */
            block_hash: string | null;
            /** @example 2026-12-24T18:00:02.000Z */
            block_time: string | null;
            explorer_url: string | null;
            failure_message: string | null;
            /**
             * @description Gas units over all receipts.
             * @example 3241087315432
             */
            gas_burnt: string | null;
            /** @example [] */
            logs: string[];
            /** @example 128000000000042 */
            nonce: string;
            /** @example c-3a1f0e6b7c11.mint.near */
            receiver_id: string;
            /** @example w-4b7c91d0e2aa.mint.near */
            signer_id: string;
            /**
             * @example success
             * @enum {string}
             */
            status: "pending" | "success" | "failure";
            /**
             * @description yoctoNEAR
             * @example 324108731543200000000
             */
            tokens_burnt: string | null;
            /**
             * @description base58
             * @example 8RrE5tq3PbpYqZ7Z6HTRTkdWLrTq2xBbCk9JxdHQvL4m
             */
            transaction_hash: string;
        };
        Collection: {
            allow_approvals: boolean;
            allow_transfers: boolean;
            approvals_allowed_accounts: string[] | null;
            approvals_denied_accounts: string[] | null;
            /** @example [] */
            bypass_mint_fee_accounts: string[];
            /** Format: uuid */
            collection_draft_uuid: string;
            /**
             * @description The id on-chain, as the contract's methods take it.
             * @example 7
             */
            collection_id: number;
            /** Format: uuid */
            collection_uuid: string;
            /** @example c-3a1f0e6b7c11.mint.near */
            contract_address: string;
            contract_code: components["schemas"]["ContractCode"];
            /** Format: uuid */
            contract_uuid: string;
            /** Format: date-time */
            created_at: string;
            /** @example Twelve herons, painted after dark. */
            description: string | null;
            /**
             * @description yoctoNEAR that the contract's owner was paid of its mint fees, as last read from the chain: what remains of each fee after the NFT's storage, the platform's 5% and the initial royalties. Mints through the API and claims bring nothing, what a collector sent too much and shares that couldn't be delivered aren't counted, and neither are resales. Null: not read yet since the wallet began to become the contract's owner, or since a payout that could not read it, or the contract is of a release that doesn't count it.
             * @example 2557693500000000000000000
             */
            earned: string | null;
            initial_royalties: components["schemas"]["Royalties"];
            /**
             * @description CID of the directory of all files.
             * @example bafybeie4fgu4r2g3sobwcwjtkgawppotk66enkhn5babxfh3zwk6wvzel4
             */
            ipfs_root_cid: string;
            /**
             * @description What the collection's holders were promised for good, as last compared with the chain. With `supply` nothing is left to mint.
             * @example [
             *       "royalties"
             *     ]
             */
            locks: ("metadata" | "supply" | "royalties" | "transfers" | "code")[];
            /**
             * @description Tokens minted, as last read from the chain.
             * @example 25
             */
            minted: number;
            ongoing_royalties: components["schemas"]["Royalties"];
            /** @description Whether the ongoing royalties can still change, at any time and up to 100 %, also for NFTs that are listed. */
            ongoing_royalties_can_change: boolean;
            /** @description All phases, also those of the two configs. */
            phases: components["schemas"]["CollectionPhase"][];
            /**
             * @description Pinning at the operator's IPFS node; null if there is no node.
             * @enum {string|null}
             */
            pin_state: "pending" | "pinned" | "failed" | null;
            /** @description Phase 1; null also where its price is in a currency. */
            private_mint_config: components["schemas"]["MintConfig"] | null;
            /** @description Phase 2; null also where its price is in a currency. */
            public_mint_config: components["schemas"]["MintConfig"] | null;
            reveal: components["schemas"]["Reveal"];
            /** @example Night Herons */
            title: string;
            /** @example 12 */
            total_assets: number;
            /**
             * @description Sum of copies over all assets.
             * @example 120
             */
            total_copies: number;
            transfers_denied_accounts: string[] | null;
            /** Format: date-time */
            updated_at: string;
        };
        CollectionChanges: {
            allow_approvals?: boolean | null;
            allow_transfers?: boolean | null;
            approvals_allowed_accounts?: components["schemas"]["ChainAccountId"][] | null;
            approvals_denied_accounts?: components["schemas"]["ChainAccountId"][] | null;
            bypass_mint_fee_accounts?: components["schemas"]["ChainAccountId"][] | null;
            description?: string | null;
            /**
             * @description Account id to percent with at most two decimals; at most 95% together.
             * @example {
             *       "alice.near": 12.5
             *     }
             */
            initial_royalties?: {
                [key: string]: number;
            } | null;
            /**
             * @description Account id to percent with at most two decimals; at most 100% together.
             * @example {
             *       "alice.near": 12.5
             *     }
             */
            ongoing_royalties?: {
                [key: string]: number;
            } | null;
            /** @description Phases of mints from wallets, each with its own allowlist, price, currency, window and limits. public_mint_config and private_mint_config are the phases 2 and 1 in NEAR: give each of these here or there. */
            phases?: components["schemas"]["PhaseInput"][] | null;
            private_mint_config?: {
                /**
                 * Format: date-time
                 * @description First moment after the end; absent: unchanged, null: no limit.
                 * @example 2026-12-24T18:00:00Z
                 */
                ends_at?: string | null;
                /** @description Mints an account may make; absent: unchanged, null: any number. */
                limit_per_account?: number | null;
                /**
                 * @description yoctoNEAR. 0, or at least 2700000000000000000000, which pays for a token's storage.
                 * @example 1000000000000000000000000
                 */
                mint_fee?: string;
                /**
                 * Format: date-time
                 * @description First moment; absent: unchanged, null: no limit.
                 * @example 2026-12-24T18:00:00Z
                 */
                starts_at?: string | null;
            } | null;
            public_mint_config?: {
                /**
                 * Format: date-time
                 * @description First moment after the end; absent: unchanged, null: no limit.
                 * @example 2026-12-24T18:00:00Z
                 */
                ends_at?: string | null;
                /** @description Mints an account may make; absent: unchanged, null: any number. */
                limit_per_account?: number | null;
                /**
                 * @description yoctoNEAR. 0, or at least 2700000000000000000000, which pays for a token's storage.
                 * @example 1000000000000000000000000
                 */
                mint_fee?: string;
                /**
                 * Format: date-time
                 * @description First moment; absent: unchanged, null: no limit.
                 * @example 2026-12-24T18:00:00Z
                 */
                starts_at?: string | null;
            } | null;
            /**
             * @description Your own name for this write, such as an order's number. Its operation and events show it, and GET /operation finds it. It needn't be unique, and is no Idempotency-Key.
             * @example order-1042
             */
            reference?: string | null;
            title?: string;
            transfers_denied_accounts?: components["schemas"]["ChainAccountId"][] | null;
        };
        CollectionDraft: {
            allow_approvals: boolean;
            allow_transfers: boolean;
            approvals_allowed_accounts: string[] | null;
            approvals_denied_accounts: string[] | null;
            /** @description What NFTs show until the reveal. */
            asset_placeholder: {
                /**
                 * @description CID of the file.
                 * @example bafkreicokd3s6ggmcje7slxakjxwgba4sioe7qh46stxjk2fxzbyennqba
                 */
                asset_cid: string;
                /**
                 * Format: uri
                 * @example https://mint.example.com/ipfs/bafkreicokd3s6ggmcje7slxakjxwgba4sioe7qh46stxjk2fxzbyennqba
                 */
                asset_url: string;
            } | null;
            /** @example [] */
            bypass_mint_fee_accounts: string[];
            /** Format: uuid */
            collection_draft_uuid: string;
            /**
             * Format: uuid
             * @description The collection that the draft became.
             */
            collection_uuid: string | null;
            /** Format: uuid */
            contract_uuid: string;
            /** Format: date-time */
            created_at: string;
            /** @example Twelve herons, painted after dark. */
            description: string | null;
            initial_royalties: components["schemas"]["Royalties"];
            ongoing_royalties: components["schemas"]["Royalties"];
            /**
             * Format: uuid
             * @description The finalization's operation, once accepted.
             */
            operation_uuid: string | null;
            /** @description All phases, also those of the two configs. */
            phases: components["schemas"]["Phase"][];
            /** @description Phase 1; null also where its price is in a currency. */
            private_mint_config: components["schemas"]["MintConfig"] | null;
            /** @description Phase 2; null also where its price is in a currency. */
            public_mint_config: components["schemas"]["MintConfig"] | null;
            /**
             * @description Whether assets are hidden until they are revealed, and if at a time, when.
             * @example false
             */
            reveal: boolean | string;
            /** @enum {string} */
            state: "draft" | "finalizing" | "finalized";
            /** @example Night Herons */
            title: string;
            transfers_denied_accounts: string[] | null;
            /** Format: date-time */
            updated_at: string;
        };
        CollectionDraftAsset: {
            /**
             * @description CID of the file: CIDv1, base32.
             * @example bafkreicokd3s6ggmcje7slxakjxwgba4sioe7qh46stxjk2fxzbyennqba
             */
            asset_cid: string;
            /** @example heron.png */
            asset_filename: string;
            /**
             * @description Media type, decided by the file's bytes.
             * @example image/png
             */
            asset_media_type: string;
            /**
             * @description Bytes.
             * @example 3902
             */
            asset_size: number;
            /** @example No. $TOKEN_NUM of $TOTAL_NUM */
            asset_subtitle: string | null;
            /**
             * Format: uri
             * @description Address of the file at the service's own IPFS gateway.
             * @example https://mint.example.com/ipfs/bafkreicokd3s6ggmcje7slxakjxwgba4sioe7qh46stxjk2fxzbyennqba
             */
            asset_url: string;
            /** Format: uuid */
            asset_uuid: string;
            /** Format: uuid */
            collection_draft_uuid: string;
            /** @example 10 */
            copies: number;
            /** Format: date-time */
            created_at: string;
            /** @description Order within the draft, which becomes the order on-chain. */
            position: number;
            reference_cid: string | null;
            reference_filename: string | null;
            /** @description Bytes. */
            reference_size: number | null;
            /** Format: uri */
            reference_url: string | null;
        };
        CollectionDraftChanges: {
            allow_approvals?: boolean | null;
            allow_transfers?: boolean | null;
            approvals_allowed_accounts?: components["schemas"]["ChainAccountId"][] | null;
            approvals_denied_accounts?: components["schemas"]["ChainAccountId"][] | null;
            bypass_mint_fee_accounts?: components["schemas"]["ChainAccountId"][] | null;
            /**
             * Format: uuid
             * @example 0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11
             */
            contract_uuid?: string;
            description?: string | null;
            /**
             * @description Account id to percent with at most two decimals; at most 95% together.
             * @example {
             *       "alice.near": 12.5
             *     }
             */
            initial_royalties?: {
                [key: string]: number;
            } | null;
            /**
             * @description Account id to percent with at most two decimals; at most 100% together.
             * @example {
             *       "alice.near": 12.5
             *     }
             */
            ongoing_royalties?: {
                [key: string]: number;
            } | null;
            /** @description Phases of mints from wallets, each with its own allowlist, price, currency, window and limits. public_mint_config and private_mint_config are the phases 2 and 1 in NEAR: give each of these here or there. */
            phases?: components["schemas"]["PhaseInput"][] | null;
            private_mint_config?: {
                /**
                 * Format: date-time
                 * @description First moment after the end; absent: unchanged, null: no limit.
                 * @example 2026-12-24T18:00:00Z
                 */
                ends_at?: string | null;
                /** @description Mints an account may make; absent: unchanged, null: any number. */
                limit_per_account?: number | null;
                /**
                 * @description yoctoNEAR. 0, or at least 2700000000000000000000, which pays for a token's storage.
                 * @example 1000000000000000000000000
                 */
                mint_fee?: string;
                /**
                 * Format: date-time
                 * @description First moment; absent: unchanged, null: no limit.
                 * @example 2026-12-24T18:00:00Z
                 */
                starts_at?: string | null;
            } | null;
            public_mint_config?: {
                /**
                 * Format: date-time
                 * @description First moment after the end; absent: unchanged, null: no limit.
                 * @example 2026-12-24T18:00:00Z
                 */
                ends_at?: string | null;
                /** @description Mints an account may make; absent: unchanged, null: any number. */
                limit_per_account?: number | null;
                /**
                 * @description yoctoNEAR. 0, or at least 2700000000000000000000, which pays for a token's storage.
                 * @example 1000000000000000000000000
                 */
                mint_fee?: string;
                /**
                 * Format: date-time
                 * @description First moment; absent: unchanged, null: no limit.
                 * @example 2026-12-24T18:00:00Z
                 */
                starts_at?: string | null;
            } | null;
            /**
             * @description Whether the collection's assets are hidden until they are revealed; a time also has the schedule reveal them then. At finalization the time must be in the future. NFTs show the draft's asset_placeholder meanwhile.
             * @example true
             */
            reveal?: boolean | string | null;
            title?: string;
            transfers_denied_accounts?: components["schemas"]["ChainAccountId"][] | null;
        };
        CollectionDraftInput: {
            allow_approvals?: boolean | null;
            allow_transfers?: boolean | null;
            approvals_allowed_accounts?: components["schemas"]["ChainAccountId"][] | null;
            approvals_denied_accounts?: components["schemas"]["ChainAccountId"][] | null;
            bypass_mint_fee_accounts?: components["schemas"]["ChainAccountId"][] | null;
            /**
             * Format: uuid
             * @example 0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11
             */
            contract_uuid: string;
            description?: string | null;
            /**
             * @description Account id to percent with at most two decimals; at most 95% together.
             * @example {
             *       "alice.near": 12.5
             *     }
             */
            initial_royalties?: {
                [key: string]: number;
            } | null;
            /**
             * @description Account id to percent with at most two decimals; at most 100% together.
             * @example {
             *       "alice.near": 12.5
             *     }
             */
            ongoing_royalties?: {
                [key: string]: number;
            } | null;
            /** @description Phases of mints from wallets, each with its own allowlist, price, currency, window and limits. public_mint_config and private_mint_config are the phases 2 and 1 in NEAR: give each of these here or there. */
            phases?: components["schemas"]["PhaseInput"][] | null;
            private_mint_config?: {
                /**
                 * Format: date-time
                 * @description First moment after the end; absent or null: no limit.
                 * @example 2026-12-24T18:00:00Z
                 */
                ends_at?: string | null;
                /** @description Mints an account may make; absent or null: any number. */
                limit_per_account?: number | null;
                /**
                 * @description yoctoNEAR. 0, or at least 2700000000000000000000, which pays for a token's storage.
                 * @example 1000000000000000000000000
                 */
                mint_fee: string;
                /**
                 * Format: date-time
                 * @description First moment; absent or null: no limit.
                 * @example 2026-12-24T18:00:00Z
                 */
                starts_at?: string | null;
            } | null;
            public_mint_config?: {
                /**
                 * Format: date-time
                 * @description First moment after the end; absent or null: no limit.
                 * @example 2026-12-24T18:00:00Z
                 */
                ends_at?: string | null;
                /** @description Mints an account may make; absent or null: any number. */
                limit_per_account?: number | null;
                /**
                 * @description yoctoNEAR. 0, or at least 2700000000000000000000, which pays for a token's storage.
                 * @example 1000000000000000000000000
                 */
                mint_fee: string;
                /**
                 * Format: date-time
                 * @description First moment; absent or null: no limit.
                 * @example 2026-12-24T18:00:00Z
                 */
                starts_at?: string | null;
            } | null;
            /**
             * @description Whether the collection's assets are hidden until they are revealed; a time also has the schedule reveal them then. At finalization the time must be in the future. NFTs show the draft's asset_placeholder meanwhile.
             * @example true
             */
            reveal?: boolean | string | null;
            title: string;
            transfers_denied_accounts?: components["schemas"]["ChainAccountId"][] | null;
        };
        CollectionLocked: {
            /** @description The assets locked by this call. */
            asset_uuids: string[];
            /**
             * @description The id on-chain.
             * @example 7
             */
            collection_id: number;
            /** Format: uuid */
            collection_uuid: string;
            /** @example c-3a1f0e6b7c11.mint.near */
            contract_address: string;
            /**
             * @description The locks of this call.
             * @example [
             *       "royalties"
             *     ]
             */
            locks: ("metadata" | "supply" | "royalties" | "transfers" | "code")[];
        };
        CollectionPage: {
            /**
             * @description Markdown.
             * @example Painted **after dark**.
             */
            about: string | null;
            /**
             * Format: uri
             * @description A claim link is this address, `#` and what only its holder knows.
             * @example https://mint.example.com/c/night-herons
             */
            claim_url: string;
            /** Format: uuid */
            collection_uuid: string;
            /**
             * Format: uuid
             * @description null: the collection's first asset.
             */
            cover_asset_uuid: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description Who has made it; null: the page names nobody. */
            creator: components["schemas"]["Creator"] | null;
            enabled: boolean;
            /**
             * Format: uri
             * @example https://mint.example.com/g/night-herons
             */
            gallery_url: string;
            links: {
                label: string;
                /** Format: uri */
                url: string;
            }[];
            /**
             * Format: uri
             * @example https://mint.example.com/m/night-herons
             */
            mint_url: string;
            /** @example night-herons */
            slug: string;
            /**
             * @example {
             *       "accent": "#1f6f54"
             *     }
             */
            theme: {
                accent: string;
            } | null;
            /** Format: date-time */
            updated_at: string;
        };
        CollectionPageInput: {
            /** @description A text of the mint page in Markdown (CommonMark): paragraphs, headings, emphasis, lists, quotations, code, and links to https and mailto addresses. HTML and pictures are left out. */
            about?: string | null;
            /**
             * Format: uuid
             * @description An asset of the collection's draft.
             * @example 0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11
             */
            cover_asset_uuid?: string | null;
            /** @description Who has made it. Without one, pages name the contract. */
            creator?: {
                /** @example Ada Heron */
                name: string;
                /**
                 * Format: byte
                 * @description base64 of a PNG, JPEG or WebP of at most 32 KiB, shown as a circle of 48 px. Absent: as it is.
                 */
                picture?: string;
                /**
                 * Format: uri
                 * @description Absent: as it is.
                 * @example https://example.com
                 */
                url?: string | null;
            } | null;
            enabled: boolean;
            links?: {
                label: string;
                /**
                 * Format: uri
                 * @example https://example.com
                 */
                url: string;
            }[] | null;
            /**
             * @description The last part of the pages' addresses.
             * @example night-herons
             */
            slug: string;
            theme?: {
                /** @description Colour of buttons; the text on them is black or white, whichever reads better. */
                accent: string;
            } | null;
        };
        CollectionPhase: components["schemas"]["Phase"] & {
            /** @description Accounts on its allowlist, as last compared with the chain: changes of the last minutes may be missing. Null: it has none. */
            allowlisted: number | null;
            /**
             * @description Tokens minted in it, as last compared with the chain: mints of the last minutes may be missing.
             * @example 25
             */
            minted: number;
        };
        CollectionRevealed: {
            /**
             * @description The id on-chain.
             * @example 7
             */
            collection_id: number;
            /** Format: uuid */
            collection_uuid: string;
            /** @example c-3a1f0e6b7c11.mint.near */
            contract_address: string;
            reveal: components["schemas"]["Reveal"];
            /** @example 12 */
            total_assets: number;
        };
        /** @description What may become of a contract's code, as last compared with the chain, about once a minute. */
        ContractCode: {
            /** @description Null: no other code is announced, so none comes within the contract's delay. */
            announced: {
                /**
                 * @description Its SHA-256.
                 * @example 1f0a4d77c2e95b36a8d1f4c07b6e3925d8a1c4f70b3e6d9251c8f4a70b3d6e92
                 */
                code_hash: string;
                /**
                 * @description Block height from which the contract's owner may put it in place.
                 * @example 210432000
                 */
                earliest_height: number;
            } | null;
            /**
             * @description Blocks between an announcement and the earliest block at which that code may be put in place; 432,000 are about three days.
             * @example 432000
             */
            delay_blocks: number;
            /** @description Whether the contract's account has a key with which other code can be deployed at any time, whatever is locked. */
            has_full_access_key: boolean;
            /** @description Whether the contract keeps its code for good. */
            locked: boolean;
        };
        ContractDeployed: {
            /** @example c-3a1f0e6b7c11.mint.near */
            account_id: string;
            /** @example cb8825e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c */
            code_hash: string;
            /** Format: uuid */
            contract_uuid: string;
            /** @enum {string} */
            state: "ready";
            tx_results: components["schemas"]["ChainTransactionResult"][];
        };
        ContractHandOver: {
            /** @example c-3a1f0e6b7c11.mint.near */
            account_id: string;
            /** Format: uuid */
            contract_uuid: string;
            /**
             * @description The owner until the other accepts.
             * @example w-4b7c91d0e2aa.mint.near
             */
            owner_id: string;
            /**
             * @description The account that becomes the owner once it calls `owner_accept`; null: none is proposed.
             * @example artist.near
             */
            proposed_owner_id: string | null;
            tx_results: components["schemas"]["ChainTransactionResult"];
            /** @description Whether the integration's wallet mints and changes settings for the next owner too. */
            wallet_is_admin: boolean;
        };
        ContractInput: {
            /**
             * @description Another account that may administer it.
             * @example alice.near
             */
            admin_id?: string | null;
            /** @description NEP-177 name of the contract. */
            name: string;
            /** @description NEP-177 symbol. */
            symbol: string;
        };
        ContractOwnership: {
            /** @example c-3a1f0e6b7c11.mint.near */
            account_id: string;
            /** @example w-4b7c91d0e2aa.mint.near */
            owner_id: string;
            /** @description Empty where it was the owner already. */
            tx_results: components["schemas"]["ChainTransactionResult"][];
        };
        ContractUpgraded: {
            /** @example c-3a1f0e6b7c11.mint.near */
            account_id: string;
            /** @example 1f0a4d77c2e95b36a8d1f4c07b6e3925d8a1c4f70b3e6d9251c8f4a70b3d6e92 */
            code_hash: string;
            /** Format: uuid */
            contract_uuid: string;
            /**
             * @description The upgrade is announced, and can be carried out by the same call from this block height on; null: it is done.
             * @example null
             */
            earliest_height: number | null;
            /** @description Empty if it was current already. */
            tx_results: components["schemas"]["ChainTransactionResult"][];
        };
        ContractWithRoles: {
            /** @example c-3a1f0e6b7c11.mint.near */
            account_id: string;
            /** @example cb8825e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c */
            code_hash: string;
            /** Format: uuid */
            contract_uuid: string;
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            integration_uuid: string;
            /**
             * @description null if the chain shows no Mintage contract at the account, or no node responds.
             * @example w-4b7c91d0e2aa.mint.near
             */
            owner_id: string | null;
            /**
             * @description The account that becomes the owner once it calls `owner_accept`; null: none is known.
             * @example null
             */
            proposed_owner_id: string | null;
            /**
             * @example ready
             * @enum {string}
             */
            state: "deploying" | "ready" | "failed";
            /**
             * @description Whether the integration's wallet is an admin; null where `owner_id` is.
             * @example false
             */
            wallet_is_admin: boolean | null;
        };
        Creator: {
            /** @example Ada Heron */
            name: string;
            /**
             * Format: uri
             * @description It changes with the picture.
             */
            picture_url: string | null;
            /** Format: uri */
            url: string | null;
        };
        Currency: {
            /** @example usdc.near */
            contract_id: string;
            /**
             * @description Decimals of one token; null: not read.
             * @example 6
             */
            decimals: number | null;
            /**
             * @description As the token's contract names it; null: not read.
             * @example USDC
             */
            symbol: string | null;
        };
        Delivery: {
            /** Format: date-time */
            at: string;
            /**
             * @description From 1.
             * @example 1
             */
            attempt: number;
            duration_ms: number;
            /** Format: uuid */
            event_uuid: string;
            /** Format: date-time */
            next_attempt_at: string | null;
            /** @description The first 256 bytes of the answer, or why there is none. */
            response: string;
            /** @description 0: a test. */
            seq: number;
            /** @description What the endpoint answered; null: nothing in time. */
            status: number | null;
            /** @example nft.minted */
            type: string;
        };
        Drop: {
            /**
             * @description Links that were claimed.
             * @example 12
             */
            claimed: number;
            /**
             * @description base64 of one bit a link, beginning with the lowest bit of the first byte; 1: claimed.
             * @example /w8AAAAAAAAAAAAAAA==
             */
            claimed_links: string;
            /** @example 7 */
            collection_id: number;
            /** Format: uuid */
            collection_uuid: string;
            /** @example c-3a1f0e6b7c11.mint.near */
            contract_address: string;
            /**
             * @description Copies that the collection can still mint, none once its supply is locked, for the open links of all its drops and for everybody else: a drop reserves none. Once they are minted, links give nothing; each link that is open still needs `quantity` of them.
             * @example 95
             */
            copies_left: number;
            /**
             * @description Its number on the contract.
             * @example 3
             */
            drop_id: number;
            /** Format: date-time */
            expires_at: string;
            /**
             * @description The key that certifies the links' keys and signs vouchers.
             * @example ed25519:DcA2MzgpJbrUATQLLceocVckhhAqrkingax4oJ9kZ847
             */
            issuer_public_key: string;
            /** @example 100 */
            links: number;
            /**
             * @description NFTs of each link.
             * @example 1
             */
            quantity: number;
            /**
             * @description yoctoNEAR that pay for the NFTs' storage.
             * @example 257000000000000000000000
             */
            reserve: string;
            /**
             * @description Links that were revoked before they were claimed.
             * @example 0
             */
            revoked: number;
            /**
             * @description The same of links that were revoked; empty if none was.
             * @example
             */
            revoked_links: string;
        };
        DropAnswer: {
            drop: components["schemas"]["Drop"];
            /** @enum {string} */
            message: "success";
            tx_results: components["schemas"]["ChainTransactionResult"][];
        };
        DropChanges: {
            /**
             * Format: date-time
             * @description First moment after the end, at most five years ahead. A time that is past ends the drop.
             * @example 2026-12-24T18:00:00Z
             */
            expires_at?: string;
            /**
             * @description Replaces the key that certifies the links' keys: links that the former key certified, and vouchers that it signed, are invalid from then on.
             * @example ed25519:DcA2MzgpJbrUATQLLceocVckhhAqrkingax4oJ9kZ847
             */
            issuer_public_key?: string;
            /**
             * @description Number of links; their numbers begin at 0. It can only grow.
             * @example 100
             */
            links?: number;
            /**
             * @description Your own name for this write, such as an order's number. Its operation and events show it, and GET /operation finds it. It needn't be unique, and is no Idempotency-Key.
             * @example order-1042
             */
            reference?: string | null;
            /**
             * @description yoctoNEAR to set aside for the NFTs' storage, out of the contract's free balance, which the wallet tops up where it lacks them. Default: all that new links can need. 0 is enough for vouchers with a price, which pays for the storage.
             * @example 257000000000000000000000
             */
            reserve?: string;
            /**
             * @description Numbers of links, from 0, that can't be redeemed from then on.
             * @example [
             *       7
             *     ]
             */
            revoke?: number[];
        };
        DropClosed: {
            drop_id: number;
            /** @enum {string} */
            message: "success";
            /** @description yoctoNEAR of its reserve that are free again. */
            returned: string;
            tx_results: components["schemas"]["ChainTransactionResult"][];
        };
        DropInput: {
            /**
             * Format: date-time
             * @description First moment after the end, at most five years ahead.
             * @example 2026-12-24T18:00:00Z
             */
            expires_at: string;
            /**
             * @description The issuer's public key, which certifies the links' keys and signs vouchers. Its private key never leaves the issuer.
             * @example ed25519:DcA2MzgpJbrUATQLLceocVckhhAqrkingax4oJ9kZ847
             */
            issuer_public_key: string;
            /**
             * @description Number of links; their numbers begin at 0. It can only grow.
             * @example 100
             */
            links: number;
            /** @description NFTs that each link gives. */
            quantity?: number | null;
            /**
             * @description Your own name for this write, such as an order's number. Its operation and events show it, and GET /operation finds it. It needn't be unique, and is no Idempotency-Key.
             * @example order-1042
             */
            reference?: string | null;
            /**
             * @description yoctoNEAR to set aside for the NFTs' storage, out of the contract's free balance, which the wallet tops up where it lacks them. Default: all that new links can need. 0 is enough for vouchers with a price, which pays for the storage.
             * @example 257000000000000000000000
             */
            reserve?: string | null;
        };
        DropSummary: {
            /**
             * @description Links that were claimed.
             * @example 12
             */
            claimed: number;
            /** @example 7 */
            collection_id: number;
            /** Format: uuid */
            collection_uuid: string;
            /** @example c-3a1f0e6b7c11.mint.near */
            contract_address: string;
            /**
             * @description Copies that the collection can still mint, none once its supply is locked, for the open links of all its drops and for everybody else: a drop reserves none. Once they are minted, links give nothing; each link that is open still needs `quantity` of them.
             * @example 95
             */
            copies_left: number;
            /**
             * @description Its number on the contract.
             * @example 3
             */
            drop_id: number;
            /** Format: date-time */
            expires_at: string;
            /**
             * @description The key that certifies the links' keys and signs vouchers.
             * @example ed25519:DcA2MzgpJbrUATQLLceocVckhhAqrkingax4oJ9kZ847
             */
            issuer_public_key: string;
            /** @example 100 */
            links: number;
            /**
             * @description NFTs of each link.
             * @example 1
             */
            quantity: number;
            /**
             * @description yoctoNEAR that pay for the NFTs' storage.
             * @example 257000000000000000000000
             */
            reserve: string;
            /**
             * @description Links that were revoked before they were claimed.
             * @example 0
             */
            revoked: number;
        };
        Eligibility: {
            /** @example alice.near */
            account_id: string;
            allowed: boolean;
            /** @description Why not: the contract's failure code. */
            code: string | null;
            /**
             * @description What the collection's holders were promised for good, on the chain.
             * @example [
             *       "royalties"
             *     ]
             */
            locks: ("metadata" | "supply" | "royalties" | "transfers" | "code")[];
            message: string | null;
            /**
             * @description yoctoNEAR to attach to nft_mint; with `currency` its smallest units to send by ft_transfer_call.
             * @example 1000000000000000000000000
             */
            mint_fee: string | null;
            /** Format: date-time */
            opens_at: string | null;
            /**
             * @description Number of the phase that the mint would be of.
             * @example 2
             */
            phase: number | null;
            /** @description The same of each phase by itself. */
            phases: components["schemas"]["PhaseEligibility"][];
            /**
             * @description null: no limit.
             * @example 4
             */
            remaining_for_account: number | null;
            /**
             * @example public
             * @enum {string|null}
             */
            via: "bypass" | "public" | "private" | "phase" | null;
        };
        /**
         * @example {
         *       "message": "Correct the fields that `issues` names.",
         *       "code": "invalid_request",
         *       "request_id": "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12",
         *       "issues": [
         *         {
         *           "path": [
         *             "title"
         *           ],
         *           "message": "Use at most 256 characters; there are 257."
         *         }
         *       ]
         *     }
         */
        Error: {
            /**
             * @description One of a closed list; see docs/errors.md.
             * @enum {string}
             */
            code: "invalid_request" | "invalid_json" | "invalid_multipart" | "invalid_assets" | "unknown_account" | "mint_limit_exceeded" | "asset_url_failed" | "api_key_missing" | "api_key_invalid" | "api_key_expired" | "api_key_revoked" | "admin_token_invalid" | "insufficient_funds" | "contract_storage_unpaid" | "spending_limit_reached" | "cost_exceeds_maximum" | "scope_missing" | "collection_not_allowed" | "confirmation_required" | "key_rights_exceeded" | "integration_suspended" | "quota_exceeded" | "not_found" | "method_not_allowed" | "not_acceptable" | "draft_locked" | "draft_finalized" | "draft_empty" | "sold_out" | "payout_account_missing" | "conflict" | "quote_expired" | "idempotency_key_in_flight" | "payload_too_large" | "file_too_large" | "unsupported_content_type" | "unsupported_media" | "idempotency_key_reused" | "quote_mismatch" | "rate_limited" | "too_many_operations" | "wallet_busy" | "internal_error" | "transaction_failed" | "outcome_unknown" | "not_configured" | "database_unavailable" | "wallet_inactive" | "claims_paused" | "chain_unavailable";
            /** @description yoctoNEAR: what the write could cost by now, and the most that it may. */
            cost?: {
                at_most: string;
                needed: string;
            };
            /** @description One entry for every bad field, with its path. */
            issues?: {
                message: string;
                path: (string | number)[];
            }[];
            /**
             * @description The control that refused the request. Every 429 names one.
             * @enum {string}
             */
            limit?: "rate" | "spending" | "size" | "storage";
            /** @description A sentence that says what to do. */
            message: string;
            /** @description The operation that failed. */
            operation_uuid?: string;
            /**
             * @description How far the operation got on the chain.
             * @enum {string}
             */
            outcome?: "not_submitted" | "failed_on_chain" | "unknown" | "final";
            /** @description The limit that the request would exceed, by its name in `limits` of GET /me. */
            quota?: {
                limit: string;
                max: number;
                used: number;
            };
            request_id: string;
            /** @description Whether sending the request again may succeed. */
            retryable?: boolean;
        };
        Event: {
            /** @description The resource as the API shows it; `nft.minted` also has a `source`, `api` or `wallet`. `nft.*` and `collection.*` also have `operation_uuid` and `reference` of the write whose effect they are; null where there was none. `claim.redeemed` has `collection_uuid`, `collection_id`, `contract_address`, `drop_id`, `link` (of a voucher its nonce), and the `quantity` of the drop, which a voucher may stay below. Above 20 kB it has only the small fields, and `see` is the address of the whole resource. */
            data: {
                [key: string]: unknown;
            };
            /** Format: uuid */
            event_uuid: string;
            /**
             * @description The event's number, counted for each integration without gaps.
             * @example 42
             */
            seq: number;
            /** Format: date-time */
            timestamp: string;
            /**
             * @example nft.minted
             * @enum {string}
             */
            type: "operation.succeeded" | "operation.failed" | "operation.unknown" | "collection.finalized" | "collection.updated" | "collection.locked" | "collection.revealed" | "collection.sold_out" | "nft.minted" | "nft.updated" | "nft.transferred" | "nft.burned" | "claim.redeemed" | "wallet.low" | "wallet.topped_up" | "database.filling" | "webhook.disabled" | "key.created" | "key.rotated";
        };
        FinalizeAnswer: {
            /** Format: uuid */
            collection_uuid: string;
            /** @example c-3a1f0e6b7c11.mint.near */
            contract_address: string;
            ipfs_result: components["schemas"]["IpfsResult"];
            /** @enum {string} */
            message: "success";
            near_collection: components["schemas"]["Collection"];
            tx_results: components["schemas"]["ChainTransactionResult"][];
        };
        HandOverInput: {
            /**
             * @description The next owner; null withdraws a proposal.
             * @example alice.near
             */
            account_id: string | null;
            /** @description Whether the integration's wallet stays an admin, so that the service can still mint. Absent: true. False removes the role at once. */
            keep_admin?: boolean;
        };
        Health: {
            /** @enum {string} */
            status: "ok";
        };
        HiddenOrder: {
            /** @description In the order in which collection_reveal takes them. */
            batches: {
                asset_uuids: string[];
                /**
                 * @description base64 of the batch: `assets` of the contract's collection_reveal.
                 * @example IAAAAA==
                 */
                assets: string;
                /**
                 * @description base64 of 32 bytes: `next` of collection_reveal; the salt in the last batch.
                 * @example TlD3LxjMEkn5LuBSb2MEHJIcT8D89Kd0q0W+Q4I1sAg=
                 */
                next: string;
            }[];
            /**
             * @description The id on-chain.
             * @example 7
             */
            collection_id: number;
            /** Format: uuid */
            collection_uuid: string;
            /**
             * @description base64, as the contract has it.
             * @example TlD3LxjMEkn5LuBSb2MEHJIcT8D89Kd0q0W+Q4I1sAg=
             */
            commitment: string;
        };
        Holder: {
            /** @example alice.near */
            account_id: string;
            /**
             * @description Number of NFTs that it holds.
             * @example 3
             */
            tokens: number;
        };
        Integration: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            integration_uuid: string;
            /** @example Heron shop */
            name: string;
            /**
             * @description Account that its wallet's money is paid out to; null: none is set.
             * @example treasury.near
             */
            payout_account: string | null;
            /**
             * @description suspended: its keys are refused until it is resumed. deleted: it has no key any more.
             * @example active
             * @enum {string}
             */
            state: "active" | "suspended" | "deleted";
            /** @example w-4b7c91d0e2aa.mint.near */
            wallet_account_id: string | null;
            /** @example ed25519:DcA2MzgpJbrUATQLLceocVckhhAqrkingax4oJ9kZ847 */
            wallet_public_key: string | null;
            /**
             * @example ready
             * @enum {string}
             */
            wallet_state: "new" | "creating" | "ready";
        };
        IntegrationChanges: {
            name?: string;
            /** @description true: its keys are refused everywhere within five seconds. false: they are accepted again. */
            suspended?: boolean;
        };
        IntegrationInput: {
            name: string;
        };
        IpfsResult: {
            files: {
                /** @example bafkreicokd3s6ggmcje7slxakjxwgba4sioe7qh46stxjk2fxzbyennqba */
                cid: string;
                /** @example image/png */
                media_type: string;
                /** @example heron.png */
                name: string;
                /**
                 * @description Bytes.
                 * @example 3902
                 */
                size: number;
                /**
                 * Format: uri
                 * @example https://mint.example.com/ipfs/bafkreicokd3s6ggmcje7slxakjxwgba4sioe7qh46stxjk2fxzbyennqba
                 */
                url: string;
            }[];
            /**
             * @description CID of the UnixFS directory.
             * @example bafybeie4fgu4r2g3sobwcwjtkgawppotk66enkhn5babxfh3zwk6wvzel4
             */
            root_cid: string;
            /**
             * Format: uri
             * @example https://mint.example.com/ipfs/bafybeie4fgu4r2g3sobwcwjtkgawppotk66enkhn5babxfh3zwk6wvzel4
             */
            root_url: string;
            /**
             * @description Bytes of all blocks.
             * @example 48213
             */
            total_size: number;
        };
        IssuedKey: {
            /**
             * @description Shown here and never again.
             * @example mk_live_…
             */
            api_key: string;
            /** @description Collections that it may see and change; null: all. */
            collections: string[] | null;
            /**
             * @description yoctoNEAR: `execute` of POST /mcp asks a person to confirm a write that may cost more, or that nobody can undo. Null: never.
             * @example 500000000000000000000000
             */
            confirm_above: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string | null;
            /** Format: uuid */
            key_uuid: string;
            /** Format: date-time */
            last_used_at: string | null;
            /** @example Shop server */
            name: string;
            /**
             * Format: date-time
             * @description Until when the text before the last rotation works as well.
             */
            old_key_until: string | null;
            /**
             * @description The key's first characters, to distinguish keys.
             * @example mk_live_4CQb
             */
            prefix: string;
            /** Format: date-time */
            revoked_at: string | null;
            /**
             * @description `full` and `read`: its scope is this one; `limited`: it has other scopes.
             * @enum {string}
             */
            role: "full" | "read" | "limited";
            /**
             * @example [
             *       "mint",
             *       "read"
             *     ]
             */
            scopes: ("drafts" | "mint" | "update" | "settings" | "money" | "webhooks" | "read" | "full")[];
            /**
             * @description yoctoNEAR that its writes may spend in a day (UTC): gas, deposits, top-ups, and the storage that they take from contracts; payouts don't count. Null: no limit.
             * @example 2000000000000000000000000
             */
            spending_per_day: string | null;
        };
        Key: {
            /** @description Collections that it may see and change; null: all. */
            collections: string[] | null;
            /**
             * @description yoctoNEAR: `execute` of POST /mcp asks a person to confirm a write that may cost more, or that nobody can undo. Null: never.
             * @example 500000000000000000000000
             */
            confirm_above: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string | null;
            /** Format: uuid */
            key_uuid: string;
            /** Format: date-time */
            last_used_at: string | null;
            /** @example Shop server */
            name: string;
            /**
             * Format: date-time
             * @description Until when the text before the last rotation works as well.
             */
            old_key_until: string | null;
            /**
             * @description The key's first characters, to distinguish keys.
             * @example mk_live_4CQb
             */
            prefix: string;
            /** Format: date-time */
            revoked_at: string | null;
            /**
             * @description `full` and `read`: its scope is this one; `limited`: it has other scopes.
             * @enum {string}
             */
            role: "full" | "read" | "limited";
            /**
             * @example [
             *       "mint",
             *       "read"
             *     ]
             */
            scopes: ("drafts" | "mint" | "update" | "settings" | "money" | "webhooks" | "read" | "full")[];
            /**
             * @description yoctoNEAR that its writes may spend in a day (UTC): gas, deposits, top-ups, and the storage that they take from contracts; payouts don't count. Null: no limit.
             * @example 2000000000000000000000000
             */
            spending_per_day: string | null;
        };
        KeyCreateInput: {
            /** @description Collections that it may see and change; null: all. Absent: as your key. */
            collections?: string[] | null;
            /**
             * @description yoctoNEAR above which a person confirms an agent's write, as they do each that nobody can undo; null: never. Absent: as your key.
             * @example 500000000000000000000000
             */
            confirm_above?: string | null;
            /**
             * Format: date-time
             * @description Null: never. Absent: as your key.
             * @example 2026-12-24T18:00:00Z
             */
            expires_at?: string | null;
            name: string;
            /**
             * @description `drafts`: drafts, their files and finalization. `mint`: who gets NFTs: mints, allowlist, claim links. `update`: NFTs' metadata and the page. `settings`: royalties, prices, transfer rules and other settings of collections. `money`: payouts. `webhooks`: changes of webhooks. `read`: everything that GET shows. `full`: all of them, keys and the audit log.
             * @example [
             *       "mint",
             *       "read"
             *     ]
             */
            scopes: ("drafts" | "mint" | "update" | "settings" | "money" | "webhooks" | "read" | "full")[];
            /**
             * @description yoctoNEAR that its writes may spend in a day (UTC); null: no limit. Absent: as your key.
             * @example 2000000000000000000000000
             */
            spending_per_day?: string | null;
        };
        KeyInput: {
            /** @description Collections that it may see and change; null: all. Absent: null. */
            collections?: string[] | null;
            /**
             * @description yoctoNEAR above which a person confirms an agent's write, as they do each that nobody can undo; null: never. Absent: null.
             * @example 500000000000000000000000
             */
            confirm_above?: string | null;
            /**
             * Format: date-time
             * @description Null: never. Absent: null.
             * @example 2026-12-24T18:00:00Z
             */
            expires_at?: string | null;
            name: string;
            /**
             * @description Short for this scope alone; without `scopes` the default is full.
             * @enum {string|null}
             */
            role?: "full" | "read" | null;
            /**
             * @description `drafts`: drafts, their files and finalization. `mint`: who gets NFTs: mints, allowlist, claim links. `update`: NFTs' metadata and the page. `settings`: royalties, prices, transfer rules and other settings of collections. `money`: payouts. `webhooks`: changes of webhooks. `read`: everything that GET shows. `full`: all of them, keys and the audit log.
             * @example [
             *       "mint",
             *       "read"
             *     ]
             */
            scopes?: ("drafts" | "mint" | "update" | "settings" | "money" | "webhooks" | "read" | "full")[] | null;
            /**
             * @description yoctoNEAR that its writes may spend in a day (UTC); null: no limit. Absent: null.
             * @example 2000000000000000000000000
             */
            spending_per_day?: string | null;
        };
        Limits: {
            /**
             * @description Entries of the audit log. Beyond it a key's changes that are recorded are refused, but for deletions, and rotations up to twice as many. Mints aren't recorded.
             * @example 100000
             */
            audit_entries: number;
            /**
             * @description Approximate bytes of drafts, assets and stored responses in the database. Stored responses above 64 kB count too, although they are in the bucket.
             * @example 1073741824
             */
            database_bytes: number;
            /**
             * @description Drafts that are not finalized.
             * @example 1000
             */
            drafts: number;
            /**
             * @description Keys that are neither revoked nor expired.
             * @example 100
             */
            keys: number;
            /**
             * @description Operations that are accepted and not yet over.
             * @example 2000
             */
            operations_waiting: number;
            /**
             * @description Seconds in which `requests` are counted.
             * @example 10
             */
            period_s: number;
            /**
             * @description Requests of one key in any 10 seconds.
             * @example 1000
             */
            requests: number;
            /**
             * @description What the integration's wallet may spend in a day (UTC): gas, and all that leaves it, top-ups of contracts included. yoctoNEAR; null: no limit.
             * @example 5000000000000000000000000
             */
            spending_per_day: string | null;
            /**
             * @description Bytes of the files that assets and collections refer to, counted once per reference.
             * @example 53687091200
             */
            stored_bytes: number;
            used: {
                /** @example 12 */
                audit_entries: number;
                /** @example 12 */
                database_bytes: number;
                /** @example 12 */
                drafts: number;
                /** @example 12 */
                keys: number;
                /** @example 12 */
                operations_waiting: number;
                /**
                 * @description What the wallet has spent since the day (UTC) began, yoctoNEAR.
                 * @example 120000000000000000000000
                 */
                spending_per_day: string;
                /** @example 12 */
                stored_bytes: number;
            };
        };
        LimitsInput: {
            /** @description Entries of the audit log. Beyond it a key's changes that are recorded are refused, but for deletions, and rotations up to twice as many. Mints aren't recorded. Null: the default, 100000. */
            audit_entries?: number | null;
            /** @description Approximate bytes of drafts, assets and stored responses in the database. Stored responses above 64 kB count too, although they are in the bucket. Null: the default, 1073741824. */
            database_bytes?: number | null;
            /** @description Drafts that are not finalized. Null: the default, 1000. */
            drafts?: number | null;
            /** @description Keys that are neither revoked nor expired. Null: the default, 100. */
            keys?: number | null;
            /** @description Operations that are accepted and not yet over. Null: the default, 2000. */
            operations_waiting?: number | null;
            /** @description Requests of one key in any 10 seconds. Null: the default, 1000. */
            requests?: number | null;
            /** @description What the integration's wallet may spend in a day (UTC): gas, and all that leaves it, top-ups of contracts included. yoctoNEAR. Null: no limit. */
            spending_per_day?: string | null;
            /** @description Bytes of the files that assets and collections refer to, counted once per reference. Null: the default, 53687091200. */
            stored_bytes?: number | null;
        };
        /** @description The roles, and the integration with them, if `roles` asks for them. */
        ListedContract: {
            /** @example c-3a1f0e6b7c11.mint.near */
            account_id: string;
            /** @example cb8825e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c */
            code_hash: string;
            /** Format: uuid */
            contract_uuid: string;
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            integration_uuid?: string;
            /**
             * @description null if the chain shows no Mintage contract at the account, or no node responds.
             * @example w-4b7c91d0e2aa.mint.near
             */
            owner_id?: string | null;
            /**
             * @description The account that becomes the owner once it calls `owner_accept`; null: none is known.
             * @example null
             */
            proposed_owner_id?: string | null;
            /**
             * @example ready
             * @enum {string}
             */
            state: "deploying" | "ready" | "failed";
            /**
             * @description Whether the integration's wallet is an admin; null where `owner_id` is.
             * @example false
             */
            wallet_is_admin?: boolean | null;
        };
        LockAnswer: {
            locked: components["schemas"]["CollectionLocked"];
            /** @enum {string} */
            message: "success";
            tx_results: components["schemas"]["ChainTransactionResult"][];
        };
        LockInput: {
            /** @description Assets whose NFTs keep their metadata, and from then on no mint brings its own. */
            asset_uuids?: string[] | null;
            /**
             * @description What is locked; a lock that is set already stays.
             * @example [
             *       "royalties"
             *     ]
             */
            locks?: ("metadata" | "supply" | "royalties" | "transfers" | "code")[] | null;
            /**
             * @description Your own name for this write, such as an order's number. Its operation and events show it, and GET /operation finds it. It needn't be unique, and is no Idempotency-Key.
             * @example order-1042
             */
            reference?: string | null;
        };
        Me: {
            contracts: {
                /** @example c-3a1f0e6b7c11.mint.near */
                account_id: string;
                /**
                 * @description Available for further storage, yoctoNEAR; null if no node responds.
                 * @example 4871520000000000000000000
                 */
                balance_free: string | null;
                /** Format: uuid */
                contract_uuid: string;
                /** @example Herons */
                name: string | null;
                /** @example HERON */
                symbol: string | null;
            }[];
            /** Format: uuid */
            integration_uuid: string;
            key: {
                /** @description Collections that it may see and change; null: all. */
                collections: string[] | null;
                /**
                 * @description yoctoNEAR: `execute` of POST /mcp asks a person to confirm a write that may cost more, or that nobody can undo. Null: never.
                 * @example 500000000000000000000000
                 */
                confirm_above: string | null;
                /** Format: date-time */
                expires_at: string | null;
                /** Format: uuid */
                key_uuid: string;
                /** @example Shop server */
                name: string;
                /**
                 * @description `full` and `read`: its scope is this one; `limited`: it has other scopes.
                 * @enum {string}
                 */
                role: "full" | "read" | "limited";
                /**
                 * @example [
                 *       "mint",
                 *       "read"
                 *     ]
                 */
                scopes: ("drafts" | "mint" | "update" | "settings" | "money" | "webhooks" | "read" | "full")[];
                /**
                 * @description yoctoNEAR that its writes may spend in a day (UTC): gas, deposits, top-ups, and the storage that they take from contracts; payouts don't count. Null: no limit.
                 * @example 2000000000000000000000000
                 */
                spending_per_day: string | null;
                /**
                 * @description What its writes have spent since the day (UTC) began, the storage that they have taken included, yoctoNEAR; null without `spending_per_day`.
                 * @example 0
                 */
                spent_today: string | null;
            };
            limits: components["schemas"]["Limits"];
            /** @example Heron shop */
            name: string;
            /** @example testnet */
            network: string;
            /** @example 5 */
            platform_fee_percent: number;
            wallet: {
                /** @example w-4b7c91d0e2aa.mint.near */
                account_id: string | null;
                /**
                 * @description Available to new writes, yoctoNEAR; null if no node responds.
                 * @example 4871520000000000000000000
                 */
                available: string | null;
                /**
                 * @description yoctoNEAR; null if no node responds.
                 * @example 4871520000000000000000000
                 */
                balance: string | null;
                /**
                 * @description Transactions that wait to be signed.
                 * @example 0
                 */
                queued: number;
                /**
                 * @description The wallet signs only while it is active. In any other state the operator has to act.
                 * @example active
                 * @enum {string}
                 */
                state: "empty" | "prepared" | "restored" | "locked_out" | "active";
                /**
                 * @description What collections have `earned` and no payout has taken, yoctoNEAR. Read from the contracts every minute and at each payout.
                 * @example 947435000000000000000000
                 */
                unpaid_sales: string;
            };
        };
        MintAnswer: {
            /** @enum {string} */
            message: "success";
            tokens: components["schemas"]["Token"][];
            /** @description Mints of a collection that wait at the same time may share a transaction. */
            tx_results: components["schemas"]["ChainTransactionResult"][];
        };
        MintConfig: {
            ends_at: string | null;
            /** @example 5 */
            limit_per_account: number | null;
            /** @example 1000000000000000000000000 */
            mint_fee: string;
            /** @example 2026-12-24T18:00:00.000Z */
            starts_at: string | null;
        };
        MintInput: {
            /**
             * Format: uuid
             * @description Copies of this asset, as the draft lists it; default: copies are drawn at random.
             * @example 0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11
             */
            asset_uuid?: string | null;
            metadata?: {
                /**
                 * Format: uri
                 * @description A media file of at most 100 MB.
                 */
                asset_file_url?: string | null;
                /** @description Shown on the NFT; default: the collection's total copies. */
                copies?: number | null;
                /** @description Default: the collection's. */
                description?: string | null;
                /**
                 * @description JSON as a string, stored on-chain.
                 * @example {"edition":"first"}
                 */
                extra?: string | null;
                /**
                 * Format: uri
                 * @description A JSON file of at most 1 MB.
                 */
                reference_file_url?: string | null;
                subtitle?: string | null;
                /** @description Default: the collection's title. */
                title?: string | null;
            } | null;
            /**
             * @description Receivers times quantity is at most 25.
             * @default 1
             */
            quantity_per_receiver?: number | null;
            receiver_addresses: components["schemas"]["ChainAccountId"][];
            /**
             * @description Whether a named receiver that doesn't exist on the chain is refused. Implicit accounts need not exist.
             * @default false
             */
            receivers_must_exist?: boolean | null;
            /**
             * @description Your own name for this write, such as an order's number. Its operation and events show it, and GET /operation finds it. It needn't be unique, and is no Idempotency-Key.
             * @example order-1042
             */
            reference?: string | null;
        };
        NftBulkUpdate: {
            /**
             * Format: uuid
             * @description The NFT shows this asset of the collection: its file, reference file and subtitle.
             * @example 0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11
             */
            asset_uuid?: string | null;
            metadata?: {
                /**
                 * Format: uri
                 * @description A media file of at most 100 MB.
                 */
                asset_file_url?: string | null;
                /** @description Shown on the NFT; default: the collection's total copies. */
                copies?: number | null;
                /** @description Default: the collection's. */
                description?: string | null;
                /**
                 * @description JSON as a string, stored on-chain.
                 * @example {"edition":"first"}
                 */
                extra?: string | null;
                /**
                 * Format: uri
                 * @description A JSON file of at most 1 MB.
                 */
                reference_file_url?: string | null;
                subtitle?: string | null;
                /** @description Default: the collection's title. */
                title?: string | null;
            } | null;
            /** @example 7:42 */
            token_id: string;
        };
        NftBurnInput: {
            /**
             * @description Your own name for this write, such as an order's number. Its operation and events show it, and GET /operation finds it. It needn't be unique, and is no Idempotency-Key.
             * @example order-1042
             */
            reference?: string | null;
            /**
             * @example [
             *       "7:42"
             *     ]
             */
            token_ids: string[];
        };
        NftLockInput: {
            /**
             * @description Your own name for this write, such as an order's number. Its operation and events show it, and GET /operation finds it. It needn't be unique, and is no Idempotency-Key.
             * @example order-1042
             */
            reference?: string | null;
            /** @example 7:42 */
            token_id: string;
        };
        NftTransferInput: {
            /** @description Kept in the chain's event. */
            memo?: string | null;
            receiver_address: components["schemas"]["ChainAccountId"];
            /**
             * @description Your own name for this write, such as an order's number. Its operation and events show it, and GET /operation finds it. It needn't be unique, and is no Idempotency-Key.
             * @example order-1042
             */
            reference?: string | null;
            /**
             * @example [
             *       "7:42"
             *     ]
             */
            token_ids: string[];
        };
        NftUpdateAnswer: {
            /** @enum {string} */
            message: "success";
            token: components["schemas"]["Token"];
            tx_results: components["schemas"]["ChainTransactionResult"][];
        };
        NftUpdateBulkAnswer: {
            /** @example 0 */
            failed: number;
            /** @enum {string} */
            message: "success";
            results: components["schemas"]["NftUpdateResult"][];
            tx_results: components["schemas"]["ChainTransactionResult"][];
            /** @example 2 */
            updated: number;
        };
        NftUpdateBulkInput: {
            /**
             * @description Your own name for this write, such as an order's number. Its operation and events show it, and GET /operation finds it. It needn't be unique, and is no Idempotency-Key.
             * @example order-1042
             */
            reference?: string | null;
            updates: components["schemas"]["NftBulkUpdate"][];
        };
        NftUpdateInput: {
            /**
             * Format: uri
             * @description A media file of at most 100 MB.
             */
            asset_file_url?: string | null;
            /** @description Shown on the NFT; default: the collection's total copies. */
            copies?: number | null;
            /** @description Default: the collection's. */
            description?: string | null;
            /**
             * @description JSON as a string, stored on-chain.
             * @example {"edition":"first"}
             */
            extra?: string | null;
            /**
             * @description Your own name for this write, such as an order's number. Its operation and events show it, and GET /operation finds it. It needn't be unique, and is no Idempotency-Key.
             * @example order-1042
             */
            reference?: string | null;
            /**
             * Format: uri
             * @description A JSON file of at most 1 MB.
             */
            reference_file_url?: string | null;
            subtitle?: string | null;
            /** @description Default: the collection's title. */
            title?: string | null;
            /** @example 7:42 */
            token_id: string;
        };
        NftUpdateResult: {
            /**
             * @description Why it failed.
             * @example null
             * @enum {string|null}
             */
            code: "invalid_request" | "invalid_json" | "invalid_multipart" | "invalid_assets" | "unknown_account" | "mint_limit_exceeded" | "asset_url_failed" | "api_key_missing" | "api_key_invalid" | "api_key_expired" | "api_key_revoked" | "admin_token_invalid" | "insufficient_funds" | "contract_storage_unpaid" | "spending_limit_reached" | "cost_exceeds_maximum" | "scope_missing" | "collection_not_allowed" | "confirmation_required" | "key_rights_exceeded" | "integration_suspended" | "quota_exceeded" | "not_found" | "method_not_allowed" | "not_acceptable" | "draft_locked" | "draft_finalized" | "draft_empty" | "sold_out" | "payout_account_missing" | "conflict" | "quote_expired" | "idempotency_key_in_flight" | "payload_too_large" | "file_too_large" | "unsupported_content_type" | "unsupported_media" | "idempotency_key_reused" | "quote_mismatch" | "rate_limited" | "too_many_operations" | "wallet_busy" | "internal_error" | "transaction_failed" | "outcome_unknown" | "not_configured" | "database_unavailable" | "wallet_inactive" | "claims_paused" | "chain_unavailable" | null;
            message: string | null;
            /**
             * @example updated
             * @enum {string}
             */
            status: "updated" | "failed";
            /** @example 7:42 */
            token_id: string;
        };
        Operation: {
            /** @description What the request would have been answered without 202, an error without its `request_id`; null until the operation is over. */
            answer: {
                body?: unknown;
                status: number;
            } | null;
            cost: components["schemas"]["OperationCost"];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            finished_at: string | null;
            /**
             * @example mint
             * @enum {string}
             */
            kind: "wallet_create" | "contract_deploy" | "contract_top_up" | "contract_publish" | "contract_upgrade" | "contract_hand_over" | "contract_accept" | "finalize" | "collection_update" | "mint" | "nft_update" | "nft_update_bulk" | "nft_transfer" | "nft_burn" | "nft_lock" | "collection_reveal" | "collection_lock" | "allowlist_add" | "allowlist_remove" | "allowlist_clear" | "wallet_payout" | "currency_payout" | "drop_create" | "drop_update" | "drop_close" | "claim";
            /** Format: uuid */
            operation_uuid: string;
            /**
             * @description The `reference` of its write; null: it was sent without one.
             * @example order-1042
             */
            reference: string | null;
            /** @enum {string} */
            state: "pending" | "succeeded" | "failed" | "unknown";
            /**
             * Format: uuid
             * @description The draft, collection, contract or integration that it acts on.
             */
            subject_uuid: string;
            transactions: components["schemas"]["ChainTransactionResult"][];
            /** Format: date-time */
            updated_at: string;
        };
        /** @description yoctoNEAR; null: not set, or not known. */
        OperationCost: {
            /**
             * @description What it has cost: gas burnt, and what moved. Null until it is over.
             * @example 251000000000000000000
             */
            actual: string | null;
            /**
             * @description What it may cost: of its quote, or of `Mintage-Max-Cost`.
             * @example 3700000000000000000000
             */
            at_most: string | null;
            /**
             * @description What the quote that it named expected.
             * @example 252000000000000000000
             */
            quoted: string | null;
        };
        OperationSummary: {
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            finished_at: string | null;
            /**
             * @example mint
             * @enum {string}
             */
            kind: "wallet_create" | "contract_deploy" | "contract_top_up" | "contract_publish" | "contract_upgrade" | "contract_hand_over" | "contract_accept" | "finalize" | "collection_update" | "mint" | "nft_update" | "nft_update_bulk" | "nft_transfer" | "nft_burn" | "nft_lock" | "collection_reveal" | "collection_lock" | "allowlist_add" | "allowlist_remove" | "allowlist_clear" | "wallet_payout" | "currency_payout" | "drop_create" | "drop_update" | "drop_close" | "claim";
            /** Format: uuid */
            operation_uuid: string;
            /**
             * @description The `reference` of its write; null: it was sent without one.
             * @example order-1042
             */
            reference: string | null;
            /** @enum {string} */
            state: "pending" | "succeeded" | "failed" | "unknown";
            /**
             * Format: uuid
             * @description The draft, collection, contract or integration that it acts on.
             */
            subject_uuid: string;
            /** Format: date-time */
            updated_at: string;
        };
        Overview: {
            /**
             * @description Integrations with old operations that could not be moved to R2 when the scheduled job last tried.
             * @example 0
             */
            archive_refused: number;
            /** Format: date-time */
            at: string;
            /** @description What needs the operator's attention, critical first. Each rule is an alert in ops/alerts.yml, which waits for a while. */
            attention: {
                /**
                 * @description What is wrong, and what to do.
                 * @example The wallet of Heron shop has less than 1 NEAR left. Send it NEAR.
                 */
                message: string;
                /** @example wallet_low */
                rule: string;
                /** @enum {string} */
                severity: "critical" | "warning";
                /**
                 * @description Which part, node, account, operation or webhook.
                 * @example w-4b7c91d0e2aa.mint.near
                 */
                subject: string;
            }[];
            bucket: {
                /**
                 * @example up
                 * @enum {string}
                 */
                state: "up" | "down";
            };
            database: {
                /**
                 * Format: date-time
                 * @description When it will be full at last month's growth; null if it doesn't grow or was observed for less than a day.
                 */
                full_at: string | null;
                /**
                 * @description How much of the limit is used.
                 * @example 12.5
                 */
                full_percent: number | null;
                /** @example 10000000000 */
                limit_bytes: number;
                /** @example 1486848 */
                size_bytes: number | null;
            };
            nodes: {
                /**
                 * @description Age of that block.
                 * @example 2
                 */
                age_seconds: number | null;
                /**
                 * @description Height of its last final block.
                 * @example 141592653
                 */
                height: number | null;
                /** @example rpc.example.org */
                host: string;
                /**
                 * @description How long it took to answer, milliseconds; null: it didn't.
                 * @example 85
                 */
                latency_ms: number | null;
                /**
                 * @description still: it responds, but its final block is a minute old and doesn't change.
                 * @example up
                 * @enum {string}
                 */
                state: "up" | "still" | "down";
            }[];
            operations: {
                /** @description Those that ended on each of the last 14 days (UTC), the last is today. */
                days: {
                    /**
                     * Format: date
                     * @example 2026-11-23
                     */
                    date: string;
                    /** @example 2 */
                    failed: number;
                    /**
                     * @description Within which half of those that succeeded ended, from acceptance; at most 3600. null: none succeeded.
                     * @example 2.4
                     */
                    p50_seconds: number | null;
                    /**
                     * @description Within which 95 % of those that succeeded ended, from acceptance; at most 3600. null: none succeeded.
                     * @example 2.4
                     */
                    p95_seconds: number | null;
                    /** @example 410 */
                    succeeded: number;
                }[];
                /** @description Those that are not over. */
                open: {
                    /**
                     * @description How many.
                     * @example 12
                     */
                    count: number;
                    /** @example mint */
                    kind: string;
                    /**
                     * Format: date-time
                     * @description When the oldest was accepted.
                     */
                    oldest_at: string;
                    /** @enum {string} */
                    state: "pending" | "unknown";
                }[];
                /** @description Those that ended since 0:00 UTC, by kind. */
                today: {
                    /** @example 2 */
                    failed: number;
                    /** @example mint */
                    kind: string;
                    /**
                     * @description Within which half of those that succeeded ended, from acceptance; at most 3600. null: none succeeded.
                     * @example 2.4
                     */
                    p50_seconds: number | null;
                    /**
                     * @description Within which 95 % of those that succeeded ended, from acceptance; at most 3600. null: none succeeded.
                     * @example 2.4
                     */
                    p95_seconds: number | null;
                    /** @example 410 */
                    succeeded: number;
                }[];
                /** @description All that ever ended, by kind. */
                totals: {
                    /** @example 2 */
                    failed: number;
                    /** @example mint */
                    kind: string;
                    /** @example 410 */
                    succeeded: number;
                    /**
                     * @description How many of those that succeeded ended within 0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 15, 25, 60, 300, 3600 s, and how many in all.
                     * @example [
                     *       0,
                     *       12,
                     *       300,
                     *       380,
                     *       395,
                     *       402,
                     *       405,
                     *       406,
                     *       407,
                     *       408,
                     *       408,
                     *       409,
                     *       410,
                     *       410,
                     *       410,
                     *       410,
                     *       410
                     *     ]
                     */
                    within: number[];
                }[];
            };
            platform: {
                /** @example mint.example.near */
                account_id: string;
                /**
                 * @description What it can spend, yoctoNEAR; null if no node responds.
                 * @example 31250000000000000000000000
                 */
                available: string | null;
                /**
                 * @description low: it can't pay for another integration with its contract.
                 * @example funded
                 * @enum {string}
                 */
                state: "funded" | "low" | "unknown";
            };
            schedule: {
                /** Format: date-time */
                last_run_at: string | null;
                /**
                 * @description late: it last ran more than five minutes ago; it should run every minute.
                 * @example running
                 * @enum {string}
                 */
                state: "running" | "late";
            };
            /** @description The first 50 operations that are unknown or have been pending for two minutes. GET transaction/stuck lists their transactions. */
            stuck: {
                /** Format: date-time */
                created_at: string;
                /** Format: uuid */
                integration_uuid: string;
                /** @example mint */
                kind: string;
                /** Format: uuid */
                operation_uuid: string;
                /** @enum {string} */
                state: "pending" | "unknown";
            }[];
            /** @description The newest 1000 integrations that aren't deleted, the shortest runway first. */
            wallets: {
                /**
                 * @description null: it has no wallet yet.
                 * @example w-4b7c91d0e2aa.mint.near
                 */
                account_id: string | null;
                /**
                 * @description yoctoNEAR, when the scheduled job last looked; null: it hasn't yet.
                 * @example 4871520000000000000000000
                 */
                balance: string | null;
                /** Format: uuid */
                integration_uuid: string;
                /** @description Less than 1 NEAR was left for writes then. */
                low: boolean;
                /** @example Heron shop */
                name: string;
                /**
                 * @description Its operations that are not over.
                 * @example 3
                 */
                operations_open: number;
                /**
                 * @description What was left for writes, divided by the mean of the last seven days; null: it spent nothing.
                 * @example 12.5
                 */
                runway_days: number | null;
                /** @enum {string} */
                state: "active" | "suspended" | "deleted";
            }[];
            /**
             * @description Wallets that sign and accept nothing: they were lost, or lack their key.
             * @example []
             */
            wallets_inactive: {
                account_id: string | null;
                /** Format: uuid */
                integration_uuid: string;
                /** Format: date-time */
                since: string;
            }[];
            /** @description The newest 20 that the service has disabled. */
            webhooks: {
                /** @example 503: out of order */
                disabled_reason: string;
                /** Format: uuid */
                integration_uuid: string;
                /** @example https://shop.example.com/mintage */
                url: string;
                /** Format: uuid */
                webhook_uuid: string;
            }[];
            /**
             * @description Integrations with effects that their ledger has and the database has refused.
             * @example []
             */
            writes_refused: {
                count: number;
                /** Format: uuid */
                integration_uuid: string;
            }[];
        };
        OwnedContract: {
            /** @example c-3a1f0e6b7c11.mint.near */
            account_id: string;
            /** @example cb8825e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c */
            code_hash: string;
            /** Format: uuid */
            contract_uuid: string;
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            integration_uuid: string;
            /** @description Whether it runs this release's code. If not, it can be upgraded. */
            is_current: boolean;
            /**
             * @example ready
             * @enum {string}
             */
            state: "deploying" | "ready" | "failed";
        };
        PayoutAccountInput: {
            /**
             * @description null: no account; nothing is paid out.
             * @example alice.near
             */
            account_id: string | null;
        };
        PayoutAnswer: {
            /**
             * @description Who was paid.
             * @example treasury.near
             */
            account_id: string;
            /**
             * @description yoctoNEAR, or the smallest units of the currency.
             * @example 5000000000000000000000000
             */
            amount: string;
            /** @description null: NEAR. */
            currency: components["schemas"]["Currency"] | null;
            /** @enum {string} */
            message: "success";
            tx_results: components["schemas"]["ChainTransactionResult"];
        };
        PayoutInput: {
            /**
             * @description `sales`: what the wallet earned of mint fees and hasn't paid out. yoctoNEAR. Or `all`, with `confirm`: what the wallet has beyond 1 NEAR for its writes.
             * @example sales
             */
            amount: string;
            /** @description `all` needs true, but of a currency: it takes the money along that gas is paid from. */
            confirm?: boolean;
            /**
             * @description Account of the NEP-141 token to pay out; absent or null: NEAR. Then `amount` is in its smallest units, or `all`.
             * @example alice.near
             */
            currency?: string | null;
            /**
             * @description Your own name for this write, such as an order's number. Its operation and events show it, and GET /operation finds it. It needn't be unique, and is no Idempotency-Key.
             * @example order-1042
             */
            reference?: string | null;
        };
        Phase: {
            /** @description null: NEAR. */
            currency: components["schemas"]["Currency"] | null;
            ends_at: string | null;
            /** @enum {string} */
            kind: "allowlist" | "public";
            limit_per_account: number | null;
            /**
             * @description Of each NFT: yoctoNEAR, or the smallest units of the currency.
             * @example 5000000
             */
            mint_fee: string;
            /**
             * @description Its number. 1 and 2 are those of private_mint_config and public_mint_config.
             * @example 3
             */
            phase: number;
            starts_at: string | null;
            /** @description Mints of all accounts; null: no limit. */
            supply: number | null;
        };
        PhaseEligibility: {
            allowed: boolean;
            /** @description Why not: the contract's failure code. */
            code: string | null;
            /**
             * @description Account of the token that the price is in; null: NEAR.
             * @example usdc.near
             */
            currency: string | null;
            message: string | null;
            /**
             * @description Of each NFT: yoctoNEAR, or the smallest units of the currency.
             * @example 5000000
             */
            mint_fee: string;
            /** Format: date-time */
            opens_at: string | null;
            /**
             * @description Its number.
             * @example 3
             */
            phase: number;
            /** @description null: no limit. */
            remaining_for_account: number | null;
        };
        PhaseInput: {
            /**
             * @description Account of the NEP-141 token that the price is in; absent or null: NEAR.
             * @example alice.near
             */
            currency?: string | null;
            /**
             * Format: date-time
             * @description First moment after the end; absent or null: no limit.
             * @example 2026-12-24T18:00:00Z
             */
            ends_at?: string | null;
            /**
             * @description Who may mint. Default: `allowlist` for phase 1, `public` for the others.
             * @enum {string|null}
             */
            kind?: "allowlist" | "public" | null;
            /** @description Mints an account may make; absent or null: any number. */
            limit_per_account?: number | null;
            /**
             * @description Of each NFT: yoctoNEAR, 0 or at least 2700000000000000000000; or the smallest units of the currency, at least 1.
             * @example 5000000
             */
            mint_fee: string;
            /**
             * @description Its number. 1 is private_mint_config, 2 is public_mint_config. What accounts minted, the allowlist and the supply that is used up belong to the number, whatever its phase becomes.
             * @example 3
             */
            phase: number;
            /**
             * Format: date-time
             * @description First moment; absent or null: no limit.
             * @example 2026-12-24T18:00:00Z
             */
            starts_at?: string | null;
            /** @description Mints of all accounts in this phase; absent or null: any number. */
            supply?: number | null;
        };
        /**
         * @example {
         *       "type": "https://mint.example.com/docs/errors.md#invalid_json",
         *       "title": "The body, or a part that must be JSON, isn't valid JSON, or the body is incomplete.",
         *       "status": 400,
         *       "detail": "Send a body that is valid JSON.",
         *       "instance": "urn:uuid:0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12",
         *       "message": "Send a body that is valid JSON.",
         *       "code": "invalid_json",
         *       "request_id": "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12"
         *     }
         */
        Problem: components["schemas"]["Error"] & {
            /** @description As `message`. */
            detail: string;
            /** @description The request's id, as a URN. */
            instance: string;
            status: number;
            /** @description The cause that all errors with this code have. */
            title: string;
            /**
             * Format: uri
             * @description Address of the list of codes, with this one.
             */
            type: string;
        };
        PublicClaim: {
            explorer_url: string | null;
            /** @example alice.near */
            receiver_id: string;
            /**
             * @description A success is final. `pending`: send the same claim again to learn more; it is carried out once.
             * @enum {string}
             */
            state: "pending" | "succeeded";
            /**
             * @example [
             *       "7:42"
             *     ]
             */
            token_ids: string[];
            /** @description Those of `token_ids` that can be read by now. */
            tokens: components["schemas"]["PublicToken"][];
            transaction_hash: string | null;
        };
        PublicClaimable: {
            drop_id: number;
            /** Format: date-time */
            expires_at: string;
            link: number;
            /** @description NFTs that it gives. */
            quantity: number;
        };
        PublicClaimInput: {
            /** @description The issuer's signature of the link's key. */
            certificate: string;
            /** @example 3 */
            drop_id: number;
            /** @example 41 */
            link: number;
            /** @description The link's key. */
            link_public_key: string;
            receiver_id: components["schemas"]["ChainAccountId"];
            /** @description The link's signature of the receiver. */
            signature: string;
            /** @example night-herons */
            slug: string;
        };
        PublicCollection: {
            /** @description What the creator says of it, in Markdown. */
            about: string | null;
            /** @description The id on-chain. */
            collection_id: number;
            /** @example c-3a1f0e6b7c11.mint.near */
            contract_address: string;
            contract_code: components["schemas"]["ContractCode"];
            /** @description As its NEP-177 metadata has it. */
            contract_name: string;
            /** @description The placeholder while assets are hidden. */
            cover: {
                /** @description Of a picture, to stand in its place while it loads; null: not a picture, not opaque, or without a thumbnail so far. */
                ground: {
                    /**
                     * @description Its mean.
                     * @example #1b4173
                     */
                    colour: string;
                    height: number;
                    width: number;
                } | null;
                media_type: string | null;
                /** Format: uri */
                url: string;
            } | null;
            /** @description Who has made it; null: the page names nobody. */
            creator: components["schemas"]["Creator"] | null;
            description: string | null;
            /** @description Whether a reveal has still to show the assets. */
            hidden: boolean;
            /** @description Copies that can still be minted. */
            left: number;
            links: {
                label: string;
                url: string;
            }[];
            /**
             * @description What the collection's holders were promised for good, on the chain.
             * @example [
             *       "royalties"
             *     ]
             */
            locks: ("metadata" | "supply" | "royalties" | "transfers" | "code")[];
            minted: number;
            /** @example mainnet */
            network: string;
            /** @description Percent of each later sale, by account. */
            ongoing_royalties: {
                [key: string]: number;
            };
            /** @description Whether the ongoing royalties can still change, at any time and up to 100 %, also for NFTs that are listed. */
            ongoing_royalties_can_change: boolean;
            /** @description Empty: wallets can't mint. */
            phases: {
                /** @description null: NEAR. */
                currency: components["schemas"]["Currency"] | null;
                /** Format: date-time */
                ends_at: string | null;
                /** @enum {string} */
                kind: "public" | "allowlist";
                /** @description null: no limit. */
                limit_per_account: number | null;
                /**
                 * @description For one: yoctoNEAR, or the smallest units of the currency.
                 * @example 1000000000000000000000000
                 */
                mint_fee: string;
                minted: number;
                /**
                 * @description Its number on the contract.
                 * @example 2
                 */
                phase: number;
                /**
                 * Format: date-time
                 * @description null: open.
                 */
                starts_at: string | null;
                /** @description Mints of all accounts; null: no limit. */
                supply: number | null;
            }[];
            /** @description null: the collection has never hidden its assets. */
            reveal: components["schemas"]["Reveal"] | null;
            slug: string;
            theme: {
                accent: string;
            } | null;
            title: string;
            total_assets: number;
            total_copies: number;
            transfers: {
                /** @description Marketplaces need approvals to sell. */
                allow_approvals: boolean;
                /** @description Whether lists of accounts limit transfers or approvals. */
                has_lists: boolean;
            };
        };
        PublicEligibility: {
            account_id: string;
            allowed: boolean;
            /** @description yoctoNEAR that the account can spend; null: there is no such account. */
            available: string | null;
            /** @description The contract's code that says why not. */
            code: string | null;
            /** @description Units that the account has of the asked `currency`; null: none was asked, or its contract says nothing. */
            currency_available: string | null;
            message: string | null;
            /** @description For one: yoctoNEAR, or the smallest units of the asked `currency`. */
            mint_fee: string | null;
            /** Format: date-time */
            opens_at: string | null;
            /** @description Number of the phase that the mint would be of. */
            phase: number | null;
            phases: components["schemas"]["PhaseEligibility"][];
            quantity: number;
            remaining_for_account: number | null;
            /** @description yoctoNEAR to attach for the quantity, or units to send. */
            total_fee: string | null;
            /** @enum {string|null} */
            via: "bypass" | "public" | "private" | "phase" | null;
        };
        PublicMint: {
            /** @description The contract's code of a failure. */
            code: string | null;
            explorer_url: string | null;
            message: string | null;
            /** @description Of a failure that was to be paid in a token: whether the token kept nothing of what was sent. Otherwise null. */
            returned: boolean | null;
            /**
             * @description `unknown`: no node knows the transaction (yet). The others but `pending` are final.
             * @enum {string}
             */
            state: "unknown" | "pending" | "succeeded" | "failed";
            token_ids: string[];
            /** @description Those of `token_ids` that can be read by now. */
            tokens: components["schemas"]["PublicToken"][];
        };
        PublicToken: {
            description: string | null;
            media_cid: string | null;
            /** @description Of a picture, to stand in its place while it loads; null: not a picture, not opaque, or without a thumbnail so far. */
            media_ground: {
                /**
                 * @description Its mean.
                 * @example #1b4173
                 */
                colour: string;
                height: number;
                width: number;
            } | null;
            /** @description base64 of SHA-256, as the chain has it. */
            media_hash: string | null;
            media_type: string | null;
            /** @description null in the block of its mint. */
            media_url: string | null;
            /** @description Within the collection, in minting order. */
            number: number;
            owner_id: string;
            /** @description Of the reference file that it shows. 1 is the rarest; null: not known (yet), or all are equals. */
            rarity_rank: number | null;
            reference_hash: string | null;
            reference_url: string | null;
            title: string | null;
            /** @example 7:1 */
            token_id: string;
            /** @description Empty until assets are revealed. */
            traits: {
                type: string;
                value: string;
            }[];
        };
        PublicTokenDetail: {
            description: string | null;
            explorer_url: string | null;
            /** @description What is known of it, the latest first: its mint, whose time the contract has, and transfers by the API since the collection has its page. Only the chain shows transfers between wallets. */
            history: {
                /** Format: date-time */
                at: string;
                /** @enum {string} */
                event: "minted" | "transferred";
                explorer_url: string | null;
                /**
                 * @description Of a transfer: who got it.
                 * @example alice.near
                 */
                receiver_id: string | null;
                transaction_hash: string | null;
            }[];
            /** @description Whether what it shows can never be changed, by the chain. */
            locked: boolean;
            media_cid: string | null;
            /** @description Of a picture, to stand in its place while it loads; null: not a picture, not opaque, or without a thumbnail so far. */
            media_ground: {
                /**
                 * @description Its mean.
                 * @example #1b4173
                 */
                colour: string;
                height: number;
                width: number;
            } | null;
            /** @description base64 of SHA-256, as the chain has it. */
            media_hash: string | null;
            media_type: string | null;
            /** @description null in the block of its mint. */
            media_url: string | null;
            /** @description Within the collection, in minting order. */
            number: number;
            owner_id: string;
            /** @description Of the reference file that it shows. 1 is the rarest; null: not known (yet), or all are equals. */
            rarity_rank: number | null;
            reference_hash: string | null;
            reference_url: string | null;
            title: string | null;
            /** @example 7:1 */
            token_id: string;
            /** @description Empty until assets are revealed. */
            traits: {
                type: string;
                value: string;
            }[];
            /** @description Of its mint; null: not known. Known are mints by the API and claims since the collection has its page, and mints from wallets that a page has followed. */
            transaction_hash: string | null;
        };
        PublicTrait: {
            type: string;
            values: {
                copies: number;
                value: string;
            }[];
        };
        PublicVoucher: {
            /** @description null: NEAR. */
            currency: components["schemas"]["Currency"] | null;
            drop_id: number;
            /** Format: date-time */
            expires_at: string;
            nonce: number;
            /**
             * @description For one: yoctoNEAR, or the smallest units of the currency.
             * @example 1000000000000000000000000
             */
            price: string;
            /** @description NFTs that it gives. */
            quantity: number;
            /**
             * @description Who gets the NFTs, whoever pays.
             * @example alice.near
             */
            receiver_id: string;
            /**
             * @description For all: yoctoNEAR to attach, or units to send by the token's ft_transfer_call.
             * @example 1000000000000000000000000
             */
            total_fee: string;
        };
        Quote: {
            /**
             * @description SHA-256 of the body's canonical JSON (RFC 8785), in hexadecimal; of `{}` without a body.
             * @example 44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a
             */
            body_digest: string;
            cost: {
                /**
                 * @description yoctoNEAR that leave it at most: gas, deposits and top-ups. Binding for a write that names the quote.
                 * @example 3810400000000000000000
                 */
                at_most: string;
                /**
                 * @description yoctoNEAR that are likely to leave the wallet.
                 * @example 252000000000000000000
                 */
                expected: string;
            };
            gas: {
                /**
                 * @description Units that may be burnt.
                 * @example 17320000000000
                 */
                at_most: string;
                /**
                 * @description Units of gas that are likely to be burnt.
                 * @example 2520000000000
                 */
                expected: string;
            };
            /**
             * @description What the write changes for ever: nobody can undo it. Show it to the person who decides.
             * @example []
             */
            permanent: string[];
            /** Format: uuid */
            quote_uuid: string;
            /**
             * @description Bytes that contracts store, at most.
             * @example 270
             */
            storage_bytes: number;
            /**
             * @description yoctoNEAR of the cost that the contract is expected to be topped up with for storage.
             * @example 0
             */
            top_up: string;
            /**
             * @description Transactions that are expected.
             * @example 1
             */
            transactions: number;
            /** Format: date-time */
            valid_until: string;
            wallet: {
                /**
                 * @description yoctoNEAR that a new write may spend.
                 * @example 9731200000000000000000000
                 */
                available: string;
                /**
                 * @description yoctoNEAR to be sent to the wallet first.
                 * @example 0
                 */
                missing: string;
            };
        };
        QuoteInput: {
            /**
             * @description The write's body; absent or null where it has none.
             * @example {
             *       "receiver_addresses": [
             *         "alice.example"
             *       ]
             *     }
             */
            body?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Whether the write is kept with the quote, so that the tool `execute` of POST /mcp can carry it out, once.
             * @default false
             */
            keep?: boolean | null;
            /**
             * @example POST
             * @enum {string}
             */
            method: "POST" | "PUT" | "DELETE";
            /**
             * @description As in the reference, with or without /api/v1.
             * @example /collection/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11/mint
             */
            path: string;
        };
        Readiness: {
            bucket: {
                /**
                 * @example up
                 * @enum {string}
                 */
                state: "up" | "down";
            };
            chain: {
                nodes: {
                    /**
                     * @description Age of that block.
                     * @example 2
                     */
                    age_seconds: number | null;
                    /**
                     * @description Height of its last final block.
                     * @example 141592653
                     */
                    height: number | null;
                    /** @example rpc.example.org */
                    host: string;
                    /**
                     * @description How long it took to answer, milliseconds; null: it didn't.
                     * @example 85
                     */
                    latency_ms: number | null;
                    /**
                     * @description still: it responds, but its final block is a minute old and doesn't change.
                     * @example up
                     * @enum {string}
                     */
                    state: "up" | "still" | "down";
                }[];
                /**
                 * @description up: at least one node is up.
                 * @example up
                 * @enum {string}
                 */
                state: "up" | "down";
            };
            database: {
                /**
                 * Format: date-time
                 * @description When it will be full at last month's growth; null if it doesn't grow or was observed for less than a day.
                 */
                full_at: string | null;
                /**
                 * @description How much of the limit is used.
                 * @example 12.5
                 */
                full_percent: number | null;
                /** @example 10000000000 */
                limit_bytes: number;
                /** @example 1486848 */
                size_bytes: number | null;
            };
            platform: {
                /** @example mint.example.near */
                account_id: string;
                /**
                 * @description What it can spend, yoctoNEAR; null if no node responds.
                 * @example 31250000000000000000000000
                 */
                available: string | null;
                /**
                 * @description low: it can't pay for another integration with its contract.
                 * @example funded
                 * @enum {string}
                 */
                state: "funded" | "low" | "unknown";
            };
            schedule: {
                /** Format: date-time */
                last_run_at: string | null;
                /**
                 * @description late: it last ran more than five minutes ago; it should run every minute.
                 * @example running
                 * @enum {string}
                 */
                state: "running" | "late";
            };
            /** @enum {string} */
            status: "ready" | "unavailable";
        };
        ReferenceInput: {
            /**
             * @description Your own name for this write, such as an order's number. Its operation and events show it, and GET /operation finds it. It needn't be unique, and is no Idempotency-Key.
             * @example order-1042
             */
            reference?: string | null;
        };
        /** @description Null: the collection has never hidden its assets. */
        Reveal: {
            /**
             * Format: date-time
             * @description When the schedule reveals what is hidden.
             */
            at: string | null;
            /**
             * @description base64 of 32 bytes: the contract has it since before the first mint.
             * @example TlD3LxjMEkn5LuBSb2MEHJIcT8D89Kd0q0W+Q4I1sAg=
             */
            commitment: string;
            /**
             * @description Assets that are shown, as last read from the chain.
             * @example 0
             */
            shown: number;
            /** @enum {string} */
            state: "hidden" | "partly" | "revealed";
        } | null;
        RevealAnswer: {
            /** @enum {string} */
            message: "success";
            revealed: components["schemas"]["CollectionRevealed"];
            tx_results: components["schemas"]["ChainTransactionResult"][];
        };
        RevealInput: {
            /**
             * @description How many more assets are shown, rounded up to whole batches; default: all that are left.
             * @example 10
             */
            assets?: number | null;
            /**
             * @description Your own name for this write, such as an order's number. Its operation and events show it, and GET /operation finds it. It needn't be unique, and is no Idempotency-Key.
             * @example order-1042
             */
            reference?: string | null;
        };
        Rotation: {
            /** @example [] */
            failed: {
                /** Format: uuid */
                integration_uuid: string;
                message: string;
            }[];
            /**
             * @description Wallets left. Call again until it is 0 here, for the webhooks and for the reveals, then remove the old secret.
             * @example 0
             */
            remaining: number;
            resealed: string[];
            /**
             * @description The same of the orders of hidden assets.
             * @example {
             *       "resealed": 1,
             *       "failed": [],
             *       "remaining": 0
             *     }
             */
            reveals: {
                /** @description Collections; the log says why. */
                failed: string[];
                remaining: number;
                resealed: number;
            };
            /** @example 2 */
            version: number;
            /**
             * @description The same of webhooks' secrets.
             * @example {
             *       "resealed": 12,
             *       "failed": [],
             *       "remaining": 0
             *     }
             */
            webhooks: {
                /** @description The log says why. */
                failed: string[];
                remaining: number;
                resealed: number;
            };
        };
        /**
         * @example {
         *       "alice.near": 12.5
         *     }
         */
        Royalties: {
            [key: string]: number;
        };
        SettlementInput: {
            /** @description Whether the chain has the operation's effect. For a finalization the service checks it. For the creation of a wallet or contract, send false and repeat the creation. */
            had_effect: boolean;
            /** @description With `had_effect` true: the transaction that had it, as the chain shows it. The operation then succeeds with its results. A finalization needs none. */
            transaction_hash?: string;
        };
        StuckTransaction: {
            /**
             * Format: uuid
             * @description null: the platform's own wallet.
             */
            integration_uuid: string | null;
            /**
             * Format: uuid
             * @description null, like `step`: a lost ledger, which knows its operations once its wallet is restored and activated.
             */
            operation_uuid: string | null;
            /**
             * @description `unknown`: its outcome can't be proven. `queued`, `open`: for two minutes or longer. `wallet_inactive`: it waits until its wallet is restored or activated.
             * @example unknown
             */
            state: string;
            /** @example mint */
            step: string | null;
            transaction: components["schemas"]["ChainTransactionResult"] | null;
        };
        TestEvent: {
            data: {
                /** Format: uuid */
                webhook_uuid: string;
            };
            /** Format: uuid */
            event_uuid: string;
            /** @enum {number} */
            seq: 0;
            /** Format: date-time */
            timestamp: string;
            /** @enum {string} */
            type: "webhook.test";
        };
        Token: {
            /** @example {} */
            approved_account_ids?: {
                [key: string]: number;
            } | null;
            /** @example 7 */
            collection_id: number;
            /** Format: uuid */
            collection_uuid: string;
            /** @example c-3a1f0e6b7c11.mint.near */
            contract_address: string;
            /**
             * @description What holders were promised for good: the collection's locks, and metadata where the token's own are locked.
             * @example [
             *       "royalties"
             *     ]
             */
            locks: ("metadata" | "supply" | "royalties" | "transfers" | "code")[];
            /**
             * Format: uri
             * @example https://mint.example.com/ipfs/bafkreicokd3s6ggmcje7slxakjxwgba4sioe7qh46stxjk2fxzbyennqba
             */
            media_url: string | null;
            metadata: components["schemas"]["TokenMetadataView"];
            /** @example alice.near */
            owner_id: string;
            /** Format: uri */
            reference_url: string | null;
            /** @example 7:42 */
            token_id: string;
        };
        TokenMetadataView: {
            /** @example 120 */
            copies?: number | null;
            /** @example Twelve herons, painted after dark. */
            description?: string | null;
            expires_at?: string | null;
            extra?: string | null;
            issued_at?: string | null;
            /**
             * @description CID, relative to the contract's base_uri.
             * @example bafkreicokd3s6ggmcje7slxakjxwgba4sioe7qh46stxjk2fxzbyennqba
             */
            media?: string | null;
            /**
             * @description base64 of the SHA-256 of the media file.
             * @example TlD3LxjMEkn5LuBSb2MEHJIcT8D89Kd0q0W+Q4I1sAg=
             */
            media_hash?: string | null;
            reference?: string | null;
            reference_hash?: string | null;
            starts_at?: string | null;
            /** @example Night Herons No. 42 of 120 */
            title?: string | null;
            updated_at?: string | null;
        };
        TransactionAnswer: {
            /** @enum {string} */
            message: "success";
            tx_results: components["schemas"]["ChainTransactionResult"];
        };
        TransferAnswer: {
            /** @enum {string} */
            message: "success";
            /** @description The tokens after the transfer; without those that their new owner has burnt since. */
            tokens: components["schemas"]["Token"][];
            tx_results: components["schemas"]["ChainTransactionResult"][];
        };
        UpgradePlan: {
            /** @example c-3a1f0e6b7c11.mint.near */
            account_id: string;
            /**
             * @description Code that the account runs.
             * @example cb8825e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c
             */
            code_hash: string | null;
            /** @example 3 */
            collections: number;
            /** Format: uuid */
            contract_uuid: string;
            /**
             * @description yoctoNEAR that the wallet burns for gas, at most.
             * @example 120000000000000000000000
             */
            fees: string;
            /** Format: uuid */
            integration_uuid: string;
            /**
             * @description Layout of its storage.
             * @example 4
             */
            layout: number | null;
            /**
             * @description Code that it will run.
             * @example 1f0a4d77c2e95b36a8d1f4c07b6e3925d8a1c4f70b3e6d9251c8f4a70b3d6e92
             */
            new_code_hash: string;
            /** @example null */
            obstacle: string | null;
            /**
             * @description Whether the platform first publishes the code, because the chain doesn't have it.
             * @example false
             */
            publish: boolean;
            /**
             * @description yoctoNEAR of the platform that publishing burns.
             * @example 0
             */
            publish_cost: string;
            /**
             * @description current: there is nothing to do; blocked: `obstacle` says what has to be done first.
             * @example ready
             * @enum {string}
             */
            state: "current" | "ready" | "blocked";
            /**
             * @description About how many yoctoNEAR the wallet pays to the contract, which then holds the most that its tokens can ever take.
             * @example 1250000000000000000000000
             */
            top_up: string;
            /**
             * @description Most transactions that the integration's wallet sends if none fails.
             * @example 4
             */
            transactions: number;
            /** @example 0.1.0 */
            version: string | null;
            wallet: {
                /** @example w-4b7c91d0e2aa.mint.near */
                account_id: string | null;
                /**
                 * @description yoctoNEAR; null if no node responds.
                 * @example 4871520000000000000000000
                 */
                available: string | null;
                /**
                 * @description yoctoNEAR that it lacks of `top_up` and `fees`.
                 * @example 0
                 */
                missing: string;
            };
        };
        Wallet: {
            /** @example w-4b7c91d0e2aa.mint.near */
            account_id: string;
            /**
             * @description yoctoNEAR; null if no node responds.
             * @example 4871520000000000000000000
             */
            balance: string | null;
            lanes: {
                /** @enum {string} */
                kind: "full_access" | "function_call";
                /** @example 0 */
                open: number;
                /** @example ed25519:DcA2MzgpJbrUATQLLceocVckhhAqrkingax4oJ9kZ847 */
                public_key: string;
            }[];
            /**
             * @description The newest 1,000 writes that a loss of the ledger took along, the newest first, for seven days after its restoration. Their outcome is unknown: repeating one by its Idempotency-Key says so. Writes of the very last second before the loss may be missing here.
             * @example []
             */
            lost_operations: {
                idempotency_key: string | null;
                /** Format: uuid */
                operation_uuid: string;
            }[];
            /** @example 0 */
            open: number;
            /** @example ed25519:DcA2MzgpJbrUATQLLceocVckhhAqrkingax4oJ9kZ847 */
            public_key: string;
            /** @example 0 */
            queued: number;
            /**
             * @description empty: its object has lost its key; restore it. restored: activate it. locked_out: its account lacks its key; add it.
             * @example active
             * @enum {string}
             */
            state: "empty" | "prepared" | "restored" | "locked_out" | "active";
            /**
             * @description The first 100.
             * @example []
             */
            stuck: {
                /** Format: uuid */
                operation_uuid: string;
                /**
                 * @description `unknown`: its outcome can't be proven. `queued`, `open`: for two minutes or longer. `wallet_inactive`: it waits until its wallet is restored or activated.
                 * @example unknown
                 */
                state: string;
                /** @example mint */
                step: string;
                transaction: components["schemas"]["ChainTransactionResult"] | null;
            }[];
        };
        WalletCreated: {
            /** Format: uuid */
            integration_uuid: string;
            tx_results: components["schemas"]["ChainTransactionResult"][];
            /** @example w-4b7c91d0e2aa.mint.near */
            wallet_account_id: string;
            /** @enum {string} */
            wallet_state: "ready";
        };
        Webhook: {
            /** Format: date-time */
            created_at: string;
            description: string | null;
            /** @description Why the service disabled it; null: it didn't. */
            disabled_reason: string | null;
            enabled: boolean;
            /**
             * Format: date-time
             * @description Until when the secret before the last rotation signs as well.
             */
            old_secret_until: string | null;
            /**
             * @description Types of the events that are sent; null: all.
             * @example [
             *       "nft.minted"
             *     ]
             */
            types: ("operation.succeeded" | "operation.failed" | "operation.unknown" | "collection.finalized" | "collection.updated" | "collection.locked" | "collection.revealed" | "collection.sold_out" | "nft.minted" | "nft.updated" | "nft.transferred" | "nft.burned" | "claim.redeemed" | "wallet.low" | "wallet.topped_up" | "database.filling" | "webhook.disabled" | "key.created" | "key.rotated")[] | null;
            /** Format: date-time */
            updated_at: string;
            /** @example https://shop.example.com/mintage */
            url: string;
            /** Format: uuid */
            webhook_uuid: string;
        };
        WebhookChanges: {
            description?: string | null;
            /** @description true sends again, from where it stopped. */
            enabled?: boolean;
            /** @description Types of the events to send; absent or null: all. */
            types?: ("operation.succeeded" | "operation.failed" | "operation.unknown" | "collection.finalized" | "collection.updated" | "collection.locked" | "collection.revealed" | "collection.sold_out" | "nft.minted" | "nft.updated" | "nft.transferred" | "nft.burned" | "claim.redeemed" | "wallet.low" | "wallet.topped_up" | "database.filling" | "webhook.disabled" | "key.created" | "key.rotated")[] | null;
            /**
             * @description https on port 443, at a public name. A service that `npm start` runs also takes http to localhost.
             * @example https://shop.example.com/mintage
             */
            url?: string;
        };
        WebhookInput: {
            description?: string | null;
            /** @description Types of the events to send; absent or null: all. */
            types?: ("operation.succeeded" | "operation.failed" | "operation.unknown" | "collection.finalized" | "collection.updated" | "collection.locked" | "collection.revealed" | "collection.sold_out" | "nft.minted" | "nft.updated" | "nft.transferred" | "nft.burned" | "claim.redeemed" | "wallet.low" | "wallet.topped_up" | "database.filling" | "webhook.disabled" | "key.created" | "key.rotated")[] | null;
            /**
             * @description https on port 443, at a public name. A service that `npm start` runs also takes http to localhost.
             * @example https://shop.example.com/mintage
             */
            url: string;
        };
        WebhookReplay: {
            /** @description Events with a higher seq are sent again. */
            after: number;
            /** @description Only events with a lower seq; absent or null: up to the last. */
            before?: number | null;
            /** @description Only those that were given up; default: false. */
            only_failed?: boolean;
        };
        WebhookWithSecret: {
            /** Format: date-time */
            created_at: string;
            description: string | null;
            /** @description Why the service disabled it; null: it didn't. */
            disabled_reason: string | null;
            enabled: boolean;
            /**
             * Format: date-time
             * @description Until when the secret before the last rotation signs as well.
             */
            old_secret_until: string | null;
            /** @description `whsec_` and base64 of 32 bytes. No other answer shows it. */
            secret: string;
            /**
             * @description Types of the events that are sent; null: all.
             * @example [
             *       "nft.minted"
             *     ]
             */
            types: ("operation.succeeded" | "operation.failed" | "operation.unknown" | "collection.finalized" | "collection.updated" | "collection.locked" | "collection.revealed" | "collection.sold_out" | "nft.minted" | "nft.updated" | "nft.transferred" | "nft.burned" | "claim.redeemed" | "wallet.low" | "wallet.topped_up" | "database.filling" | "webhook.disabled" | "key.created" | "key.rotated")[] | null;
            /** Format: date-time */
            updated_at: string;
            /** @example https://shop.example.com/mintage */
            url: string;
            /** Format: uuid */
            webhook_uuid: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type AcceptedOperation = components['schemas']['AcceptedOperation'];
export type AccountInput = components['schemas']['AccountInput'];
export type AccountsInput = components['schemas']['AccountsInput'];
export type AdoptedContract = components['schemas']['AdoptedContract'];
export type AdoptInput = components['schemas']['AdoptInput'];
export type AllowlistAnswer = components['schemas']['AllowlistAnswer'];
export type AllowlistClearInput = components['schemas']['AllowlistClearInput'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type BurnAnswer = components['schemas']['BurnAnswer'];
export type BurntToken = components['schemas']['BurntToken'];
export type ChainAccountId = components['schemas']['ChainAccountId'];
export type ChainTransactionResult = components['schemas']['ChainTransactionResult'];
export type Collection = components['schemas']['Collection'];
export type CollectionChanges = components['schemas']['CollectionChanges'];
export type CollectionDraft = components['schemas']['CollectionDraft'];
export type CollectionDraftAsset = components['schemas']['CollectionDraftAsset'];
export type CollectionDraftChanges = components['schemas']['CollectionDraftChanges'];
export type CollectionDraftInput = components['schemas']['CollectionDraftInput'];
export type CollectionLocked = components['schemas']['CollectionLocked'];
export type CollectionPage = components['schemas']['CollectionPage'];
export type CollectionPageInput = components['schemas']['CollectionPageInput'];
export type CollectionPhase = components['schemas']['CollectionPhase'];
export type CollectionRevealed = components['schemas']['CollectionRevealed'];
export type ContractCode = components['schemas']['ContractCode'];
export type ContractDeployed = components['schemas']['ContractDeployed'];
export type ContractHandOver = components['schemas']['ContractHandOver'];
export type ContractInput = components['schemas']['ContractInput'];
export type ContractOwnership = components['schemas']['ContractOwnership'];
export type ContractUpgraded = components['schemas']['ContractUpgraded'];
export type ContractWithRoles = components['schemas']['ContractWithRoles'];
export type Creator = components['schemas']['Creator'];
export type Currency = components['schemas']['Currency'];
export type Delivery = components['schemas']['Delivery'];
export type Drop = components['schemas']['Drop'];
export type DropAnswer = components['schemas']['DropAnswer'];
export type DropChanges = components['schemas']['DropChanges'];
export type DropClosed = components['schemas']['DropClosed'];
export type DropInput = components['schemas']['DropInput'];
export type DropSummary = components['schemas']['DropSummary'];
export type Eligibility = components['schemas']['Eligibility'];
export type Error = components['schemas']['Error'];
export type Event = components['schemas']['Event'];
export type FinalizeAnswer = components['schemas']['FinalizeAnswer'];
export type HandOverInput = components['schemas']['HandOverInput'];
export type Health = components['schemas']['Health'];
export type HiddenOrder = components['schemas']['HiddenOrder'];
export type Holder = components['schemas']['Holder'];
export type Integration = components['schemas']['Integration'];
export type IntegrationChanges = components['schemas']['IntegrationChanges'];
export type IntegrationInput = components['schemas']['IntegrationInput'];
export type IpfsResult = components['schemas']['IpfsResult'];
export type IssuedKey = components['schemas']['IssuedKey'];
export type Key = components['schemas']['Key'];
export type KeyCreateInput = components['schemas']['KeyCreateInput'];
export type KeyInput = components['schemas']['KeyInput'];
export type Limits = components['schemas']['Limits'];
export type LimitsInput = components['schemas']['LimitsInput'];
export type ListedContract = components['schemas']['ListedContract'];
export type LockAnswer = components['schemas']['LockAnswer'];
export type LockInput = components['schemas']['LockInput'];
export type Me = components['schemas']['Me'];
export type MintAnswer = components['schemas']['MintAnswer'];
export type MintConfig = components['schemas']['MintConfig'];
export type MintInput = components['schemas']['MintInput'];
export type NftBulkUpdate = components['schemas']['NftBulkUpdate'];
export type NftBurnInput = components['schemas']['NftBurnInput'];
export type NftLockInput = components['schemas']['NftLockInput'];
export type NftTransferInput = components['schemas']['NftTransferInput'];
export type NftUpdateAnswer = components['schemas']['NftUpdateAnswer'];
export type NftUpdateBulkAnswer = components['schemas']['NftUpdateBulkAnswer'];
export type NftUpdateBulkInput = components['schemas']['NftUpdateBulkInput'];
export type NftUpdateInput = components['schemas']['NftUpdateInput'];
export type NftUpdateResult = components['schemas']['NftUpdateResult'];
export type Operation = components['schemas']['Operation'];
export type OperationCost = components['schemas']['OperationCost'];
export type OperationSummary = components['schemas']['OperationSummary'];
export type Overview = components['schemas']['Overview'];
export type OwnedContract = components['schemas']['OwnedContract'];
export type PayoutAccountInput = components['schemas']['PayoutAccountInput'];
export type PayoutAnswer = components['schemas']['PayoutAnswer'];
export type PayoutInput = components['schemas']['PayoutInput'];
export type Phase = components['schemas']['Phase'];
export type PhaseEligibility = components['schemas']['PhaseEligibility'];
export type PhaseInput = components['schemas']['PhaseInput'];
export type Problem = components['schemas']['Problem'];
export type PublicClaim = components['schemas']['PublicClaim'];
export type PublicClaimable = components['schemas']['PublicClaimable'];
export type PublicClaimInput = components['schemas']['PublicClaimInput'];
export type PublicCollection = components['schemas']['PublicCollection'];
export type PublicEligibility = components['schemas']['PublicEligibility'];
export type PublicMint = components['schemas']['PublicMint'];
export type PublicToken = components['schemas']['PublicToken'];
export type PublicTokenDetail = components['schemas']['PublicTokenDetail'];
export type PublicTrait = components['schemas']['PublicTrait'];
export type PublicVoucher = components['schemas']['PublicVoucher'];
export type Quote = components['schemas']['Quote'];
export type QuoteInput = components['schemas']['QuoteInput'];
export type Readiness = components['schemas']['Readiness'];
export type ReferenceInput = components['schemas']['ReferenceInput'];
export type Reveal = components['schemas']['Reveal'];
export type RevealAnswer = components['schemas']['RevealAnswer'];
export type RevealInput = components['schemas']['RevealInput'];
export type Rotation = components['schemas']['Rotation'];
export type Royalties = components['schemas']['Royalties'];
export type SettlementInput = components['schemas']['SettlementInput'];
export type StuckTransaction = components['schemas']['StuckTransaction'];
export type TestEvent = components['schemas']['TestEvent'];
export type Token = components['schemas']['Token'];
export type TokenMetadataView = components['schemas']['TokenMetadataView'];
export type TransactionAnswer = components['schemas']['TransactionAnswer'];
export type TransferAnswer = components['schemas']['TransferAnswer'];
export type UpgradePlan = components['schemas']['UpgradePlan'];
export type Wallet = components['schemas']['Wallet'];
export type WalletCreated = components['schemas']['WalletCreated'];
export type Webhook = components['schemas']['Webhook'];
export type WebhookChanges = components['schemas']['WebhookChanges'];
export type WebhookInput = components['schemas']['WebhookInput'];
export type WebhookReplay = components['schemas']['WebhookReplay'];
export type WebhookWithSecret = components['schemas']['WebhookWithSecret'];
export type $defs = Record<string, never>;
export interface operations {
    adminGetHiddenOrder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The order. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HiddenOrder"];
                };
            };
        };
    };
    adminListEveryContract: {
        parameters: {
            query?: {
                /** @description Only the one at this account. */
                account_id?: components["schemas"]["ChainAccountId"];
                /** @description Where to continue: from the previous page's Link header. */
                cursor?: string;
                /** @description Entries of one page; without it the answer is the whole list. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The contracts. */
            200: {
                headers: {
                    /** @description With `limit`: `<…>; rel="next"` if there is more (RFC 8288). */
                    Link?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnedContract"][];
                };
            };
        };
    };
    adminGetContract: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contract_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The contract. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContractWithRoles"];
                };
            };
        };
    };
    adminHandOverContract: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contract_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "account_id": "artist.near",
                 *       "keep_admin": true
                 *     }
                 */
                "application/json": components["schemas"]["HandOverInput"];
            };
        };
        responses: {
            /** @description What is proposed. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContractHandOver"];
                };
            };
            /** @description Accepted: the chain took longer than the request waits. Location leads to the operation. */
            202: {
                headers: {
                    /** @description Address of the operation. */
                    Location?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedOperation"];
                };
            };
        };
    };
    adminPlanContractUpgrade: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contract_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plan. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpgradePlan"];
                };
            };
        };
    };
    adminUpgradeContract: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                contract_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The contract runs this release's code. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContractUpgraded"];
                };
            };
            /** @description Accepted: the chain took longer than the request waits. Location leads to the operation. */
            202: {
                headers: {
                    /** @description Address of the operation. */
                    Location?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedOperation"];
                };
            };
        };
    };
    adminListIntegrations: {
        parameters: {
            query?: {
                /** @description Where to continue: from the previous page's Link header. */
                cursor?: string;
                /** @description Deleted integrations instead of the others. */
                deleted?: "true";
                /** @description Entries of one page; without it the answer is the whole list. */
                limit?: number;
                /** @description Only those with exactly this name. */
                name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The integrations. */
            200: {
                headers: {
                    /** @description With `limit`: `<…>; rel="next"` if there is more (RFC 8288). */
                    Link?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"][];
                };
            };
        };
    };
    adminCreateIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Heron shop"
                 *     }
                 */
                "application/json": components["schemas"]["IntegrationInput"];
            };
        };
        responses: {
            /** @description The integration and its wallet. */
            201: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletCreated"];
                };
            };
            /** @description Accepted: the chain took longer than the request waits. Location leads to the operation. */
            202: {
                headers: {
                    /** @description Address of the operation. */
                    Location?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedOperation"];
                };
            };
        };
    };
    adminGetIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                integration_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The integration. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"];
                };
            };
        };
    };
    adminChangeIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                integration_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "suspended": true
                 *     }
                 */
                "application/json": components["schemas"]["IntegrationChanges"];
            };
        };
        responses: {
            /** @description The integration as it is now. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"];
                };
            };
        };
    };
    adminDeleteIntegration: {
        parameters: {
            query?: {
                /** @description Delete it even if its wallet has money left. */
                leave_funds?: "true";
            };
            header?: never;
            path: {
                integration_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The integration as it is now. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"];
                };
            };
        };
    };
    adminListAudit: {
        parameters: {
            query?: {
                /** @description Lists entries with a higher seq; default: 0. */
                after?: number;
                /** @description Entries of one page; without it the answer is the whole list. */
                limit?: number;
            };
            header?: never;
            path: {
                integration_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entries. */
            200: {
                headers: {
                    /** @description With `limit`: `<…>; rel="next"` if there is more (RFC 8288). */
                    Link?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntry"][];
                    "application/x-ndjson": string;
                };
            };
        };
    };
    adminListContracts: {
        parameters: {
            query?: {
                /** @description Where to continue: from the previous page's Link header. */
                cursor?: string;
                /** @description Entries of one page; without it the answer is the whole list. */
                limit?: number;
                /** @description With each contract's roles, which are read from the chain. A page has at most 50 then. */
                roles?: "true";
            };
            header?: never;
            path: {
                integration_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The contracts. */
            200: {
                headers: {
                    /** @description With `limit`: `<…>; rel="next"` if there is more (RFC 8288). */
                    Link?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedContract"][];
                };
            };
        };
    };
    adminDeployContract: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                integration_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Herons",
                 *       "symbol": "HERON"
                 *     }
                 */
                "application/json": components["schemas"]["ContractInput"];
            };
        };
        responses: {
            /** @description The contract. */
            201: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContractDeployed"];
                };
            };
            /** @description Accepted: the chain took longer than the request waits. Location leads to the operation. */
            202: {
                headers: {
                    /** @description Address of the operation. */
                    Location?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedOperation"];
                };
            };
        };
    };
    adminAcceptContract: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                integration_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "account_id": "herons.near"
                 *     }
                 */
                "application/json": components["schemas"]["AdoptInput"];
            };
        };
        responses: {
            /** @description The wallet is the owner. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContractOwnership"];
                };
            };
            /** @description Accepted: the chain took longer than the request waits. Location leads to the operation. */
            202: {
                headers: {
                    /** @description Address of the operation. */
                    Location?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedOperation"];
                };
            };
        };
    };
    adminAdoptContract: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                integration_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "account_id": "herons.near"
                 *     }
                 */
                "application/json": components["schemas"]["AdoptInput"];
            };
        };
        responses: {
            /** @description The contract. */
            201: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdoptedContract"];
                };
            };
        };
    };
    adminListKeys: {
        parameters: {
            query?: {
                /** @description Where to continue: from the previous page's Link header. */
                cursor?: string;
                /** @description Entries of one page; without it the answer is the whole list. */
                limit?: number;
            };
            header?: never;
            path: {
                integration_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. */
            200: {
                headers: {
                    /** @description With `limit`: `<…>; rel="next"` if there is more (RFC 8288). */
                    Link?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"][];
                };
            };
        };
    };
    adminIssueKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                integration_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Shop server",
                 *       "role": "full",
                 *       "expires_at": "2030-01-01T00:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["KeyInput"];
            };
        };
        responses: {
            /** @description The key. */
            201: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedKey"];
                };
            };
        };
    };
    adminRevokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                integration_uuid: string;
                key_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key as it is now. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    adminGetLimits: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                integration_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The limits. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Limits"];
                };
            };
        };
    };
    adminSetLimits: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                integration_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "drafts": 5000,
                 *       "requests": null
                 *     }
                 */
                "application/json": components["schemas"]["LimitsInput"];
            };
        };
        responses: {
            /** @description The limits as they are now. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Limits"];
                };
            };
        };
    };
    adminSetPayoutAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                integration_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "account_id": "treasury.near"
                 *     }
                 */
                "application/json": components["schemas"]["PayoutAccountInput"];
            };
        };
        responses: {
            /** @description The integration. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"];
                };
            };
        };
    };
    adminGetWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                integration_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The wallet. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wallet"];
                };
            };
        };
    };
    adminCreateWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                integration_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The wallet that exists. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        integration_uuid: string;
                        /** @example w-4b7c91d0e2aa.mint.near */
                        wallet_account_id: string;
                        /** @enum {string} */
                        wallet_state: "ready";
                    };
                };
            };
            /** @description The wallet. */
            201: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletCreated"];
                };
            };
            /** @description Accepted: the chain took longer than the request waits. Location leads to the operation. */
            202: {
                headers: {
                    /** @description Address of the operation. */
                    Location?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedOperation"];
                };
            };
        };
    };
    adminActivateWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                integration_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The wallet. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wallet"];
                };
            };
        };
    };
    adminRestoreWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                integration_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The wallet. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wallet"];
                };
            };
        };
    };
    adminGetMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics. As text/plain where the Accept header prefers that. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/openmetrics-text": string;
                    "text/plain": string;
                };
            };
        };
    };
    adminGetOperation: {
        parameters: {
            query?: {
                /** @description The operation's integration. Absent: the ledgers with open operations are asked, and up to 500 others, but no archive. */
                integration_uuid?: string;
            };
            header?: never;
            path: {
                operation_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
        };
    };
    adminSettleOperation: {
        parameters: {
            query?: {
                /** @description The operation's integration. Absent: the ledgers with open operations are asked, and up to 500 others, but no archive. */
                integration_uuid?: string;
            };
            header?: never;
            path: {
                operation_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "had_effect": true
                 *     }
                 */
                "application/json": components["schemas"]["SettlementInput"];
            };
        };
        responses: {
            /** @description The operation as it is now. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
        };
    };
    adminGetOverview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The overview. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
        };
    };
    adminGetPlatform: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The wallet. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wallet"];
                };
            };
        };
    };
    adminRotateSecrets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was done. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rotation"];
                };
            };
        };
    };
    adminListStuckTransactions: {
        parameters: {
            query?: {
                /** @description Where to continue: from the previous page's Link header. */
                cursor?: string;
                /** @description Entries of one page; without it the answer is the whole list. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The transactions. */
            200: {
                headers: {
                    /** @description With `limit`: `<…>; rel="next"` if there is more (RFC 8288). */
                    Link?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StuckTransaction"][];
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description Lists entries with a higher seq; default: 0. */
                after?: number;
                /** @description Entries of one page; without it the answer is the whole list. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entries. */
            200: {
                headers: {
                    /** @description With `limit`: `<…>; rel="next"` if there is more (RFC 8288). */
                    Link?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntry"][];
                    "application/x-ndjson": string;
                };
            };
        };
    };
    listCollections: {
        parameters: {
            query?: {
                /** @description Where to continue: from the previous page's Link header. */
                cursor?: string;
                /** @description Entries of one page; without it the answer is the whole list. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The collections. */
            200: {
                headers: {
                    /** @description With `limit`: `<…>; rel="next"` if there is more (RFC 8288). */
                    Link?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Collection"][];
                };
            };
        };
    };
    listCollectionDrafts: {
        parameters: {
            query?: {
                /** @description Where to continue: from the previous page's Link header. */
                cursor?: string;
                /** @description Entries of one page; without it the answer is the whole list. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The drafts. */
            200: {
                headers: {
                    /** @description With `limit`: `<…>; rel="next"` if there is more (RFC 8288). */
                    Link?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionDraft"][];
                };
            };
        };
    };
    createCollectionDraft: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "contract_uuid": "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11",
                 *       "title": "Night Herons",
                 *       "description": "Twelve herons, painted after dark.",
                 *       "public_mint_config": {
                 *         "mint_fee": "1000000000000000000000000",
                 *         "limit_per_account": 5
                 *       },
                 *       "initial_royalties": {
                 *         "alice.near": 60,
                 *         "bob.near": 12.5
                 *       },
                 *       "ongoing_royalties": {
                 *         "alice.near": 5
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CollectionDraftInput"];
            };
        };
        responses: {
            /** @description The draft. */
            201: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionDraft"];
                };
            };
        };
    };
    getCollectionDraft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection_draft_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The draft. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionDraft"];
                };
            };
        };
    };
    updateCollectionDraft: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path: {
                collection_draft_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Night Herons II",
                 *       "description": null
                 *     }
                 */
                "application/json": components["schemas"]["CollectionDraftChanges"];
            };
        };
        responses: {
            /** @description The draft as it is now. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionDraft"];
                };
            };
        };
    };
    deleteCollectionDraft: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path: {
                collection_draft_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The draft was deleted. */
            204: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listDraftAssets: {
        parameters: {
            query?: {
                /** @description Where to continue: from the previous page's Link header. */
                cursor?: string;
                /** @description Entries of one page; without it the answer is the whole list. */
                limit?: number;
            };
            header?: never;
            path: {
                collection_draft_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The assets, first attached first. */
            200: {
                headers: {
                    /** @description With `limit`: `<…>; rel="next"` if there is more (RFC 8288). */
                    Link?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionDraftAsset"][];
                };
            };
        };
    };
    attachAssets: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path: {
                collection_draft_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description A media file of at most 1 MB (1,048,576 bytes); one part for each. Its bytes decide its type: PNG, JPEG, GIF, WebP, AVIF, SVG, MP4, WebM, MP3, WAV, OGG and GLB. */
                    asset_file: string[];
                    /**
                     * Format: binary
                     * @description At most one media file of at most 1 MB: what NFTs show until a reveal. It may come alone, and replaces an earlier one.
                     */
                    asset_placeholder?: string;
                    /**
                     * @description Exactly one part of at most 8 MB: a JSON array that says for each media file how it is used.
                     * @example [{"asset_filename":"heron.png","copies":10,"asset_subtitle":"No. $TOKEN_NUM of $TOTAL_NUM"},{"asset_filename":"egret.png","copies":1}]
                     */
                    assets_detail: string;
                    /** @description A metadata file: a JSON object of at most 1 MB; one part for each. */
                    reference_file?: string[];
                };
            };
        };
        responses: {
            /** @description The assets, in the order of assets_detail. */
            201: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionDraftAsset"][];
                };
            };
        };
    };
    deleteDraftAsset: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path: {
                asset_uuid: string;
                collection_draft_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The asset was deleted. */
            204: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    finalizeCollectionDraft: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
                /** @description yoctoNEAR that the write may cost, top-ups included. A write that could cost more is not sent (402). */
                "Mintage-Max-Cost"?: string;
                /** @description `quote_uuid` of a quote for this very write, which then costs at most its `cost.at_most`. */
                "Mintage-Quote"?: string;
                /** @description `respond-async` returns 202 at once instead of waiting for the chain (RFC 7240). */
                Prefer?: string;
            };
            path: {
                collection_draft_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reference": "order-1042"
                 *     }
                 */
                "application/json": components["schemas"]["ReferenceInput"];
            };
        };
        responses: {
            /** @description The collection, with its files and transactions. */
            201: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FinalizeAnswer"];
                };
            };
            /** @description Accepted: the chain took longer than the request waits, or `Prefer: respond-async` was sent. Location leads to the operation. */
            202: {
                headers: {
                    /** @description Address of the operation. */
                    Location?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedOperation"];
                };
            };
        };
    };
    getCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The collection. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Collection"];
                };
            };
        };
    };
    updateCollection: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
                /** @description yoctoNEAR that the write may cost, top-ups included. A write that could cost more is not sent (402). */
                "Mintage-Max-Cost"?: string;
                /** @description `quote_uuid` of a quote for this very write, which then costs at most its `cost.at_most`. */
                "Mintage-Quote"?: string;
                /** @description `respond-async` returns 202 at once instead of waiting for the chain (RFC 7240). */
                Prefer?: string;
            };
            path: {
                collection_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": "Twelve herons, painted after dark. Sold out soon.",
                 *       "private_mint_config": {
                 *         "mint_fee": "0",
                 *         "ends_at": "2030-01-01T00:00:00Z",
                 *         "limit_per_account": 2
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CollectionChanges"];
            };
        };
        responses: {
            /** @description The collection as it is now. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Collection"];
                };
            };
            /** @description Accepted: the chain took longer than the request waits, or `Prefer: respond-async` was sent. Location leads to the operation. */
            202: {
                headers: {
                    /** @description Address of the operation. */
                    Location?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedOperation"];
                };
            };
        };
    };
    allowlistAdd: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
                /** @description yoctoNEAR that the write may cost, top-ups included. A write that could cost more is not sent (402). */
                "Mintage-Max-Cost"?: string;
                /** @description `quote_uuid` of a quote for this very write, which then costs at most its `cost.at_most`. */
                "Mintage-Quote"?: string;
                /** @description `respond-async` returns 202 at once instead of waiting for the chain (RFC 7240). */
                Prefer?: string;
            };
            path: {
                collection_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "accounts": [
                 *         "alice.near",
                 *         "bob.near"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["AccountsInput"];
            };
        };
        responses: {
            /** @description The transaction. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionAnswer"];
                };
            };
            /** @description Accepted: the chain took longer than the request waits, or `Prefer: respond-async` was sent. Location leads to the operation. */
            202: {
                headers: {
                    /** @description Address of the operation. */
                    Location?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedOperation"];
                };
            };
        };
    };
    allowlistCheckAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "account": "alice.near"
                 *     }
                 */
                "application/json": components["schemas"]["AccountInput"];
            };
        };
        responses: {
            /** @description Whether the account is on the allowlist. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AllowlistAnswer"];
                };
            };
        };
    };
    allowlistClear: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
                /** @description yoctoNEAR that the write may cost, top-ups included. A write that could cost more is not sent (402). */
                "Mintage-Max-Cost"?: string;
                /** @description `quote_uuid` of a quote for this very write, which then costs at most its `cost.at_most`. */
                "Mintage-Quote"?: string;
                /** @description `respond-async` returns 202 at once instead of waiting for the chain (RFC 7240). */
                Prefer?: string;
            };
            path: {
                collection_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reference": "order-1042"
                 *     }
                 */
                "application/json": components["schemas"]["AllowlistClearInput"];
            };
        };
        responses: {
            /** @description The transaction. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionAnswer"];
                };
            };
            /** @description Accepted: the chain took longer than the request waits, or `Prefer: respond-async` was sent. Location leads to the operation. */
            202: {
                headers: {
                    /** @description Address of the operation. */
                    Location?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedOperation"];
                };
            };
        };
    };
    allowlistRemove: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
                /** @description yoctoNEAR that the write may cost, top-ups included. A write that could cost more is not sent (402). */
                "Mintage-Max-Cost"?: string;
                /** @description `quote_uuid` of a quote for this very write, which then costs at most its `cost.at_most`. */
                "Mintage-Quote"?: string;
                /** @description `respond-async` returns 202 at once instead of waiting for the chain (RFC 7240). */
                Prefer?: string;
            };
            path: {
                collection_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "accounts": [
                 *         "alice.near",
                 *         "bob.near"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["AccountsInput"];
            };
        };
        responses: {
            /** @description The transaction. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionAnswer"];
                };
            };
            /** @description Accepted: the chain took longer than the request waits, or `Prefer: respond-async` was sent. Location leads to the operation. */
            202: {
                headers: {
                    /** @description Address of the operation. */
                    Location?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedOperation"];
                };
            };
        };
    };
    listDrops: {
        parameters: {
            query?: {
                /** @description Where to continue: from the previous page's Link header. */
                cursor?: string;
                /** @description Entries of one page; without it the answer is the whole list. */
                limit?: number;
            };
            header?: never;
            path: {
                collection_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The drops, oldest first. */
            200: {
                headers: {
                    /** @description With `limit`: `<…>; rel="next"` if there is more (RFC 8288). */
                    Link?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DropSummary"][];
                };
            };
        };
    };
    createDrop: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
                /** @description yoctoNEAR that the write may cost, top-ups included. A write that could cost more is not sent (402). */
                "Mintage-Max-Cost"?: string;
                /** @description `quote_uuid` of a quote for this very write, which then costs at most its `cost.at_most`. */
                "Mintage-Quote"?: string;
                /** @description `respond-async` returns 202 at once instead of waiting for the chain (RFC 7240). */
                Prefer?: string;
            };
            path: {
                collection_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "issuer_public_key": "ed25519:DcA2MzgpJbrUATQLLceocVckhhAqrkingax4oJ9kZ847",
                 *       "links": 100,
                 *       "expires_at": "2030-01-01T00:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["DropInput"];
            };
        };
        responses: {
            /** @description The drop. */
            201: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DropAnswer"];
                };
            };
            /** @description Accepted: the chain took longer than the request waits, or `Prefer: respond-async` was sent. Location leads to the operation. */
            202: {
                headers: {
                    /** @description Address of the operation. */
                    Location?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedOperation"];
                };
            };
        };
    };
    getDrop: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection_uuid: string;
                drop_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The drop. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Drop"];
                };
            };
        };
    };
    updateDrop: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
                /** @description yoctoNEAR that the write may cost, top-ups included. A write that could cost more is not sent (402). */
                "Mintage-Max-Cost"?: string;
                /** @description `quote_uuid` of a quote for this very write, which then costs at most its `cost.at_most`. */
                "Mintage-Quote"?: string;
                /** @description `respond-async` returns 202 at once instead of waiting for the chain (RFC 7240). */
                Prefer?: string;
            };
            path: {
                collection_uuid: string;
                drop_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "links": 200
                 *     }
                 */
                "application/json": components["schemas"]["DropChanges"];
            };
        };
        responses: {
            /** @description The drop as it is now. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DropAnswer"];
                };
            };
            /** @description Accepted: the chain took longer than the request waits, or `Prefer: respond-async` was sent. Location leads to the operation. */
            202: {
                headers: {
                    /** @description Address of the operation. */
                    Location?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedOperation"];
                };
            };
        };
    };
    closeDrop: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
                /** @description yoctoNEAR that the write may cost, top-ups included. A write that could cost more is not sent (402). */
                "Mintage-Max-Cost"?: string;
                /** @description `quote_uuid` of a quote for this very write, which then costs at most its `cost.at_most`. */
                "Mintage-Quote"?: string;
                /** @description `respond-async` returns 202 at once instead of waiting for the chain (RFC 7240). */
                Prefer?: string;
            };
            path: {
                collection_uuid: string;
                drop_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reference": "order-1042"
                 *     }
                 */
                "application/json": components["schemas"]["ReferenceInput"];
            };
        };
        responses: {
            /** @description What came back. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DropClosed"];
                };
            };
            /** @description Accepted: the chain took longer than the request waits, or `Prefer: respond-async` was sent. Location leads to the operation. */
            202: {
                headers: {
                    /** @description Address of the operation. */
                    Location?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedOperation"];
                };
            };
        };
    };
    getEligibility: {
        parameters: {
            query?: {
                /** @description A NEAR account id, named or implicit. */
                currency?: components["schemas"]["ChainAccountId"];
            };
            header?: never;
            path: {
                /** @description A NEAR account id, named or implicit. */
                account_id: components["schemas"]["ChainAccountId"];
                collection_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the contract says. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Eligibility"];
                };
            };
        };
    };
    listHolders: {
        parameters: {
            query?: {
                /** @description A final block that a node still has; default: the last one. */
                block_height?: number;
                /** @description Where to continue: from the previous page's Link header. */
                cursor?: string;
                /** @description Entries of one page; without it the answer is the whole list. */
                limit?: number;
            };
            header?: never;
            path: {
                collection_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The holders. */
            200: {
                headers: {
                    /** @description With `limit`: `<…>; rel="next"` if there is more (RFC 8288). */
                    Link?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description Its hash, base58. */
                    "X-Block-Hash"?: string;
                    /** @description Height of the block that was read. */
                    "X-Block-Height"?: number;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Holder"][];
                    "text/csv": string;
                };
            };
        };
    };
    lockCollection: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
                /** @description yoctoNEAR that the write may cost, top-ups included. A write that could cost more is not sent (402). */
                "Mintage-Max-Cost"?: string;
                /** @description `quote_uuid` of a quote for this very write, which then costs at most its `cost.at_most`. */
                "Mintage-Quote"?: string;
                /** @description `respond-async` returns 202 at once instead of waiting for the chain (RFC 7240). */
                Prefer?: string;
            };
            path: {
                collection_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "locks": [
                 *         "royalties"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["LockInput"];
            };
        };
        responses: {
            /** @description What this write has locked. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LockAnswer"];
                };
            };
            /** @description Accepted: the chain took longer than the request waits, or `Prefer: respond-async` was sent. Location leads to the operation. */
            202: {
                headers: {
                    /** @description Address of the operation. */
                    Location?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedOperation"];
                };
            };
        };
    };
    mint: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
                /** @description yoctoNEAR that the write may cost, top-ups included. A write that could cost more is not sent (402). */
                "Mintage-Max-Cost"?: string;
                /** @description `quote_uuid` of a quote for this very write, which then costs at most its `cost.at_most`. */
                "Mintage-Quote"?: string;
                /** @description `respond-async` returns 202 at once instead of waiting for the chain (RFC 7240). */
                Prefer?: string;
            };
            path: {
                collection_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "receiver_addresses": [
                 *         "alice.example"
                 *       ],
                 *       "quantity_per_receiver": 2,
                 *       "metadata": {
                 *         "subtitle": "No. $TOKEN_NUM of $TOTAL_NUM",
                 *         "extra": "{\"edition\":\"first\"}"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["MintInput"];
            };
        };
        responses: {
            /** @description The tokens as they are on-chain. */
            201: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MintAnswer"];
                };
            };
            /** @description Accepted: the chain took longer than the request waits, or `Prefer: respond-async` was sent. Location leads to the operation. */
            202: {
                headers: {
                    /** @description Address of the operation. */
                    Location?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedOperation"];
                };
            };
        };
    };
    burnNfts: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
                /** @description yoctoNEAR that the write may cost, top-ups included. A write that could cost more is not sent (402). */
                "Mintage-Max-Cost"?: string;
                /** @description `quote_uuid` of a quote for this very write, which then costs at most its `cost.at_most`. */
                "Mintage-Quote"?: string;
                /** @description `respond-async` returns 202 at once instead of waiting for the chain (RFC 7240). */
                Prefer?: string;
            };
            path: {
                collection_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token_ids": [
                 *         "1:1",
                 *         "1:2"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NftBurnInput"];
            };
        };
        responses: {
            /** @description The NFTs that are gone. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BurnAnswer"];
                };
            };
            /** @description Accepted: the chain took longer than the request waits, or `Prefer: respond-async` was sent. Location leads to the operation. */
            202: {
                headers: {
                    /** @description Address of the operation. */
                    Location?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedOperation"];
                };
            };
        };
    };
    lockNft: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
                /** @description yoctoNEAR that the write may cost, top-ups included. A write that could cost more is not sent (402). */
                "Mintage-Max-Cost"?: string;
                /** @description `quote_uuid` of a quote for this very write, which then costs at most its `cost.at_most`. */
                "Mintage-Quote"?: string;
                /** @description `respond-async` returns 202 at once instead of waiting for the chain (RFC 7240). */
                Prefer?: string;
            };
            path: {
                collection_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token_id": "1:1"
                 *     }
                 */
                "application/json": components["schemas"]["NftLockInput"];
            };
        };
        responses: {
            /** @description The token as it is now. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NftUpdateAnswer"];
                };
            };
            /** @description Accepted: the chain took longer than the request waits, or `Prefer: respond-async` was sent. Location leads to the operation. */
            202: {
                headers: {
                    /** @description Address of the operation. */
                    Location?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedOperation"];
                };
            };
        };
    };
    transferNfts: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
                /** @description yoctoNEAR that the write may cost, top-ups included. A write that could cost more is not sent (402). */
                "Mintage-Max-Cost"?: string;
                /** @description `quote_uuid` of a quote for this very write, which then costs at most its `cost.at_most`. */
                "Mintage-Quote"?: string;
                /** @description `respond-async` returns 202 at once instead of waiting for the chain (RFC 7240). */
                Prefer?: string;
            };
            path: {
                collection_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token_ids": [
                 *         "1:1",
                 *         "1:2"
                 *       ],
                 *       "receiver_address": "alice.example"
                 *     }
                 */
                "application/json": components["schemas"]["NftTransferInput"];
            };
        };
        responses: {
            /** @description The tokens as they are now. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransferAnswer"];
                };
            };
            /** @description Accepted: the chain took longer than the request waits, or `Prefer: respond-async` was sent. Location leads to the operation. */
            202: {
                headers: {
                    /** @description Address of the operation. */
                    Location?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedOperation"];
                };
            };
        };
    };
    updateNft: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
                /** @description yoctoNEAR that the write may cost, top-ups included. A write that could cost more is not sent (402). */
                "Mintage-Max-Cost"?: string;
                /** @description `quote_uuid` of a quote for this very write, which then costs at most its `cost.at_most`. */
                "Mintage-Quote"?: string;
                /** @description `respond-async` returns 202 at once instead of waiting for the chain (RFC 7240). */
                Prefer?: string;
            };
            path: {
                collection_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token_id": "1:1",
                 *       "title": "Heron at the weir",
                 *       "subtitle": null
                 *     }
                 */
                "application/json": components["schemas"]["NftUpdateInput"];
            };
        };
        responses: {
            /** @description The token as it is now. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NftUpdateAnswer"];
                };
            };
            /** @description Accepted: the chain took longer than the request waits, or `Prefer: respond-async` was sent. Location leads to the operation. */
            202: {
                headers: {
                    /** @description Address of the operation. */
                    Location?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedOperation"];
                };
            };
        };
    };
    updateNfts: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
                /** @description yoctoNEAR that the write may cost, top-ups included. A write that could cost more is not sent (402). */
                "Mintage-Max-Cost"?: string;
                /** @description `quote_uuid` of a quote for this very write, which then costs at most its `cost.at_most`. */
                "Mintage-Quote"?: string;
                /** @description `respond-async` returns 202 at once instead of waiting for the chain (RFC 7240). */
                Prefer?: string;
            };
            path: {
                collection_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "updates": [
                 *         {
                 *           "token_id": "1:1",
                 *           "metadata": {
                 *             "title": "Heron at the weir"
                 *           }
                 *         },
                 *         {
                 *           "token_id": "1:2",
                 *           "metadata": {
                 *             "title": null
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NftUpdateBulkInput"];
            };
        };
        responses: {
            /** @description A result for each NFT. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NftUpdateBulkAnswer"];
                };
            };
            /** @description Accepted: the chain took longer than the request waits, or `Prefer: respond-async` was sent. Location leads to the operation. */
            202: {
                headers: {
                    /** @description Address of the operation. */
                    Location?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedOperation"];
                };
            };
        };
    };
    getCollectionPage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionPage"];
                };
            };
        };
    };
    updateCollectionPage: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path: {
                collection_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "slug": "night-herons",
                 *       "theme": {
                 *         "accent": "#1f6f54"
                 *       },
                 *       "links": [
                 *         {
                 *           "label": "The artist",
                 *           "url": "https://example.com"
                 *         }
                 *       ],
                 *       "creator": {
                 *         "name": "Ada Heron",
                 *         "url": "https://example.com"
                 *       },
                 *       "about": "Twelve herons, painted **after dark**.",
                 *       "enabled": true
                 *     }
                 */
                "application/json": components["schemas"]["CollectionPageInput"];
            };
        };
        responses: {
            /** @description The page as it is now. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionPage"];
                };
            };
        };
    };
    revealCollection: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
                /** @description yoctoNEAR that the write may cost, top-ups included. A write that could cost more is not sent (402). */
                "Mintage-Max-Cost"?: string;
                /** @description `quote_uuid` of a quote for this very write, which then costs at most its `cost.at_most`. */
                "Mintage-Quote"?: string;
                /** @description `respond-async` returns 202 at once instead of waiting for the chain (RFC 7240). */
                Prefer?: string;
            };
            path: {
                collection_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "assets": 10
                 *     }
                 */
                "application/json": components["schemas"]["RevealInput"];
            };
        };
        responses: {
            /** @description What is shown now. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevealAnswer"];
                };
            };
            /** @description Accepted: the chain took longer than the request waits, or `Prefer: respond-async` was sent. Location leads to the operation. */
            202: {
                headers: {
                    /** @description Address of the operation. */
                    Location?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedOperation"];
                };
            };
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /** @description Where to continue: from the previous page's Link header. */
                cursor?: string;
                /** @description Entries of one page; without it the answer is the whole list. */
                limit?: number;
                /** @description A NEAR account id, named or implicit. */
                owner?: components["schemas"]["ChainAccountId"];
            };
            header?: never;
            path: {
                collection_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tokens. */
            200: {
                headers: {
                    /** @description With `limit`: `<…>; rel="next"` if there is more (RFC 8288). */
                    Link?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"][];
                    "text/csv": string;
                };
            };
        };
    };
    getCurrency: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A NEAR account id, named or implicit. */
                contract_id: components["schemas"]["ChainAccountId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Currency"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description Lists events with a higher seq; default: 0. */
                after?: number;
                /** @description Entries of one page; without it the answer is the whole list. */
                limit?: number;
                /** @description Only events of this type. */
                type?: "operation.succeeded" | "operation.failed" | "operation.unknown" | "collection.finalized" | "collection.updated" | "collection.locked" | "collection.revealed" | "collection.sold_out" | "nft.minted" | "nft.updated" | "nft.transferred" | "nft.burned" | "claim.redeemed" | "wallet.low" | "wallet.topped_up" | "database.filling" | "webhook.disabled" | "key.created" | "key.rotated";
                /** @description Seconds to wait for an event if there is none yet. */
                wait?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    /** @description With `limit`: `<…>; rel="next"` if there is more (RFC 8288). */
                    Link?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"][];
                    "text/event-stream": string;
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: {
                /** @description Where to continue: from the previous page's Link header. */
                cursor?: string;
                /** @description Entries of one page; without it the answer is the whole list. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. */
            200: {
                headers: {
                    /** @description With `limit`: `<…>; rel="next"` if there is more (RFC 8288). */
                    Link?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"][];
                };
            };
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Checkout",
                 *       "scopes": [
                 *         "mint",
                 *         "read"
                 *       ],
                 *       "spending_per_day": "2000000000000000000000000"
                 *     }
                 */
                "application/json": components["schemas"]["KeyCreateInput"];
            };
        };
        responses: {
            /** @description The key. */
            201: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedKey"];
                };
            };
        };
    };
    deleteKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path: {
                key_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key was deleted. */
            204: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path: {
                key_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key with its new text. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedKey"];
                };
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The integration. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
        };
    };
    listOperations: {
        parameters: {
            query?: {
                /** @description Only operations accepted after this time. */
                created_after?: string;
                /** @description Where to continue: from the previous page's Link header. */
                cursor?: string;
                kind?: "wallet_create" | "contract_deploy" | "contract_top_up" | "contract_publish" | "contract_upgrade" | "contract_hand_over" | "contract_accept" | "finalize" | "collection_update" | "mint" | "nft_update" | "nft_update_bulk" | "nft_transfer" | "nft_burn" | "nft_lock" | "collection_reveal" | "collection_lock" | "allowlist_add" | "allowlist_remove" | "allowlist_clear" | "wallet_payout" | "currency_payout" | "drop_create" | "drop_update" | "drop_close" | "claim";
                /** @description Entries of one page; without it the answer is the whole list. */
                limit?: number;
                /** @description Only operations whose write had exactly this `reference`. */
                reference?: string;
                state?: "pending" | "succeeded" | "failed" | "unknown";
                /** @description Only operations on this draft, collection or contract. */
                subject_uuid?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operations. */
            200: {
                headers: {
                    /** @description With `limit`: `<…>; rel="next"` if there is more (RFC 8288). */
                    Link?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationSummary"][];
                };
            };
        };
    };
    getOperation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                operation_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
        };
    };
    quote: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "method": "POST",
                 *       "path": "/collection/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11/mint",
                 *       "body": {
                 *         "receiver_addresses": [
                 *           "alice.example"
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["QuoteInput"];
            };
        };
        responses: {
            /** @description The quote. */
            201: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quote"];
                };
            };
        };
    };
    listTransactions: {
        parameters: {
            query?: {
                /** @description Where to continue: from the previous page's Link header. */
                cursor?: string;
                /** @description Entries of one page; without it the answer is the whole list. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The transactions. */
            200: {
                headers: {
                    /** @description With `limit`: `<…>; rel="next"` if there is more (RFC 8288). */
                    Link?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChainTransactionResult"][];
                };
            };
        };
    };
    payOut: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
                /** @description yoctoNEAR that the write may cost, top-ups included. A write that could cost more is not sent (402). */
                "Mintage-Max-Cost"?: string;
                /** @description `quote_uuid` of a quote for this very write, which then costs at most its `cost.at_most`. */
                "Mintage-Quote"?: string;
                /** @description `respond-async` returns 202 at once instead of waiting for the chain (RFC 7240). */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": "sales"
                 *     }
                 */
                "application/json": components["schemas"]["PayoutInput"];
            };
        };
        responses: {
            /** @description What was paid, and to whom. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PayoutAnswer"];
                };
            };
            /** @description Accepted: the chain took longer than the request waits, or `Prefer: respond-async` was sent. Location leads to the operation. */
            202: {
                headers: {
                    /** @description Address of the operation. */
                    Location?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedOperation"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description Where to continue: from the previous page's Link header. */
                cursor?: string;
                /** @description Entries of one page; without it the answer is the whole list. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhooks. */
            200: {
                headers: {
                    /** @description With `limit`: `<…>; rel="next"` if there is more (RFC 8288). */
                    Link?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"][];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://shop.example.com/mintage",
                 *       "types": [
                 *         "nft.minted"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["WebhookInput"];
            };
        };
        responses: {
            /** @description The webhook with its secret. */
            201: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path: {
                webhook_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": "Order fulfilment"
                 *     }
                 */
                "application/json": components["schemas"]["WebhookChanges"];
            };
        };
        responses: {
            /** @description The webhook. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path: {
                webhook_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook was deleted. */
            204: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description Where to continue: from the previous page's Link header. */
                cursor?: string;
                /** @description Entries of one page; without it the answer is the whole list. */
                limit?: number;
            };
            header?: never;
            path: {
                webhook_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The attempts. */
            200: {
                headers: {
                    /** @description With `limit`: `<…>; rel="next"` if there is more (RFC 8288). */
                    Link?: string;
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"][];
                };
            };
        };
    };
    replayWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path: {
                webhook_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "after": 41,
                 *       "before": 43
                 *     }
                 */
                "application/json": components["schemas"]["WebhookReplay"];
            };
        };
        responses: {
            /** @description They are sent as soon as possible. */
            204: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path: {
                webhook_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook with its new secret. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 characters of your choice. The same request with the same key is carried out once. Repetitions get its outcome, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path: {
                webhook_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The attempt. */
            200: {
                headers: {
                    /** @description Requests that this key has left, and the seconds until it has more. */
                    RateLimit?: string;
                    /** @description Requests that a key may send, and the seconds in which they are counted. */
                    "RateLimit-Policy"?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It does. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    publicClaim: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "slug": "night-herons",
                 *       "drop_id": 3,
                 *       "link": 41,
                 *       "link_public_key": "ed25519:DcA2MzgpJbrUATQLLceocVckhhAqrkingax4oJ9kZ847",
                 *       "certificate": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==",
                 *       "receiver_id": "alice.near",
                 *       "signature": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=="
                 *     }
                 */
                "application/json": components["schemas"]["PublicClaimInput"];
            };
        };
        responses: {
            /** @description What became of it. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicClaim"];
                };
            };
        };
    };
    publicCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The collection. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicCollection"];
                };
            };
        };
    };
    publicClaimable: {
        parameters: {
            query: {
                certificate: string;
                drop_id: number;
                link: number;
                link_public_key: string;
            };
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the contract says of it. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicClaimable"];
                };
            };
        };
    };
    publicClaimed: {
        parameters: {
            query: {
                drop_id: number;
                link: number;
                link_public_key: string;
            };
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The claim. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicClaim"];
                };
            };
        };
    };
    publicEligibility: {
        parameters: {
            query?: {
                /** @description A NEAR account id, named or implicit. */
                currency?: components["schemas"]["ChainAccountId"];
                /** @description Default 1. */
                quantity?: number;
            };
            header?: never;
            path: {
                /** @description A NEAR account id, named or implicit. */
                account_id: components["schemas"]["ChainAccountId"];
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the contract says. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicEligibility"];
                };
            };
        };
    };
    publicMint: {
        parameters: {
            query: {
                /** @description A NEAR account id, named or implicit. */
                account_id: components["schemas"]["ChainAccountId"];
            };
            header?: never;
            path: {
                hash: string;
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where it stands; a success is final. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicMint"];
                };
            };
        };
    };
    publicTokens: {
        parameters: {
            query?: {
                cursor?: string;
                /** @description Default 48. */
                limit?: number;
                /** @description A NEAR account id, named or implicit. */
                owner?: string;
                /** @description Default `number`. `rarity`: the rarest first; of more than 1,000 NFTs once the service has read all of them. */
                sort?: "number" | "latest" | "rarity";
                /** @description `type=value`, each percent-encoded. An NFT matches if it has, for each type that is named, one of the values. */
                trait?: string[];
            };
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The NFTs. */
            200: {
                headers: {
                    /** @description With `limit`: `<…>; rel="next"` if there is more (RFC 8288). */
                    Link?: string;
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicToken"][];
                };
            };
        };
    };
    publicToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                number: number;
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The NFT. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicTokenDetail"];
                };
            };
        };
    };
    publicTraits: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The traits. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicTrait"][];
                };
            };
        };
    };
    publicVoucher: {
        parameters: {
            query: {
                /** @description A NEAR account id, named or implicit. */
                currency?: components["schemas"]["ChainAccountId"];
                drop_id: number;
                expires_at_ms: number;
                nonce: number;
                price: string;
                quantity: number;
                /** @description A NEAR account id, named or implicit. */
                receiver_id: components["schemas"]["ChainAccountId"];
                signature: string;
            };
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the contract says of it. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicVoucher"];
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It can. */
            200: {
                headers: {
                    /** @description The request's id, as in the logs. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    onClaimRedeemed: {
        parameters: {
            query?: never;
            header: {
                /** @description `event_uuid`, the same in every attempt. */
                "webhook-id": string;
                /** @description `v1,` and base64 of an HMAC-SHA256, by each valid secret; Standard Webhooks says of what. */
                "webhook-signature": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "seq": 42,
                 *       "event_uuid": "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c13",
                 *       "timestamp": "2026-12-24T18:00:02.000Z",
                 *       "data": {
                 *         "see": "https://mint.example.com/api/v1/operation/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12"
                 *       },
                 *       "type": "claim.redeemed"
                 *     }
                 */
                "application/json": components["schemas"]["Event"];
            };
        };
        responses: {
            /** @description Received. Any other answer but 410 is a failure, and the event is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Disables the webhook. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCollectionFinalized: {
        parameters: {
            query?: never;
            header: {
                /** @description `event_uuid`, the same in every attempt. */
                "webhook-id": string;
                /** @description `v1,` and base64 of an HMAC-SHA256, by each valid secret; Standard Webhooks says of what. */
                "webhook-signature": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "seq": 42,
                 *       "event_uuid": "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c13",
                 *       "timestamp": "2026-12-24T18:00:02.000Z",
                 *       "data": {
                 *         "see": "https://mint.example.com/api/v1/operation/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12"
                 *       },
                 *       "type": "collection.finalized"
                 *     }
                 */
                "application/json": components["schemas"]["Event"];
            };
        };
        responses: {
            /** @description Received. Any other answer but 410 is a failure, and the event is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Disables the webhook. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCollectionLocked: {
        parameters: {
            query?: never;
            header: {
                /** @description `event_uuid`, the same in every attempt. */
                "webhook-id": string;
                /** @description `v1,` and base64 of an HMAC-SHA256, by each valid secret; Standard Webhooks says of what. */
                "webhook-signature": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "seq": 42,
                 *       "event_uuid": "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c13",
                 *       "timestamp": "2026-12-24T18:00:02.000Z",
                 *       "data": {
                 *         "see": "https://mint.example.com/api/v1/operation/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12"
                 *       },
                 *       "type": "collection.locked"
                 *     }
                 */
                "application/json": components["schemas"]["Event"];
            };
        };
        responses: {
            /** @description Received. Any other answer but 410 is a failure, and the event is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Disables the webhook. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCollectionRevealed: {
        parameters: {
            query?: never;
            header: {
                /** @description `event_uuid`, the same in every attempt. */
                "webhook-id": string;
                /** @description `v1,` and base64 of an HMAC-SHA256, by each valid secret; Standard Webhooks says of what. */
                "webhook-signature": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "seq": 42,
                 *       "event_uuid": "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c13",
                 *       "timestamp": "2026-12-24T18:00:02.000Z",
                 *       "data": {
                 *         "see": "https://mint.example.com/api/v1/operation/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12"
                 *       },
                 *       "type": "collection.revealed"
                 *     }
                 */
                "application/json": components["schemas"]["Event"];
            };
        };
        responses: {
            /** @description Received. Any other answer but 410 is a failure, and the event is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Disables the webhook. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCollectionSoldOut: {
        parameters: {
            query?: never;
            header: {
                /** @description `event_uuid`, the same in every attempt. */
                "webhook-id": string;
                /** @description `v1,` and base64 of an HMAC-SHA256, by each valid secret; Standard Webhooks says of what. */
                "webhook-signature": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "seq": 42,
                 *       "event_uuid": "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c13",
                 *       "timestamp": "2026-12-24T18:00:02.000Z",
                 *       "data": {
                 *         "see": "https://mint.example.com/api/v1/operation/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12"
                 *       },
                 *       "type": "collection.sold_out"
                 *     }
                 */
                "application/json": components["schemas"]["Event"];
            };
        };
        responses: {
            /** @description Received. Any other answer but 410 is a failure, and the event is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Disables the webhook. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCollectionUpdated: {
        parameters: {
            query?: never;
            header: {
                /** @description `event_uuid`, the same in every attempt. */
                "webhook-id": string;
                /** @description `v1,` and base64 of an HMAC-SHA256, by each valid secret; Standard Webhooks says of what. */
                "webhook-signature": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "seq": 42,
                 *       "event_uuid": "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c13",
                 *       "timestamp": "2026-12-24T18:00:02.000Z",
                 *       "data": {
                 *         "see": "https://mint.example.com/api/v1/operation/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12"
                 *       },
                 *       "type": "collection.updated"
                 *     }
                 */
                "application/json": components["schemas"]["Event"];
            };
        };
        responses: {
            /** @description Received. Any other answer but 410 is a failure, and the event is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Disables the webhook. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onDatabaseFilling: {
        parameters: {
            query?: never;
            header: {
                /** @description `event_uuid`, the same in every attempt. */
                "webhook-id": string;
                /** @description `v1,` and base64 of an HMAC-SHA256, by each valid secret; Standard Webhooks says of what. */
                "webhook-signature": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "seq": 42,
                 *       "event_uuid": "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c13",
                 *       "timestamp": "2026-12-24T18:00:02.000Z",
                 *       "data": {
                 *         "see": "https://mint.example.com/api/v1/operation/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12"
                 *       },
                 *       "type": "database.filling"
                 *     }
                 */
                "application/json": components["schemas"]["Event"];
            };
        };
        responses: {
            /** @description Received. Any other answer but 410 is a failure, and the event is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Disables the webhook. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onKeyCreated: {
        parameters: {
            query?: never;
            header: {
                /** @description `event_uuid`, the same in every attempt. */
                "webhook-id": string;
                /** @description `v1,` and base64 of an HMAC-SHA256, by each valid secret; Standard Webhooks says of what. */
                "webhook-signature": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "seq": 42,
                 *       "event_uuid": "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c13",
                 *       "timestamp": "2026-12-24T18:00:02.000Z",
                 *       "data": {
                 *         "see": "https://mint.example.com/api/v1/operation/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12"
                 *       },
                 *       "type": "key.created"
                 *     }
                 */
                "application/json": components["schemas"]["Event"];
            };
        };
        responses: {
            /** @description Received. Any other answer but 410 is a failure, and the event is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Disables the webhook. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onKeyRotated: {
        parameters: {
            query?: never;
            header: {
                /** @description `event_uuid`, the same in every attempt. */
                "webhook-id": string;
                /** @description `v1,` and base64 of an HMAC-SHA256, by each valid secret; Standard Webhooks says of what. */
                "webhook-signature": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "seq": 42,
                 *       "event_uuid": "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c13",
                 *       "timestamp": "2026-12-24T18:00:02.000Z",
                 *       "data": {
                 *         "see": "https://mint.example.com/api/v1/operation/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12"
                 *       },
                 *       "type": "key.rotated"
                 *     }
                 */
                "application/json": components["schemas"]["Event"];
            };
        };
        responses: {
            /** @description Received. Any other answer but 410 is a failure, and the event is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Disables the webhook. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onNftBurned: {
        parameters: {
            query?: never;
            header: {
                /** @description `event_uuid`, the same in every attempt. */
                "webhook-id": string;
                /** @description `v1,` and base64 of an HMAC-SHA256, by each valid secret; Standard Webhooks says of what. */
                "webhook-signature": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "seq": 42,
                 *       "event_uuid": "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c13",
                 *       "timestamp": "2026-12-24T18:00:02.000Z",
                 *       "data": {
                 *         "see": "https://mint.example.com/api/v1/operation/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12"
                 *       },
                 *       "type": "nft.burned"
                 *     }
                 */
                "application/json": components["schemas"]["Event"];
            };
        };
        responses: {
            /** @description Received. Any other answer but 410 is a failure, and the event is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Disables the webhook. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onNftMinted: {
        parameters: {
            query?: never;
            header: {
                /** @description `event_uuid`, the same in every attempt. */
                "webhook-id": string;
                /** @description `v1,` and base64 of an HMAC-SHA256, by each valid secret; Standard Webhooks says of what. */
                "webhook-signature": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "seq": 42,
                 *       "event_uuid": "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c13",
                 *       "timestamp": "2026-12-24T18:00:02.000Z",
                 *       "data": {
                 *         "see": "https://mint.example.com/api/v1/operation/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12"
                 *       },
                 *       "type": "nft.minted"
                 *     }
                 */
                "application/json": components["schemas"]["Event"];
            };
        };
        responses: {
            /** @description Received. Any other answer but 410 is a failure, and the event is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Disables the webhook. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onNftTransferred: {
        parameters: {
            query?: never;
            header: {
                /** @description `event_uuid`, the same in every attempt. */
                "webhook-id": string;
                /** @description `v1,` and base64 of an HMAC-SHA256, by each valid secret; Standard Webhooks says of what. */
                "webhook-signature": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "seq": 42,
                 *       "event_uuid": "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c13",
                 *       "timestamp": "2026-12-24T18:00:02.000Z",
                 *       "data": {
                 *         "see": "https://mint.example.com/api/v1/operation/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12"
                 *       },
                 *       "type": "nft.transferred"
                 *     }
                 */
                "application/json": components["schemas"]["Event"];
            };
        };
        responses: {
            /** @description Received. Any other answer but 410 is a failure, and the event is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Disables the webhook. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onNftUpdated: {
        parameters: {
            query?: never;
            header: {
                /** @description `event_uuid`, the same in every attempt. */
                "webhook-id": string;
                /** @description `v1,` and base64 of an HMAC-SHA256, by each valid secret; Standard Webhooks says of what. */
                "webhook-signature": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "seq": 42,
                 *       "event_uuid": "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c13",
                 *       "timestamp": "2026-12-24T18:00:02.000Z",
                 *       "data": {
                 *         "see": "https://mint.example.com/api/v1/operation/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12"
                 *       },
                 *       "type": "nft.updated"
                 *     }
                 */
                "application/json": components["schemas"]["Event"];
            };
        };
        responses: {
            /** @description Received. Any other answer but 410 is a failure, and the event is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Disables the webhook. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onOperationFailed: {
        parameters: {
            query?: never;
            header: {
                /** @description `event_uuid`, the same in every attempt. */
                "webhook-id": string;
                /** @description `v1,` and base64 of an HMAC-SHA256, by each valid secret; Standard Webhooks says of what. */
                "webhook-signature": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "seq": 42,
                 *       "event_uuid": "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c13",
                 *       "timestamp": "2026-12-24T18:00:02.000Z",
                 *       "data": {
                 *         "see": "https://mint.example.com/api/v1/operation/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12"
                 *       },
                 *       "type": "operation.failed"
                 *     }
                 */
                "application/json": components["schemas"]["Event"];
            };
        };
        responses: {
            /** @description Received. Any other answer but 410 is a failure, and the event is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Disables the webhook. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onOperationSucceeded: {
        parameters: {
            query?: never;
            header: {
                /** @description `event_uuid`, the same in every attempt. */
                "webhook-id": string;
                /** @description `v1,` and base64 of an HMAC-SHA256, by each valid secret; Standard Webhooks says of what. */
                "webhook-signature": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "seq": 42,
                 *       "event_uuid": "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c13",
                 *       "timestamp": "2026-12-24T18:00:02.000Z",
                 *       "data": {
                 *         "see": "https://mint.example.com/api/v1/operation/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12"
                 *       },
                 *       "type": "operation.succeeded"
                 *     }
                 */
                "application/json": components["schemas"]["Event"];
            };
        };
        responses: {
            /** @description Received. Any other answer but 410 is a failure, and the event is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Disables the webhook. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onOperationUnknown: {
        parameters: {
            query?: never;
            header: {
                /** @description `event_uuid`, the same in every attempt. */
                "webhook-id": string;
                /** @description `v1,` and base64 of an HMAC-SHA256, by each valid secret; Standard Webhooks says of what. */
                "webhook-signature": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "seq": 42,
                 *       "event_uuid": "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c13",
                 *       "timestamp": "2026-12-24T18:00:02.000Z",
                 *       "data": {
                 *         "see": "https://mint.example.com/api/v1/operation/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12"
                 *       },
                 *       "type": "operation.unknown"
                 *     }
                 */
                "application/json": components["schemas"]["Event"];
            };
        };
        responses: {
            /** @description Received. Any other answer but 410 is a failure, and the event is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Disables the webhook. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWalletLow: {
        parameters: {
            query?: never;
            header: {
                /** @description `event_uuid`, the same in every attempt. */
                "webhook-id": string;
                /** @description `v1,` and base64 of an HMAC-SHA256, by each valid secret; Standard Webhooks says of what. */
                "webhook-signature": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "seq": 42,
                 *       "event_uuid": "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c13",
                 *       "timestamp": "2026-12-24T18:00:02.000Z",
                 *       "data": {
                 *         "see": "https://mint.example.com/api/v1/operation/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12"
                 *       },
                 *       "type": "wallet.low"
                 *     }
                 */
                "application/json": components["schemas"]["Event"];
            };
        };
        responses: {
            /** @description Received. Any other answer but 410 is a failure, and the event is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Disables the webhook. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWalletToppedUp: {
        parameters: {
            query?: never;
            header: {
                /** @description `event_uuid`, the same in every attempt. */
                "webhook-id": string;
                /** @description `v1,` and base64 of an HMAC-SHA256, by each valid secret; Standard Webhooks says of what. */
                "webhook-signature": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "seq": 42,
                 *       "event_uuid": "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c13",
                 *       "timestamp": "2026-12-24T18:00:02.000Z",
                 *       "data": {
                 *         "see": "https://mint.example.com/api/v1/operation/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12"
                 *       },
                 *       "type": "wallet.topped_up"
                 *     }
                 */
                "application/json": components["schemas"]["Event"];
            };
        };
        responses: {
            /** @description Received. Any other answer but 410 is a failure, and the event is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Disables the webhook. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWebhookDisabled: {
        parameters: {
            query?: never;
            header: {
                /** @description `event_uuid`, the same in every attempt. */
                "webhook-id": string;
                /** @description `v1,` and base64 of an HMAC-SHA256, by each valid secret; Standard Webhooks says of what. */
                "webhook-signature": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "seq": 42,
                 *       "event_uuid": "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c13",
                 *       "timestamp": "2026-12-24T18:00:02.000Z",
                 *       "data": {
                 *         "see": "https://mint.example.com/api/v1/operation/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12"
                 *       },
                 *       "type": "webhook.disabled"
                 *     }
                 */
                "application/json": components["schemas"]["Event"];
            };
        };
        responses: {
            /** @description Received. Any other answer but 410 is a failure, and the event is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Disables the webhook. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWebhookTest: {
        parameters: {
            query?: never;
            header: {
                /** @description `event_uuid`, the same in every attempt. */
                "webhook-id": string;
                /** @description `v1,` and base64 of an HMAC-SHA256, by each valid secret; Standard Webhooks says of what. */
                "webhook-signature": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "seq": 0,
                 *       "event_uuid": "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c13",
                 *       "timestamp": "2026-12-24T18:00:02.000Z",
                 *       "data": {
                 *         "webhook_uuid": "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c14"
                 *       },
                 *       "type": "webhook.test"
                 *     }
                 */
                "application/json": components["schemas"]["TestEvent"];
            };
        };
        responses: {
            /** @description Received. Any other answer but 410 is a failure, and the event is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Disables the webhook. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
