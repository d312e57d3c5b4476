// GetResponse's API v3 as a source of people: all lists of the account, with their custom fields.
// https://apireference.getresponse.com/
import { z } from 'zod';
import {
  commonTitles,
  type ListProvider,
  type OutsideRows,
} from '#areas/imports/server/list-provider.ts';
import { callOutside, inForm } from '#platform/server/outside-calls.ts';

const keyForm = /^[a-z0-9]{20,64}$/i;
const pageSize = 1000;
/** Custom fields stand in each contact's own answer only: so many are asked for side by side. */
const sideBySide = 8;

interface Options {
  /** Tests: where the service is instead of `https://api.getresponse.com`. */
  base?: string | undefined;
}

const Campaigns = z.array(z.object({ campaignId: z.string(), name: z.string() }));

type Contact = {
  contactId?: string;
  email?: string;
  name?: string | null;
  createdOn?: string;
  deletedOn?: string;
};

/** Kinds of contacts as the service calls them, and the status that each stands for; who left first. */
const kinds = [
  ['removed', 'unsubscribed'],
  ['undelivered', 'bounced'],
  ['unconfirmed', 'unconfirmed'],
  ['subscribed', 'active'],
] as const;

type Ask = <Answer>(
  path: string,
  body?: unknown,
) => Promise<{ data: Answer; pages: number; total: number }>;

export function getresponse({ base = 'https://api.getresponse.com' }: Options = {}): ListProvider {
  const asker =
    (key: string, signal: AbortSignal, isHasty = false): Ask =>
    async <Answer>(path: string, body?: unknown) => {
      const answer = await callOutside({
        url: `${base}/v3${path}`,
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'x-auth-token': `api-key ${key}` },
        ...(body === undefined ? {} : { body }),
        signal,
        tries: isHasty ? 2 : 6,
        longestPauseMs: isHasty ? 2_000 : 600_000,
      });
      const count = (name: string) => Number(answer.headers.get(name) ?? 0);
      return {
        data: answer.body as Answer,
        pages: count('TotalPages'),
        total: count('TotalCount'),
      };
    };
  const listsOf = async (ask: Ask) =>
    inForm((await ask(`/campaigns?perPage=${pageSize}`)).data, Campaigns);
  return {
    name: 'getresponse',
    title: 'GetResponse',
    isKey: (key) => keyForm.test(key),
    async lists(key, signal) {
      const lists = await listsOf(asker(key, signal, true));
      return lists.map(({ campaignId, name }) => ({ id: campaignId, title: name, people: 0 }));
    },
    rows: (key, lists, signal) => readRows(asker(key, signal), lists),
  };
}

async function readRows(ask: Ask, lists: readonly string[]): Promise<OutsideRows> {
  const fields = (await ask<{ name: string }[]>(`/custom-fields?perPage=${pageSize}`)).data;
  const titles = [...commonTitles, ...fields.map(({ name }) => name)];
  const places = new Map(fields.map(({ name }, i) => [name, commonTitles.length + i]));
  const search = (kind: string, page: number, perPage: number) =>
    ask<Contact[]>(`/search-contacts/contacts?page=${page}&perPage=${perPage}`, {
      subscribersType: [kind],
      sectionLogicOperator: 'or',
      section: [
        {
          campaignIdsList: lists,
          logicOperator: 'or',
          subscriberCycle: ['receiving_autoresponder', 'not_receiving_autoresponder'],
          subscriptionDate: 'all_time',
          conditions: [],
        },
      ],
    });
  let total = 0;
  for (const [kind] of kinds) total += (await search(kind, 1, 1)).total;
  async function* pages() {
    for (const [kind, status] of kinds)
      for (let page = 1; ; page++) {
        const { data, pages: all } = await search(kind, page, pageSize);
        const rows = data.map((contact) => rowOf(contact, status, titles.length));
        if (kind === 'subscribed' && places.size > 0) await addFields(ask, data, rows, places);
        if (rows.length > 0) yield rows;
        if (data.length === 0 || page >= all) break;
      }
  }
  return { titles, total, pages: pages() };
}

function rowOf(contact: Contact, status: string, width: number): string[] {
  const row = Array.from({ length: width }, () => '');
  row[0] = contact.email ?? '';
  row[1] = contact.name ?? '';
  row[4] = status;
  row[5] = instant(contact.createdOn);
  if (status === 'unsubscribed') row[6] = instant(contact.deletedOn);
  return row;
}

async function addFields(
  ask: Ask,
  contacts: readonly Contact[],
  rows: readonly string[][],
  places: ReadonlyMap<string, number>,
): Promise<void> {
  type Answer = { customFieldValues?: { name?: string; value?: unknown[] }[] };
  let next = 0;
  const work = async () => {
    while (next < contacts.length) {
      const i = next++;
      const id = contacts[i]?.contactId;
      if (id === undefined) continue;
      const { data } = await ask<Answer>(`/contacts/${encodeURIComponent(id)}`);
      for (const { name, value } of data.customFieldValues ?? []) {
        const place = places.get(name ?? '');
        if (place !== undefined) (rows[i] as string[])[place] = (value ?? []).join(', ');
      }
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, work));
}

/** `2014-02-12T15:19:21+0000`: the offset has no colon. */
function instant(text: string | undefined): string {
  const at = Date.parse((text ?? '').replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
  return Number.isNaN(at) ? '' : `${new Date(at).toISOString().slice(0, 19)}Z`;
}
