// Mailchimp's Marketing API 3.0 as a source of people: lists, merge fields, members page by page.
// https://mailchimp.com/developer/marketing/api/list-members/
import { z } from 'zod';
import {
  commonTitles,
  type ListProvider,
  type OutsideRows,
} from '#areas/imports/server/list-provider.ts';
import { callOutside, inForm } from '#platform/server/outside-calls.ts';

/** A key ends with its data centre, the host that it is sent to: nothing else may stand there. */
const keyForm = /^[0-9a-f]{32}-(us[1-9]\d{0,2})$/;
const pageSize = 1000;

interface Options {
  /** Tests: where the service is instead of `https://<data centre>.api.mailchimp.com`. */
  base?: string | undefined;
}

const Lists = z.object({
  lists: z
    .array(
      z.object({
        id: z.string(),
        name: z.string(),
        stats: z.object({ member_count: z.number().optional() }).optional(),
      }),
    )
    .default([]),
});

type Member = {
  email_address?: string;
  status?: string;
  merge_fields?: Record<string, unknown>;
  timestamp_opt?: string;
  timestamp_signup?: string;
  last_changed?: string;
};

/** Whoever left or bounced first; archived people are no longer on the list. */
const statuses = ['unsubscribed', 'cleaned', 'pending', 'transactional', 'subscribed'] as const;
const gone: ReadonlySet<string> = new Set(['unsubscribed', 'cleaned']);

export function mailchimp({ base }: Options = {}): ListProvider {
  const ask = async <Answer>(key: string, path: string, signal: AbortSignal, isHasty = false) => {
    const centre = keyForm.exec(key)?.[1];
    if (centre === undefined) throw new Error('the key has another form');
    const root = base ?? `https://${centre}.api.mailchimp.com`;
    const { body } = await callOutside({
      url: `${root}/3.0${path}`,
      headers: { authorization: `Basic ${Buffer.from(`sendloom:${key}`).toString('base64')}` },
      signal,
      tries: isHasty ? 2 : 6,
      longestPauseMs: isHasty ? 2_000 : 60_000,
    });
    return body as Answer;
  };
  return {
    name: 'mailchimp',
    title: 'Mailchimp',
    isKey: (key) => keyForm.test(key),
    async lists(key, signal) {
      const path = '/lists?count=1000&fields=lists.id,lists.name,lists.stats.member_count';
      const { lists } = inForm(await ask(key, path, signal, true), Lists);
      return lists.map(({ id, name, stats }) => ({
        id,
        title: name,
        people: stats?.member_count ?? 0,
      }));
    },
    rows: (key, lists, signal) => readRows((path) => ask(key, path, signal), lists),
  };
}

type Ask = <Answer>(path: string) => Promise<Answer>;

const own: Record<string, number> = { FNAME: 1, LNAME: 2, PHONE: 3 };

async function readRows(ask: Ask, lists: readonly string[]): Promise<OutsideRows> {
  const places = new Map<string, number>(Object.entries(own));
  const titles: string[] = [...commonTitles];
  let total = 0;
  for (const list of lists) {
    type Answer = { merge_fields?: { tag: string; name: string }[] };
    const path = `/lists/${encodeURIComponent(list)}/merge-fields?count=1000&fields=merge_fields.tag,merge_fields.name`;
    const { merge_fields: fields = [] } = await ask<Answer>(path);
    for (const { tag, name } of fields) {
      if (places.has(tag)) continue;
      places.set(tag, titles.length);
      titles.push(name);
    }
  }
  const members = (list: string, status: string, offset: number, count: number) =>
    ask<{ members?: Member[]; total_items?: number }>(
      `/lists/${encodeURIComponent(list)}/members?status=${status}&count=${count}&offset=${offset}&fields=total_items,members.email_address,members.status,members.merge_fields,members.timestamp_opt,members.timestamp_signup,members.last_changed`,
    );
  for (const list of lists)
    for (const status of statuses) total += (await members(list, status, 0, 1)).total_items ?? 0;
  async function* pages() {
    for (const status of statuses)
      for (const list of lists)
        for (let offset = 0; ; offset += pageSize) {
          const { members: page = [] } = await members(list, status, offset, pageSize);
          if (page.length > 0) yield page.map((one) => rowOf(one, status, places, titles.length));
          if (page.length < pageSize) break;
        }
  }
  return { titles, total, pages: pages() };
}

function rowOf(
  member: Member,
  status: string,
  places: ReadonlyMap<string, number>,
  width: number,
): string[] {
  const row = Array.from({ length: width }, () => '');
  row[0] = member.email_address ?? '';
  row[4] = member.status ?? status;
  row[5] = instant(member.timestamp_opt || member.timestamp_signup);
  if (gone.has(row[4])) row[6] = instant(member.last_changed);
  for (const [tag, value] of Object.entries(member.merge_fields ?? {})) {
    const place = places.get(tag);
    if (place !== undefined) row[place] = textOf(value);
  }
  return row;
}

/** Addresses come as objects; the rest are texts and numbers. */
function textOf(value: unknown): string {
  if (typeof value === 'object' && value !== null)
    return Object.values(value)
      .filter((part) => typeof part === 'string' && part.trim() !== '')
      .join(', ');
  return value === null || value === undefined ? '' : String(value);
}

function instant(text: string | undefined): string {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? '' : `${new Date(at).toISOString().slice(0, 19)}Z`;
}
