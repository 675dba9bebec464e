import type { Issue } from "./issues.ts";

/** The NEP-141 token that a price is in. */
export interface Currency {
  /** The token's account. */
  readonly contract_id: string;
  /** As its NEP-148 metadata have them; null: not read. */
  readonly symbol: string | null;
  readonly decimals: number | null;
}

export interface MintConfig {
  /** A decimal string: yoctoNEAR, or the smallest units of the currency. */
  readonly mint_fee: string;
  /** RFC 3339 in UTC; null means open. */
  readonly starts_at: string | null;
  /** RFC 3339 in UTC; null means open. */
  readonly ends_at: string | null;
  /** Mints an account may make at this price; null means any number. */
  readonly limit_per_account: number | null;
  /** Null or absent: NEAR. */
  readonly currency?: Currency | null;
  /** Mints of all accounts together; null or absent: any number. */
  readonly supply?: number | null;
}

/** Most phases of a collection, and the numbers of those of private_mint_config and public_mint_config. */
export const MOST_PHASES = 8;
export const PRIVATE_PHASE = 1;
export const PUBLIC_PHASE = 2;

/** A phase of direct mints: its number on the contract, from 1, and whether it has an allowlist of its own. */
export interface Phase extends MintConfig {
  readonly phase: number;
  readonly kind: "allowlist" | "public";
  readonly currency: Currency | null;
  readonly supply: number | null;
}

/** What the contract counts of a phase. */
interface PhaseCount {
  readonly minted: number;
  /** Accounts on its list; null: it has none. */
  readonly allowlisted: number | null;
}

/** The counts of each phase, by its number. */
export type PhaseCounts = Readonly<Record<string, PhaseCount>>;

/** Account id to percent with at most two decimals, such as `{"alice.near": 12.5}`. */
export type Royalties = Readonly<Record<string, number>>;

/** The settings of a draft or a collection, complete: every field has its value or null. */
export interface CollectionSettings {
  readonly title: string;
  readonly description: string | null;
  readonly public_mint_config: MintConfig | null;
  readonly private_mint_config: MintConfig | null;
  /** The phases from 3 on, by their numbers; absent: there are none. */
  readonly further_phases?: readonly Phase[];
  readonly bypass_mint_fee_accounts: readonly string[];
  readonly initial_royalties: Royalties;
  readonly ongoing_royalties: Royalties;
  readonly allow_approvals: boolean;
  readonly approvals_allowed_accounts: readonly string[] | null;
  readonly approvals_denied_accounts: readonly string[] | null;
  readonly allow_transfers: boolean;
  readonly transfers_denied_accounts: readonly string[] | null;
}

/**
 * Settings of a draft. `reveal`: whether its collection hides its assets until they are revealed, by request alone or also
 * at a time (RFC 3339 in UTC).
 */
export interface DraftSettings extends CollectionSettings {
  readonly reveal?: boolean | string;
}

/** Changes of settings: an absent field stays, null has become the field's empty value; the same within a mint config. */
export type SettingsChanges = Omit<Partial<CollectionSettings>, MintConfigName | "further_phases"> & {
  readonly [Name in MintConfigName]?: Partial<MintConfig> | null;
} & Pick<DraftSettings, "reveal"> & {
    /** All phases: one that isn't named ends, unless its mint config is given. */
    readonly phases?: readonly Phase[];
  };

const MINT_CONFIGS = ["public_mint_config", "private_mint_config"] as const;
type MintConfigName = (typeof MINT_CONFIGS)[number];

const PHASE_OF = { private_mint_config: PRIVATE_PHASE, public_mint_config: PUBLIC_PHASE } as const;

const OPEN_TO_ALL = { starts_at: null, ends_at: null, limit_per_account: null };

/** Whether changes affect a mint config, so that the result depends on the present config. */
export const hasConfigChanges = (changes: SettingsChanges): boolean =>
  changes.phases !== undefined || MINT_CONFIGS.some((name) => changes[name] != null);

/** Phases that a change gives twice: in a mint config and in `phases`. */
export const phaseConflicts = (changes: SettingsChanges): Issue[] =>
  MINT_CONFIGS.filter(
    (name) => changes[name] !== undefined && changes.phases?.some(({ phase }) => phase === PHASE_OF[name]),
  ).map((name) => ({
    path: [name],
    message: `Give phase ${PHASE_OF[name]} in ${name} or in phases, not in both.`,
  }));

/** A mint config as the interface knows it; null where the price is in a currency. */
const inNear = (config: MintConfig | null): MintConfig | null => (config?.currency ? null : config);

