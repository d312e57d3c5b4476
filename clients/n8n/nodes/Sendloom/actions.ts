// Builds the API request of each operation; the operations are grouped by resource.
import type { IDataObject, IHttpRequestMethods } from 'n8n-workflow';

/** Reads a parameter of the node; undefined where it is empty. */
export type Read = (name: string) => unknown;
type Built = { path: string; body?: IDataObject; query?: IDataObject };
export type Action = {
  method: IHttpRequestMethods;
  build: (read: Read) => Built;
  /** Returns one item per row of `data`. */
  isList?: boolean;
};

const segment = (value: unknown) => {
  const text = String(value ?? '').trim();
  // Dots alone would change the path.
  if (/^\.{0,2}$/.test(text))
    throw new TypeError('An ID, email address or phone number is missing');
  return encodeURIComponent(text);
};

/** Reads comma-separated text, or a list that an expression returned. */
const list = (value: unknown): string[] =>
  (Array.isArray(value) ? value.map(String) : String(value ?? '').split(','))
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Reads JSON text, or an object that an expression returned. */
function object(value: unknown): IDataObject | undefined {
  if (value === undefined || value === '') return undefined;
  const read: unknown = typeof value === 'string' ? JSON.parse(value) : value;
  if (typeof read !== 'object' || read === null || Array.isArray(read))
    throw new TypeError('Custom fields, variables and properties are JSON objects');
  return read as IDataObject;
}

/** Returns the object without the members that are undefined or ''. */
const given = (body: Record<string, unknown>): IDataObject =>
  Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== undefined && value !== ''),
  ) as IDataObject;

function personBody(read: Read): IDataObject {
  const { fields, groups, ...more } = (read('additionalFields') ?? {}) as IDataObject;
  return given({
    ...more,
    ...(fields !== undefined && { fields: object(fields) }),
    ...(groups !== undefined && { groups: list(groups) }),
  });
}

const people = (read: Read) => ({ subscribers: list(read('subscribers')) });
const channel = (read: Read) => ({ channel_status: read('channel') });
const recipient = (read: Read) => given({ email: read('toEmail'), name: read('toName') });
const member = (method: IHttpRequestMethods): Action => ({
  method,
  build: (read) => ({
    path: `/subscribers/groups/${segment(read('groupId'))}`,
    body: people(read),
  }),
});
const page = (path: string): Action => ({
  ...{ method: 'GET', isList: true },
  build: () => ({ path }),
});

export const ACTIONS: Record<string, Record<string, Action>> = {
  subscriber: {
    upsert: {
      method: 'POST',
      build: (read) => ({
        path: '/subscribers',
        body: given({ email: read('email'), ...personBody(read) }),
      }),
    },
    update: {
      method: 'PATCH',
      build: (read) => ({
        path: `/subscribers/${segment(read('subscriber'))}`,
        body: personBody(read),
      }),
    },
    get: {
      method: 'GET',
      build: (read) => ({ path: `/subscribers/${segment(read('subscriber'))}` }),
    },
    getAll: {
      method: 'GET',
      isList: true,
      build: (read) => {
        const group = read('ofGroupId');
        return { path: group ? `/groups/${segment(group)}/subscribers` : '/subscribers' };
      },
    },
    delete: { method: 'DELETE', build: (read) => ({ path: '/subscribers', body: people(read) }) },
    addToGroup: member('POST'),
    removeFromGroup: member('DELETE'),
    unsubscribe: {
      method: 'POST',
      build: (read) =>
        ({ path: '/unsubscribes', body: { ...people(read), ...channel(read) } }) as Built,
    },
    reactivate: {
      method: 'POST',
      build: (read) =>
        ({ path: '/subscribers/reactivate', body: { ...people(read), ...channel(read) } }) as Built,
    },
  },
  group: {
    create: {
      method: 'POST',
      build: (read) => ({ path: '/groups', body: given({ title: read('title') }) }),
    },
    getAll: page('/groups'),
  },
  event: {
    create: {
      method: 'POST',
      build: (read) => ({
        path: '/events',
        body: given({
          ...{ subscriber: { email: String(read('email') ?? '') }, type: read('eventType') },
          properties: object(read('properties')),
        }),
      }),
    },
  },
  email: {
    send: {
      method: 'POST',
      build: (read) => ({
        path: '/message/send',
        body: given({
          from: given({ email: read('fromEmail'), name: read('fromName') }),
          ...{ to: recipient(read), subject: read('subject'), html: read('html') },
          variables: object(read('variables')),
        }),
      }),
    },
    sendTemplate: {
      method: 'POST',
      build: (read) => ({
        path: `/message/${segment(read('templateId'))}/send`,
        body: given({ to: recipient(read), variables: object(read('variables')) }),
      }),
    },
  },
  sms: {
    send: {
      method: 'POST',
      build: (read) => ({
        path: '/sms/send',
        body: given({
          ...{ to: read('toPhone'), text: read('text'), from: read('fromSender') },
          ...{ title: read('reportTitle'), variables: object(read('variables')) },
        }),
      }),
    },
  },
  campaign: {
    create: {
      method: 'POST',
      build: (read) => ({
        path: '/campaigns',
        body: given({
          ...{ title: read('title'), subject: read('subject'), from: read('fromName') },
          ...{ reply_to: read('replyTo'), content_type: 'html', content: read('html') },
          groups: list(read('groupIds')),
        }),
      }),
    },
    getAll: page('/campaigns'),
    schedule: {
      method: 'POST',
      build: (read) => ({
        path: `/campaigns/${segment(read('campaignId'))}/schedule`,
        body: { schedule_time: String(read('scheduleTime') ?? '') },
      }),
    },
    send: {
      method: 'POST',
      build: (read) => ({ path: `/campaigns/${segment(read('campaignId'))}/send` }),
    },
  },
  workflow: {
    start: {
      method: 'POST',
      build: (read) => ({
        path: `/workflows/${segment(read('workflowId'))}/start`,
        body: given({ email: read('email') }),
      }),
    },
  },
};
