// Requests to the API of the credential's installation.
import type {
  IDataObject,
  IExecuteFunctions,
  IHookFunctions,
  IHttpRequestMethods,
  ILoadOptionsFunctions,
  INodePropertyOptions,
  IWebhookFunctions,
} from 'n8n-workflow';

type Context = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions | IWebhookFunctions;

export type ApiRequest = {
  method: IHttpRequestMethods;
  path: string;
  body?: IDataObject;
  query?: IDataObject;
  /** A repeat under the same key has no effect. */
  idempotencyKey?: string;
};

export async function request(context: Context, call: ApiRequest): Promise<IDataObject> {
  const { method, path, body, query, idempotencyKey } = call;
  const credentials = await context.getCredentials('sendloomApi');
  const baseUrl = String(credentials.baseUrl)
    .replace(/(?<!\/)\/+$/, '')
    .replace(/\/v2$/, '');
  const answer: unknown = await context.helpers.httpRequestWithAuthentication.call(
    context,
    'sendloomApi',
    {
      method,
      url: `${baseUrl}/v2${path}`,
      json: true,
      disableFollowRedirect: true,
      ...(body && { body }),
      ...(query && { qs: query }),
      ...(idempotencyKey && { headers: { 'Idempotency-Key': idempotencyKey } }),
    },
  );
  if (typeof answer !== 'object' || answer === null)
    throw new TypeError('The response is not JSON: check the address of the credential');
  return answer as IDataObject;
}

const PAGE = 100;

/** Returns the items of a list, reading as many pages as `limit` requires. */
export async function listAll(
  context: Context,
  path: string,
  limit: number,
  query: IDataObject = {},
): Promise<IDataObject[]> {
  const items: IDataObject[] = [];
  for (let page = 1; items.length < limit; page++) {
    const answer = await request(context, {
      ...{ method: 'GET', path },
      query: { ...query, page, limit: Math.min(PAGE, limit) },
    });
    items.push(...((answer.data ?? []) as IDataObject[]));
    if (answer.has_more_resources !== true) break;
  }
  return items.slice(0, limit);
}

/** Returns the account's groups as choices. */
export async function groupChoices(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const groups = await listAll(this, '/groups', Number.POSITIVE_INFINITY);
  return groups.map(({ id, title }) => ({ name: String(title), value: String(id) }));
}
