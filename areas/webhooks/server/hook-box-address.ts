// The address of the built-in webhook receiver. Webhooks may call it outside production; they
// may call no other address of the product.
import type { Config } from '#platform/server/config.ts';

export const HOOK_BOX = '/hook-box/in';
let origins: ReadonlySet<string> = new Set();

export function setHookBoxOrigins({ isProduction, publicUrl, port }: Config): void {
  const addresses = [publicUrl, `http://127.0.0.1:${port}`, `http://localhost:${port}`];
  origins = new Set(isProduction ? [] : addresses.map((address) => new URL(address).origin));
}

export function isHookBox(url: string): boolean {
  const { origin, pathname } = new URL(url);
  return origins.has(origin) && (pathname === HOOK_BOX || pathname.startsWith(`${HOOK_BOX}/`));
}
