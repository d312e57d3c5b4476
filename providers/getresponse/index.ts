// GetResponse's API v3 as an import source: the contacts of chosen lists, with the custom fields
// and tags of those subscribed.
// https://apireference.getresponse.com/
import { z } from 'zod';
import {
  formatGroupCell,
  type ListProvider,
  type OutsideRows,
} from '#areas/imports/server/list-provider.ts';
import {
  callOutside,
  OutsideFailure,
  validateBody,
} from '#platform/server/outgoing/outside-calls.ts';

const KEY_FORM = /^[a-z0-9]{20,64}$/i;
const PAGE_SIZE = 1000;
/**
 * Maximum concurrent requests for single contacts; only their responses contain custom fields and
 * tags.
 */
const CONCURRENT_REQUESTS = 8;

interface Options {
  /** For tests: the URL of the service instead of `https://api.getresponse.com`. */
  baseUrl?: string | undefined;
}

const Campaigns = z.array(z.object({ campaignId: z.string(), name: z.string() }));

type Contact = {
  contactId?: string;
  email?: string;
  name?: string | null;
  createdOn?: string;
  deletedOn?: string;
  campaign?: { campaignId?: string; name?: string | null };
};

/** The additional properties in the response for a single contact. */
type ContactDetails = {
  customFieldValues?: { name?: string; value?: unknown[] }[];
  tags?: { tagId?: string; name?: string }[];
};

type List = Parameters<ListProvider['rows']>[1][number];

/** Column headings that the automatic mapping recognizes; the custom fields' headings follow. */
const COMMON = ['Email', 'Name', 'Status', 'Consent date', 'Unsubscribed at', 'List', 'Tags'];
const TAGS_COLUMN = 6;

/** Contact types of the service with our status, in the order of reading. */
const CONTACT_TYPES = [
  ['removed', 'unsubscribed'],
  ['undelivered', 'bounced'],
  ['unconfirmed', 'unconfirmed'],
  ['subscribed', 'active'],
] as const;

type GetResponseRequest = <Result>(
  path: string,
  body?: unknown,
) => Promise<{ data: Result; pages: number; total: number }>;

export function getresponse({
  baseUrl = 'https://api.getresponse.com',
}: Options = {}): ListProvider {
  const requestWith =
    (key: string, signal: AbortSignal, isInteractive = false): GetResponseRequest =>
    async <Result>(path: string, body?: unknown) => {
      const response = await callOutside({
        url: `${baseUrl}/v3${path}`,
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'x-auth-token': `api-key ${key}` },
        ...(body === undefined ? {} : { body }),
        signal,
        maxAttempts: isInteractive ? 2 : 6,
        maxPauseMs: isInteractive ? 2_000 : 600_000,
      });
      const count = (name: string) => Number(response.headers.get(name) ?? 0);
      return {
        data: response.body as Result,
        pages: count('TotalPages'),
        total: count('TotalCount'),
      };
    };
  const listsOf = async (request: GetResponseRequest) =>
    validateBody((await request(`/campaigns?perPage=${PAGE_SIZE}`)).data, Campaigns);
  return {
    name: 'getresponse',
    title: 'GetResponse',
    isKey: (key) => KEY_FORM.test(key),
    async lists(key, signal) {
      const lists = await listsOf(requestWith(key, signal, true));
      return lists.map(({ campaignId, name }) => ({
        id: campaignId,
        title: name,
        subscriberCount: 0,
      }));
    },
    rows: (key, lists, signal) => readRows(requestWith(key, signal), lists),
  };
}

async function readRows(request: GetResponseRequest, lists: readonly List[]): Promise<OutsideRows> {
  const fields = (await request<{ name: string }[]>(`/custom-fields?perPage=${PAGE_SIZE}`)).data;
  const titles = [...COMMON, ...fields.map(({ name }) => name)];
  const columns = new Map(fields.map(({ name }, i) => [name, COMMON.length + i]));
  const listTitles = new Map(lists.map(({ id, title }) => [id, title]));
  const search = (kind: string, page: number, perPage: number) =>
    request<Contact[]>(`/search-contacts/contacts?page=${page}&perPage=${perPage}`, {
      subscribersType: [kind],
      sectionLogicOperator: 'or',
      section: [
        {
          campaignIdsList: lists.map(({ id }) => id),
          logicOperator: 'or',
          subscriberCycle: ['receiving_autoresponder', 'not_receiving_autoresponder'],
          subscriptionDate: 'all_time',
          conditions: [],
        },
      ],
    });
  let total = 0;
  for (const [kind] of CONTACT_TYPES) total += (await search(kind, 1, 1)).total;
  async function* pages() {
    for (const [kind, status] of CONTACT_TYPES)
      for (let page = 1; ; page++) {
        const { data, pages: pageCount } = await search(kind, page, PAGE_SIZE);
        const rows = data.map((contact) => rowOf(contact, status, listTitles, titles.length));
        if (kind === 'subscribed') await addDetails(request, data, rows, columns);
        if (rows.length > 0) yield rows;
        if (data.length === 0 || page >= pageCount) break;
      }
  }
  return { titles, total, pages: pages() };
}

function rowOf(
  contact: Contact,
  status: string,
  listTitles: ReadonlyMap<string, string>,
  width: number,
): string[] {
  const row = Array.from({ length: width }, () => '');
  const { campaignId = '', name: list } = contact.campaign ?? {};
  row[0] = contact.email ?? '';
  row[1] = contact.name ?? '';
  row[2] = status;
  row[3] = instant(contact.createdOn);
  if (status === 'unsubscribed') row[4] = instant(contact.deletedOn);
  row[5] = formatGroupCell([list || (listTitles.get(campaignId) ?? '')]);
  return row;
}

async function addDetails(
  request: GetResponseRequest,
  contacts: readonly Contact[],
  rows: readonly string[][],
  columns: ReadonlyMap<string, number>,
): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < contacts.length) {
      const i = next++;
      const row = rows[i] as string[];
      const details = await detailsOf(request, contacts[i]?.contactId);
      row[TAGS_COLUMN] = formatGroupCell((details.tags ?? []).flatMap(({ name }) => name ?? []));
      for (const { name, value } of details.customFieldValues ?? []) {
        const column = columns.get(name ?? '');
        if (column !== undefined) row[column] = (value ?? []).join(', ');
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, work));
}

/** Reads a contact's details; a contact removed after its page was read has none. */
async function detailsOf(
  request: GetResponseRequest,
  id: string | undefined,
): Promise<ContactDetails> {
  if (id === undefined) return {};
  try {
    return (await request<ContactDetails>(`/contacts/${encodeURIComponent(id)}`)).data;
  } catch (error) {
    if (error instanceof OutsideFailure && error.code === 'not_there') return {};
    throw error;
  }
}

/** Converts a time such as `2014-02-12T15:19:21+0000` (the offset lacks a colon) to UTC. */
function instant(text: string | undefined): string {
  const time = Date.parse((text ?? '').replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
  return Number.isNaN(time) ? '' : `${new Date(time).toISOString().slice(0, 19)}Z`;
}
