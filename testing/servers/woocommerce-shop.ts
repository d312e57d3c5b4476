// A local WooCommerce store: its REST API, version 3, and its signed webhooks.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type WooRow = Record<string, unknown> & { id: number; date_modified_gmt?: string };

export type WooShop = {
  address: string;
  key: string;
  secret: string;
  orders: WooRow[];
  products: WooRow[];
  customers: WooRow[];
  /** Registered webhooks. */
  hooks: WooRow[];
  /** While set, the response to every call. */
  errorResponse: { status: number; body?: string; headers?: Record<string, string> } | undefined;
  requestedPaths: string[];
  /** Sends a webhook of this topic, signed with the secret of its registration by default. */
  sendWebhook(topic: string, body: object, options?: { signature?: string }): Promise<number>;
  close(): Promise<void>;
};

export async function startWooShop(
  call: (url: string, init: RequestInit) => Promise<{ status: number }>,
): Promise<WooShop> {
  const shop = {
    key: 'ck_test',
    secret: 'cs_test',
    orders: [] as WooRow[],
    products: [] as WooRow[],
    customers: [] as WooRow[],
    hooks: [] as WooRow[],
    errorResponse: undefined as WooShop['errorResponse'],
    requestedPaths: [] as string[],
  };
  const server: Server = createServer((request, response) => {
    void respond(shop, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(shop, {
    address,
    async sendWebhook(topic: string, body: object, options: { signature?: string } = {}) {
      const hook = shop.hooks.find((hook) => hook.topic === topic);
      if (!hook) throw new Error(`No hook of ${topic}.`);
      const text = JSON.stringify(body);
      const signature = createHmac('sha256', String(hook.secret)).update(text).digest('base64');
      const { status } = await call(String(hook.delivery_url), {
        method: 'POST',
        body: text,
        headers: {
          'content-type': 'application/json',
          'x-wc-webhook-topic': topic,
          'x-wc-webhook-signature': options.signature ?? signature,
          'x-wc-webhook-delivery-id': '1',
        },
      });
      return status;
    },
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  });
}

async function respond(
  shop: Omit<WooShop, 'address' | 'sendWebhook' | 'close'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const url = new URL(request.url ?? '/', 'http://shop');
  shop.requestedPaths.push(`${request.method} ${url.pathname}${url.search}`);
  const send = (status: number, body: unknown, headers: Record<string, string> = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  };
  if (shop.errorResponse)
    return send(
      shop.errorResponse.status,
      shop.errorResponse.body ?? '',
      shop.errorResponse.headers,
    );
  const [key, secret] = Buffer.from(
    (request.headers.authorization ?? '').replace('Basic ', ''),
    'base64',
  )
    .toString()
    .split(':');
  if (key !== shop.key || secret !== shop.secret)
    return send(401, { code: 'woocommerce_rest_cannot_view' });
  const path = url.pathname.replace('/wp-json', '');
  if (path === '/') return send(200, { name: 'Tea & Co', timezone_string: 'Europe/Oslo' });
  if (path === '/wc/v3/settings/general')
    return send(200, [{ id: 'woocommerce_currency', value: 'EUR' }]);
  if (path.startsWith('/wc/v3/webhooks')) {
    const id = Number(path.split('/').at(-1));
    if (request.method === 'GET') return send(200, shop.hooks);
    if (request.method === 'DELETE') {
      shop.hooks = shop.hooks.filter((hook) => hook.id !== id);
      return send(200, {});
    }
    const body = JSON.parse(Buffer.concat(chunks).toString()) as WooRow;
    const hook = shop.hooks.find((hook) => hook.id === id);
    if (hook) Object.assign(hook, body);
    else shop.hooks.push({ ...body, id: shop.hooks.length + 1 });
    return send(200, {});
  }
  const listName = path.split('/').at(-1) as 'orders' | 'products' | 'customers';
  const modifiedAfter = url.searchParams.get('modified_after');
  const rows = shop[listName].filter(
    (row) => !modifiedAfter || String(row.date_modified_gmt) > modifiedAfter,
  );
  const page = Number(url.searchParams.get('page'));
  const perPage = Number(url.searchParams.get('per_page'));
  return send(200, rows.slice((page - 1) * perPage, page * perPage), {
    'x-wp-totalpages': String(Math.ceil(rows.length / perPage)),
  });
}
