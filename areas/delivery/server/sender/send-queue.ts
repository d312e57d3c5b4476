// What there is to send, as looks at the ledger found it: whose turn it is, who is due again, who must wait.
import type { Db } from '#platform/server/database.ts';
import type { ActiveMessages } from './active-messages.ts';
import {
  type MessageKey,
  type OpenMessage,
  openMessages,
  type Scope,
} from '../ledger/open-messages.sql.ts';
import { mailboxOfLane } from '../ledger/lanes.ts';
import { FIRST, Pages } from '../ledger/pages.ts';
import { keyOf, RoundRobin, type MessageRef } from './round-robin.ts';

export class SendQueue {
  readonly roundRobin = new RoundRobin();
  private readonly db: Db;
  private readonly scope: Scope;
  private readonly messages: ActiveMessages;
  private readonly pages: Pages<MessageKey>;
  /** Messages with deferred recipients that are due. */
  private readonly due = new Set<string>();
  /** Messages that go on once one of these lanes has room again. */
  private readonly standing = new Map<string, { ref: MessageRef; lanes: readonly number[] }>();
  /** Messages of which only these may leave, until their warm-up's next day. */
  private readonly held = new Map<string, Date>();

  constructor(db: Db, scope: Scope, messages: ActiveMessages, pageSize: number) {
    this.db = db;
    this.scope = scope;
    this.messages = messages;
    this.pages = new Pages(FIRST, pageSize);
  }

  /** Reads on in the ledger. Returns those that say that they wait, though nothing holds them back. */
  async read(now: Date): Promise<MessageRef[]> {
    const stale: MessageRef[] = [];
    const page = await openMessages(this.db, this.scope, now, this.pages);
    for (const row of this.pages.passed(page, (one) => one)) {
      const ref = { accountId: row.account_id, messageId: row.id };
      this.note(keyOf(ref), row);
      this.add(ref);
      if (row.is_waiting && !row.held_until) stale.push(ref);
    }
    return stale;
  }

  /** Whatever it stood for: all of it is tried. */
  add(ref: MessageRef): void {
    this.standing.delete(keyOf(ref));
    this.roundRobin.add(ref);
  }

  /**
   * Nothing of it can begin. These lanes had no room; where it stood before, only those of them that it stood
   * for count: the others had room, and there was nothing. Returns what it stands for.
   */
  stand(ref: MessageRef, lanes: readonly number[]): readonly number[] {
    this.roundRobin.delete(ref);
    const key = keyOf(ref);
    const before = this.standing.get(key);
    const still = before ? lanes.filter((lane) => before.lanes.includes(lane)) : lanes;
    if (still.length > 0) this.standing.set(key, { ref, lanes: still });
    else this.standing.delete(key);
    return still;
  }

  /** What it stands for; undefined where it does not. */
  standsFor(key: string): readonly number[] | undefined {
    return this.standing.get(key)?.lanes;
  }

  /** Something of it began. */
  goesOn(key: string): void {
    this.standing.delete(key);
  }

  /** There is room for this provider again: puts back who stood for it. True where somebody did. */
  more(mailbox: number): boolean {
    let isAny = false;
    for (const { ref, lanes } of this.standing.values()) {
      if (!lanes.some((lane) => mailboxOfLane(lane) === mailbox)) continue;
      this.roundRobin.add(ref);
      isAny = true;
    }
    return isAny;
  }

  private note(key: string, row: OpenMessage): void {
    if (row.has_deferred) this.due.add(key);
    if (row.resumed_at) this.messages.resumed(key, row.resumed_at);
    if (row.held_until) this.held.set(key, row.held_until);
    else this.held.delete(key);
  }

  isDue(key: string): boolean {
    return this.due.has(key);
  }

  /** All that were due are begun. */
  nobodyIsDue(key: string): void {
    this.due.delete(key);
  }

  /** Only who was tried before may be begun. */
  isHeld(key: string, now: Date): boolean {
    const until = this.held.get(key);
    return until !== undefined && until > now;
  }
}
