// The objects that conditions refer to, read once before the conditions are compiled or described.
import { readAccount } from '#areas/accounts/server/index.ts';
import { findEventNames } from '#areas/events/server/index.ts';
import { type FieldFacts, readFields } from '#areas/fields/server/index.ts';
import { readGroupTitles } from '#areas/groups/server/index.ts';
import { readProductTitles, storeTitles } from '#areas/stores/server/index.ts';
import { decodeId, encodeId, type Kind } from '#platform/ids.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { getKeyKind, getOperandKind, type KeyKind } from '../conditions.ts';
import type { Condition } from '../shared.ts';
import type { Gap } from './bits.ts';
import { campaignsNamed, smsCampaignsNamed, type WasSent, wasSent } from './events.ts';

export type CompileContext = {
  accountId: number;
  timezone: string;
  now: Date;
  fields: ReadonlyMap<number, FieldFacts>;
  groups: ReadonlySet<number>;
  /** Ids of custom events. */
  events: ReadonlySet<number>;
  stores: ReadonlySet<number>;
  products: ReadonlySet<number>;
  /** The messages of each campaign; an unsent campaign has none. */
  messages: ReadonlyMap<number, readonly number[]>;
  /** The messages of each SMS campaign; an unsent campaign has none. */
  smsMessages: ReadonlyMap<number, readonly number[]>;
  wasSent: WasSent | undefined;
  /** Titles of all of these objects, by public id. */
  titles: Record<string, string>;
  /**
   * Whether PostgreSQL expects far fewer rows of the account than there are. Conditions then search
   * other tables in subqueries (per subscriber or hashed), never in joins; see read-context.ts.
   */
  isUnderestimated?: boolean | undefined;
  /** Whether sets are read as bitmaps, for counts of all subscribers; see bits.ts. */
  usesBitmaps?: boolean | undefined;
  /** Unused ranges of the account's ids; see bits.ts. */
  gaps?: readonly Gap[] | undefined;
  /** Limits the selection to a slice: ids greater than `after`, up to `lastId`. */
  slice?: { after: number; lastId: number } | undefined;
};

/** Reads what these conditions refer to; `now` is the reference for 'four weeks ago'. */
export async function gatherContext(
  db: Reader,
  accountId: number,
  conditions: readonly Condition[],
  now: Date,
): Promise<CompileContext> {
  const { timezone } = await readAccount(db, accountId);
  const listKeys = (kind: KeyKind) =>
    conditions.filter(({ type }) => getKeyKind(type) === kind).map(({ key }) => key);
  const events = await findEventNames(db, accountId, decodeIds('custom_event', listKeys('event')));
  const fields = listKeys('field').length > 0 ? await readFields(db, accountId) : [];
  const requestedIds = (kind: IdKind) =>
    conditions
      .filter((condition) => getIdKind(condition) === kind)
      .flatMap((condition) => listIds(condition, kind));
  const groups = await readGroupTitles(db, accountId, requestedIds('group'));
  const stores = await storeTitles(db, accountId, requestedIds('store'));
  const products = await readProductTitles(db, accountId, requestedIds('product'));
  const campaigns = await readCampaigns(db, accountId, campaignsNamed, requestedIds('campaign'));
  const smsCampaigns = await readCampaigns(db, accountId, smsCampaignsNamed, requestedIds('sms'));
  const hasCampaigns = campaigns.length > 0 || smsCampaigns.length > 0;
  return {
    accountId,
    timezone,
    now,
    fields: new Map(fields.map((field) => [field.id, field])),
    groups: new Set(groups.keys()),
    events: new Set(events.keys()),
    stores: new Set(stores.keys()),
    products: new Set(products.keys()),
    messages: new Map(campaigns.map((campaign) => [campaign.id, campaign.messageIds])),
    smsMessages: new Map(smsCampaigns.map((campaign) => [campaign.id, campaign.messageIds])),
    wasSent: hasCampaigns ? (await wasSent.collect(db as Tx, { accountId }))[0] : undefined,
    titles: {
      ...namesById(
        'field',
        fields.map((field) => [field.id, field.title]),
      ),
      ...namesById('group', groups),
      ...namesById('custom_event', events),
      ...namesById('store', stores),
      ...namesById('product', products),
      ...namesById(
        'campaign',
        campaigns.map((campaign) => [campaign.id, campaign.title]),
      ),
      ...namesById(
        'sms',
        smsCampaigns.map((campaign) => [campaign.id, campaign.title]),
      ),
    },
  };
}

type IdKind = 'group' | 'campaign' | 'sms' | 'store' | 'product';

const ID_KINDS: Partial<Record<string, IdKind>> = {
  groups: 'group',
  campaigns: 'campaign',
  sms_campaigns: 'sms',
  stores: 'store',
  products: 'product',
};

/** Returns the kind of the condition's ids. */
function getIdKind(condition: Condition): IdKind | undefined {
  return ID_KINDS[getOperandKind(condition.type, condition.operator) ?? ''];
}

/** Returns the numbers of a condition's ids; ids of another kind are omitted. */
function listIds(condition: Condition, kind: IdKind): number[] {
  return decodeIds(kind, [condition.operand, ...condition.more]);
}

const decodeIds = (kind: Kind, ids: readonly string[]) =>
  ids.map((id) => decodeId(kind, id)).filter((id) => id !== undefined);

/** Returns all ids of the condition, or undefined if one of them does not exist in the account. */
export function decodeExistingIds(
  condition: Condition,
  kind: IdKind,
  existing: { has(id: number): boolean },
): number[] | undefined {
  const ids = listIds(condition, kind);
  const isKnown = ids.length === condition.more.length + 1 && ids.every((id) => existing.has(id));
  return isKnown ? ids : undefined;
}

/**
 * Reads campaigns. `db` need not be a transaction, because all handlers of the question only read.
 */
function readCampaigns(
  db: Reader,
  accountId: number,
  question: typeof campaignsNamed,
  campaignIds: readonly number[],
) {
  if (campaignIds.length === 0) return [];
  return question.collect(db as Tx, { accountId, campaignIds: [...new Set(campaignIds)] });
}

const namesById = (kind: Kind, titles: Iterable<readonly [number, string]>) =>
  Object.fromEntries([...titles].map(([id, title]) => [encodeId(kind, id), title]));
