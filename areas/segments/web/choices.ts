// The items to choose from for operands, and the titles of the items that conditions refer to.
import { useQuery } from '@tanstack/react-query';
import { queryAllEvents } from '#areas/events/web/index.ts';
import { queryAllFields } from '#areas/fields/web/index.ts';
import { queryAllGroups } from '#areas/groups/web/index.ts';
import type { calls as storeCalls } from '#areas/stores/contract.ts';
import { client } from '#platform/web/api/api.ts';
import { getKeyKind, getOperandKind, type KeyKind } from '../conditions.ts';
import type { Condition } from '../shared.ts';
import { type CampaignKind, type CampaignChoice, searchCampaigns } from './campaign-options.ts';

export type ChoiceKind = 'groups' | CampaignKind | 'stores' | 'products';

const storesApi = client<typeof storeCalls>();

/** Returns the items of a kind. `term` filters campaigns and products by title. */
export function useChoices(
  kind: ChoiceKind | undefined,
  term = '',
): { choices: CampaignChoice[]; isLoading: boolean } {
  const groups = useQuery({ ...queryAllGroups(), enabled: kind === 'groups' });
  const campaigns = useQuery({
    queryKey: [
      'client-api',
      'api',
      kind === 'sms_campaigns' ? 'sms' : 'campaigns',
      'choices',
      term,
    ],
    queryFn: ({ signal }) => searchCampaigns(kind as CampaignKind, term, signal),
    enabled: kind === 'campaigns' || kind === 'sms_campaigns',
    staleTime: 30_000,
  });
  const shop = useQuery({
    ...storesApi.query('GET /client-api/api/stores-advanced-filter', {
      query: term ? { search: term } : {},
    }),
    enabled: kind === 'stores' || kind === 'products',
    staleTime: 30_000,
  });
  const toChoices = (list: { id: string; title: string }[] | undefined) =>
    (list ?? []).map((item) => ({ value: item.id, label: item.title }));
  switch (kind) {
    case 'groups':
      return { choices: toChoices(groups.data?.data), isLoading: groups.isPending };
    case 'campaigns':
    case 'sms_campaigns':
      return { choices: campaigns.data ?? [], isLoading: campaigns.isPending };
    case 'stores':
      return { choices: toChoices(shop.data?.data.stores), isLoading: shop.isPending };
    case 'products':
      return { choices: toChoices(shop.data?.data.products), isLoading: shop.isPending };
    default:
      return { choices: [], isLoading: false };
  }
}

/** Returns the known titles of items in these conditions, by id. */
export function useTitles(conditions: readonly Condition[]): ReadonlyMap<string, string> {
  const kinds = new Set(
    conditions.map((condition) => getOperandKind(condition.type, condition.operator)),
  );
  const pickKind = (kind: ChoiceKind) => (kinds.has(kind) ? kind : undefined);
  const hasKey = (kind: KeyKind) =>
    conditions.some(({ type, key }) => key && getKeyKind(type) === kind);
  const fields = useQuery({ ...queryAllFields(), enabled: hasKey('field') });
  const events = useQuery({ ...queryAllEvents(), enabled: hasKey('event') });
  const lists = [
    useChoices(pickKind('groups')).choices,
    useChoices(pickKind('campaigns')).choices,
    useChoices(pickKind('sms_campaigns')).choices,
    useChoices(pickKind('stores')).choices,
    useChoices(pickKind('products')).choices,
    (fields.data?.data ?? []).map((row) => ({ value: row.id, label: row.title })),
    (events.data?.data ?? []).map((row) => ({ value: row.id, label: row.name })),
  ];
  return new Map(lists.flat().map((choice) => [choice.value, choice.label]));
}