const configOf = (phases: readonly Phase[], number: number): MintConfig | null => {
  const found = phases.find(({ phase }) => phase === number);
  if (!found) return null;
  const { phase: _, kind: __, currency, supply, ...config } = found;
  return { ...config, ...(currency && { currency }), ...(supply !== null && { supply }) };
};

/** Phases as settings have them. */
const placed = (phases: readonly Phase[]) => ({
  public_mint_config: configOf(phases, PUBLIC_PHASE),
  private_mint_config: configOf(phases, PRIVATE_PHASE),
  further_phases: phases.filter(({ phase }) => phase > PUBLIC_PHASE).sort((a, b) => a.phase - b.phase),
});

const phaseInOrder = (phase: number, kind: Phase["kind"], config: MintConfig): Phase => ({
  phase,
  kind,
  mint_fee: config.mint_fee,
  currency: config.currency ?? null,
  starts_at: config.starts_at,
  ends_at: config.ends_at,
  limit_per_account: config.limit_per_account,
  supply: config.supply ?? null,
});

/** All phases of settings, by their numbers, each with its fields in the order in which answers show them. */
export const phasesOf = (settings: CollectionSettings): Phase[] => {
  const { private_mint_config: listed, public_mint_config: open, further_phases: further = [] } = settings;
  return [
    ...(listed ? [phaseInOrder(PRIVATE_PHASE, "allowlist", listed)] : []),
    ...(open ? [phaseInOrder(PUBLIC_PHASE, "public", open)] : []),
    ...further.map((one) => phaseInOrder(one.phase, one.kind, one)),
  ];
};

/** Settings whose phases are replaced one by one. */
export const withPhases = <Settings extends CollectionSettings>(
  settings: Settings,
  replace: (phase: Phase) => Phase,
): Settings => ({ ...settings, ...placed(phasesOf(settings).map(replace)) });

/** The settings that changes name, each complete. @param settings for which the changes have no `configIssues` */
export const changedSettings = (
  settings: CollectionSettings,
  { phases, ...changes }: SettingsChanges,
): Partial<CollectionSettings> => {
  const configs = MINT_CONFIGS.flatMap((name) => {
    const change = changes[name];
    return change ? [[name, { ...OPEN_TO_ALL, ...inNear(settings[name]), ...change }] as const] : [];
  });
  return {
    ...(phases && placed(phases)),
    ...changes,
    ...Object.fromEntries(configs),
  } as Partial<CollectionSettings>;
};

/** Why mint configs can't become what changes make of them: no price, or an end before the start. */
export const configIssues = (settings: CollectionSettings, changes: SettingsChanges): Issue[] => {
  const changed = changedSettings(settings, changes);
  return MINT_CONFIGS.flatMap((name) => {
    const [change, config] = [changes[name], changed[name]];
    if (!change || !config) return [];
    if (config.mint_fee === undefined) {
      return [{ path: [name, "mint_fee"], message: `Give mint_fee: there is no ${name} yet.` }];
    }
    const { starts_at: start, ends_at: end } = config;
    if (!start || !end || start < end) return [];
    const field = change.ends_at === undefined ? "starts_at" : "ends_at";
    return [{ path: [name, field], message: `ends_at (${end}) must be after starts_at (${start}).` }];
  });
};

/** The settings with their fields in the order in which the interface names them. */
export const inOrder = (settings: CollectionSettings): CollectionSettings => ({
  title: settings.title,
  description: settings.description,
  public_mint_config: settings.public_mint_config,
  private_mint_config: settings.private_mint_config,
  further_phases: settings.further_phases ?? [],
  bypass_mint_fee_accounts: settings.bypass_mint_fee_accounts,
  initial_royalties: settings.initial_royalties,
  ongoing_royalties: settings.ongoing_royalties,
  allow_approvals: settings.allow_approvals,
  approvals_allowed_accounts: settings.approvals_allowed_accounts,
  approvals_denied_accounts: settings.approvals_denied_accounts,
  allow_transfers: settings.allow_transfers,
  transfers_denied_accounts: settings.transfers_denied_accounts,
});

const interfaceConfig = (config: MintConfig | null) => {
  const shown = inNear(config);
  if (shown === null) return null;
  const { mint_fee, starts_at, ends_at, limit_per_account } = shown;
  return { mint_fee, starts_at, ends_at, limit_per_account };
};

/** The settings as answers show them: the two mint configs only in NEAR, as their clients read them. */
export const asShown = (settings: CollectionSettings) => {
  const { further_phases: _, ...shown } = inOrder(settings);
  return {
    ...shown,
    public_mint_config: interfaceConfig(settings.public_mint_config),
    private_mint_config: interfaceConfig(settings.private_mint_config),
    phases: phasesOf(settings),
  };
};
