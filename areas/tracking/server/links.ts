// Where links lead. A message's links are frozen with it, so a process may remember them for good.
import type { Db, Tx } from '#platform/server/database.ts';
import { findLinks, insertLinks } from './links.sql.ts';

/** Stores the links of a message that is about to be sent; the same ones again change nothing. */
export async function saveLinks(
  tx: Tx,
  accountId: number,
  messageId: number,
  links: readonly { position: number; url: string; label: string }[],
): Promise<void> {
  if (links.length > 0) await insertLinks(tx, accountId, messageId, links);
}

export type Target = { url: string; hasTags: boolean };

const MOST_MESSAGES = 5000;
const TAGS = /\{\{|\{\$/;

export type LinkCache = {
  /** Undefined: ask `load` first. Null: this message has no such link. */
  peek(accountId: number, messageId: number, position: number): Target | null | undefined;
  load(accountId: number, messageId: number, position: number): Promise<Target | null>;
};

/** The newest messages' targets; a message without links is not remembered (it may get them yet). */
export function createLinkCache(db: Db): LinkCache {
  const known = new Map<string, (Target | undefined)[]>();
  const keyOf = (accountId: number, messageId: number) => `${accountId} ${messageId}`;
  return {
    peek(accountId, messageId, position) {
      const targets = known.get(keyOf(accountId, messageId));
      return targets && (targets[position] ?? null);
    },
    async load(accountId, messageId, position) {
      const targets: (Target | undefined)[] = [];
      for (const { position: at, url } of await findLinks(db, accountId, messageId)) {
        const target = targetOf(url);
        if (target) targets[at] = target;
      }
      if (targets.length > 0) {
        if (known.size >= MOST_MESSAGES) known.delete(known.keys().next().value as string);
        known.set(keyOf(accountId, messageId), targets);
      }
      return targets[position] ?? null;
    },
  };
}

/** Http(s) only, and spelt so that a header can hold it; with merge tags as it was stored. */
function targetOf(url: string): Target | undefined {
  if (!/^https?:\/\//i.test(url)) return undefined;
  if (TAGS.test(url)) return { url, hasTags: true };
  if (!URL.canParse(url)) return undefined;
  return { url: /^[\x21-\x7e]*$/.test(url) ? url : new URL(url).href, hasTags: false };
}
