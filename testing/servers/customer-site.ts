// Serves a customer's site on a different origin from the product: pages by path, some with a
// content security policy. Also finds the confirmation links of sign-ups in the product's inbox.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import PostalMime from 'postal-mime';
import { afterAll, expect } from 'vitest';

export interface CustomerSite {
  pages: Map<string, { html: string; policy?: string }>;
  address: string;
}

/** Opens a site that is closed after the last test of its file. */
export async function openCustomerSite(): Promise<CustomerSite> {
  const pages: CustomerSite['pages'] = new Map();
  const server = createServer((request, response) => {
    const page = pages.get(new URL(request.url ?? '/', 'http://shop').pathname);
    response.writeHead(page ? 200 : 404, {
      'content-type': 'text/html; charset=utf-8',
      ...(page?.policy ? { 'content-security-policy': page.policy } : {}),
    });
    response.end(page?.html ?? '');
  });
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  afterAll(() => new Promise((settle) => server.close(settle)));
  return { pages, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Renders a page of the site; `body` and `head` take the embed codes of forms and scripts. */
export const renderShopPage = (body: string, head = ''): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Shop</title>${head}</head><body><main><h1>Tea shop</h1><p>Leaves of all kinds.</p>${body}</main></body></html>`;

/** Time that a visitor needs to read a form; faster submissions are treated as bots. */
export const READING_MS = 2_000;

/**
 * Returns the newest confirmation link that was emailed to an address. Its origin is replaced by
 * `address`, because the product under test may have another public URL.
 */
export async function findConfirmLink(
  { address }: { address: string },
  email: string,
): Promise<string> {
  let link: string | undefined;
  await expect
    .poll(
      async () => {
        const box = `${address}/inbox/api/messages`;
        const list = await fetch(`${box}?limit=5&to=${encodeURIComponent(email)}`);
        const { data } = (await list.json()) as { data: { id: number }[] };
        for (const { id } of data) {
          const { text = '' } = await PostalMime.parse(await (await fetch(`${box}/${id}`)).text());
          link ??= /https?:\/\/\S+(\/f\/confirm\/[\w.-]+)/.exec(text)?.[1];
        }
        return link;
      },
      { timeout: 60_000, interval: 200 },
    )
    .toBeDefined();
  return address + (link ?? '');
}
