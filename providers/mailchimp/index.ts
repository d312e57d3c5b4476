// Mailchimp's Marketing API 3.0 as an import source: lists, merge fields, interests, and pages of
// members. https://mailchimp.com/developer/marketing/api/list-members/
import { z } from 'zod';
import {
  formatGroupCell,
  type ListProvider,
  type OutsideRows,
} from '#areas/imports/server/list-provider.ts';
import { callOutside, validateBody } from '#platform/server/outgoing/outside-calls.ts';

/**
 * A key ends with the name of its data center. The name becomes part of the host name of requests,
 * so only names such as `us21` are accepted.
 */
const KEY_FORM = /^[0-9a-f]{32}-(us[1-9]\d{0,2})$/;
const PAGE_SIZE = 1000;

interface Options {
  /** For tests: the URL of the service instead of `https://<data center>.api.mailchimp.com`. */
  baseUrl?: string | undefined;
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
  tags?: { id?: number; name?: string }[];
  /** For each interest ID, whether the member has the interest. */
  interests?: Record<string, boolean>;
};

/** The requested fields of each member. */
const requestedFields = [
  'total_items',
  ...[
    'email_address',
    'status',
    'merge_fields',
    'timestamp_opt',
    'timestamp_signup',
    'last_changed',
    'tags',
    'interests',
  ].map((name) => `members.${name}`),
].join(',');

/**
 * Statuses in the order of reading. Archived members are omitted because they are no longer on the
 * list.
 */
const STATUSES = ['unsubscribed', 'cleaned', 'pending', 'transactional', 'subscribed'] as const;
const REMOVED_STATUSES: ReadonlySet<string> = new Set(['unsubscribed', 'cleaned']);

export function mailchimp({ baseUrl }: Options = {}): ListProvider {
  const request = async <Body>(
    key: string,
    path: string,
    signal: AbortSignal,
    isInteractive = false,
  ) => {
    const center = KEY_FORM.exec(key)?.[1];
    if (center === undefined) throw new Error('the key has an invalid format');
    const root = baseUrl ?? `https://${center}.api.mailchimp.com`;
    const { body } = await callOutside({
      url: `${root}/3.0${path}`,
      headers: { authorization: `Basic ${Buffer.from(`sendloom:${key}`).toString('base64')}` },
      signal,
      maxAttempts: isInteractive ? 2 : 6,
      maxPauseMs: isInteractive ? 2_000 : 60_000,
    });
    return body as Body;
  };
  return {
    name: 'mailchimp',
    title: 'Mailchimp',
    isKey: (key) => KEY_FORM.test(key),
    async lists(key, signal) {
      const path = '/lists?count=1000&fields=lists.id,lists.name,lists.stats.member_count';
      const { lists } = validateBody(await request(key, path, signal, true), Lists);
      return lists.map(({ id, name, stats }) => ({
        id,
        title: name,
        subscriberCount: stats?.member_count ?? 0,
      }));
    },
    rows: (key, lists, signal) => readRows((path) => request(key, path, signal), lists),
  };
}

type MailchimpRequest = <Body>(path: string) => Promise<Body>;

type List = Parameters<ListProvider['rows']>[1][number];

/** Column headings that the automatic mapping recognizes; the merge fields' headings follow. */
const COMMON = [
  'Email',
  'First name',
  'Last name',
  'Phone',
  'Status',
  'Consent date',
  'Unsubscribed at',
  'List',
  'Tags',
  'Groups',
];
const COLUMN_OF_FIELD: Record<string, number> = { FNAME: 1, LNAME: 2, PHONE: 3 };

/** The columns of the rows, and the names of the interests of all lists. */
interface ExportLayout {
  titles: string[];
  columns: ReadonlyMap<string, number>;
  /** Merge fields that contain a day and a month, in the API's MM/DD format. */
  birthdays: ReadonlySet<string>;
  interests: ReadonlyMap<string, string>;
}

