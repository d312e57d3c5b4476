// A site of a customer's, on an origin that is not the product's: pages by path, each with a policy of its own.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

export interface CustomerSite {
  pages: Map<string, { html: string; policy?: string }>;
  address: string;
}

/** Closed after the last journey of its file. */
export async function openCustomerSite(): Promise<CustomerSite> {
  const pages: CustomerSite['pages'] = new Map();
  const server = createServer((request, response) => {
    const found = pages.get(new URL(request.url ?? '/', 'http://shop').pathname);
    response.writeHead(found ? 200 : 404, {
      'content-type': 'text/html; charset=utf-8',
      ...(found?.policy ? { 'content-security-policy': found.policy } : {}),
    });
    response.end(found?.html ?? '');
  });
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  afterAll(() => new Promise((settle) => server.close(settle)));
  return { pages, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** A page of it, with what its owner pasted. */
export const shopPage = (body: string, head = ''): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Shop</title>${head}</head><body><main><h1>Tea shop</h1><p>Leaves of all kinds.</p>${body}</main></body></html>`;
