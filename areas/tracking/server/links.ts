// Stores the links of messages and caches their targets. Links are frozen with their message, so
// they never become outdated.
import type { Db, Tx } from '#platform/server/database/database.ts';
import { findLinks, insertLinks } from './links.sql.ts';

/** `written_url` is the URL as its author wrote it, if UTM parameters were added. */
type SentLink = {
  position: number;
  url: string;
  label: string;
  written_url?: string | undefined;
};

/** Stores the links of a message before it is sent; a repeat changes nothing. */
export async function saveLinks(
  tx: Tx,
  accountId: number,
  messageId: number,
  links: readonly SentLink[],
): Promise<void> {
  if (links.length > 0) await insertLinks(tx, accountId, messageId, links);
}

export type LinkTarget = { url: string; hasTags: boolean };

const MAX_MESSAGES = 5000;
const TAGS = /\{\{|\{\$/;

export type LinkCache = {
  /**
   * Returns the cached target of a link; undefined if `load` must be called first, null if the
   * message has no such link or its URL is not a valid http(s) URL.
   */
  peek(accountId: number, messageId: number, position: number): LinkTarget | null | undefined;
  load(accountId: number, messageId: number, position: number): Promise<LinkTarget | null>;
};

/**
 * Caches the targets of up to MAX_MESSAGES messages and drops the oldest. A message without links
 * is not cached, because its links may be stored later.
 */
export function createLinkCache(db: Db): LinkCache {
  const cache = new Map<string, (LinkTarget | undefined)[]>();
  const keyOf = (accountId: number, messageId: number) => `${accountId} ${messageId}`;
  return {
    peek(accountId, messageId, position) {
      const targets = cache.get(keyOf(accountId, messageId));
      return targets && (targets[position] ?? null);
    },
    async load(accountId, messageId, position) {
      const targets: (LinkTarget | undefined)[] = [];
      for (const { position: at, url } of await findLinks(db, accountId, messageId)) {
        const target = targetOf(url);
        if (target) targets[at] = target;
      }
      if (targets.length > 0) {
        if (cache.size >= MAX_MESSAGES) cache.delete(cache.keys().next().value as string);
        cache.set(keyOf(accountId, messageId), targets);
      }
      return targets[position] ?? null;
    },
  };
}

/**
 * Returns an http(s) URL, encoded for a header unless it has merge tags; undefined for other or
 * invalid URLs.
 */
function targetOf(url: string): LinkTarget | undefined {
  if (!/^https?:\/\//i.test(url)) return undefined;
  if (TAGS.test(url)) return { url, hasTags: true };
  if (!URL.canParse(url)) return undefined;
  return { url: /^[\x21-\x7e]*$/.test(url) ? url : new URL(url).href, hasTags: false };
}