async function readRows(request: MailchimpRequest, lists: readonly List[]): Promise<OutsideRows> {
  const layout = await layoutOf(request, lists);
  let total = 0;
  const members = (list: string, status: string, offset: number, count: number) =>
    request<{ members?: Member[]; total_items?: number }>(
      `${pathOf(list)}/members?status=${status}&count=${count}&offset=${offset}&fields=${requestedFields}`,
    );
  for (const { id } of lists)
    for (const status of STATUSES) total += (await members(id, status, 0, 1)).total_items ?? 0;
  async function* pages() {
    for (const status of STATUSES)
      for (const { id, title } of lists)
        for (let offset = 0; ; offset += PAGE_SIZE) {
          const { members: page = [] } = await members(id, status, offset, PAGE_SIZE);
          if (page.length > 0)
            yield page.map((member) => rowOf(member, { status, list: title }, layout));
          if (page.length < PAGE_SIZE) break;
        }
  }
  return { titles: layout.titles, total, pages: pages() };
}

const pathOf = (list: string) => `/lists/${encodeURIComponent(list)}`;

async function layoutOf(request: MailchimpRequest, lists: readonly List[]): Promise<ExportLayout> {
  const columns = new Map<string, number>(Object.entries(COLUMN_OF_FIELD));
  const titles: string[] = [...COMMON];
  const birthdays = new Set<string>();
  const interests = new Map<string, string>();
  for (const { id: list } of lists) {
    type MergeFieldsResponse = { merge_fields?: { tag: string; name: string; type?: string }[] };
    const selection = 'merge_fields.tag,merge_fields.name,merge_fields.type';
    const path = `${pathOf(list)}/merge-fields?count=1000&fields=${selection}`;
    const { merge_fields: fields = [] } = await request<MergeFieldsResponse>(path);
    for (const { tag, name, type } of fields) {
      if (type === 'birthday') birthdays.add(tag);
      if (columns.has(tag)) continue;
      columns.set(tag, titles.length);
      titles.push(name);
    }
    for (const [id, name] of await interestsOf(request, list)) interests.set(id, name);
  }
  return { titles, columns, birthdays, interests };
}

/**
 * Returns the interests of a list, which Mailchimp's screens call groups. Each name includes the
 * category, because an interest may be called just 'Yes'.
 */
async function interestsOf(
  request: MailchimpRequest,
  list: string,
): Promise<[id: string, name: string][]> {
  type Categories = { categories?: { id: string; title: string }[] };
  type Interests = { interests?: { id: string; name: string }[] };
  const root = `${pathOf(list)}/interest-categories`;
  const { categories = [] } = await request<Categories>(
    `${root}?count=1000&fields=categories.id,categories.title`,
  );
  const namedInterests: [string, string][] = [];
  for (const { id, title } of categories) {
    const path = `${root}/${encodeURIComponent(id)}/interests?count=1000&fields=interests.id,interests.name`;
    const { interests = [] } = await request<Interests>(path);
    for (const interest of interests)
      namedInterests.push([interest.id, `${title}: ${interest.name}`]);
  }
  return namedInterests;
}

function rowOf(
  member: Member,
  { status, list }: { status: string; list: string },
  { titles, columns, birthdays, interests }: ExportLayout,
): string[] {
  const row = Array.from({ length: titles.length }, () => '');
  row[0] = member.email_address ?? '';
  row[4] = member.status ?? status;
  row[5] = instant(member.timestamp_opt || member.timestamp_signup);
  if (REMOVED_STATUSES.has(row[4])) row[6] = instant(member.last_changed);
  row[7] = formatGroupCell([list]);
  row[8] = formatGroupCell((member.tags ?? []).flatMap(({ name }) => name ?? []));
  row[9] = formatGroupCell(
    Object.entries(member.interests ?? {}).flatMap(([id, has]) =>
      has ? (interests.get(id) ?? []) : [],
    ),
  );
  for (const [tag, value] of Object.entries(member.merge_fields ?? {})) {
    const column = columns.get(tag);
    if (column !== undefined)
      row[column] = birthdays.has(tag) ? birthdayOf(textOf(value)) : textOf(value);
  }
  return row;
}

/**
 * Returns the value of a merge field as text. Addresses are objects; other values are strings or
 * numbers.
 */
function textOf(value: unknown): string {
  if (typeof value === 'object' && value !== null)
    return Object.values(value)
      .filter((part) => typeof part === 'string' && part.trim() !== '')
      .join(', ');
  return value === null || value === undefined ? '' : String(value);
}

/** Returns --MM-DD, which is unambiguous in every country. */
const birthdayOf = (text: string) => text.replace(/^(\d{2})\/(\d{2})$/, '--$1-$2');

function instant(text: string | undefined): string {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? '' : `${new Date(time).toISOString().slice(0, 19)}Z`;
}
