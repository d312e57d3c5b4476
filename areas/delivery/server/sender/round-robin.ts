// Scheduling: accounts take turns, and so do the messages of an account, so that neither a huge
// campaign nor many campaigns of one account delay the messages of other accounts.
/**
 * Used instead of a message ID for an account's marketing single sends, which alternate with its
 * messages.
 */
export const SINGLES = 0;

export type MessageRef = { accountId: number; messageId: number };

export const messageKey = ({ accountId, messageId }: MessageRef) => `${accountId}/${messageId}`;

export class RoundRobin {
  private readonly accounts = new Map<number, Set<number>>();

  get size(): number {
    return this.accounts.size;
  }

  add({ accountId, messageId }: MessageRef): void {
    const messages = this.accounts.get(accountId);
    if (messages) messages.add(messageId);
    else this.accounts.set(accountId, new Set([messageId]));
  }

  delete({ accountId, messageId }: MessageRef): void {
    const messages = this.accounts.get(accountId);
    messages?.delete(messageId);
    if (messages?.size === 0) this.accounts.delete(accountId);
  }

  *all(): Generator<MessageRef> {
    for (const [accountId, messages] of this.accounts) {
      for (const messageId of messages) yield { accountId, messageId };
    }
  }

  /** Returns the next account's next message and moves both to the end of their queues. */
  next(): MessageRef | undefined {
    const firstEntry = this.accounts.entries().next().value;
    if (!firstEntry) return undefined;
    const [accountId, messages] = firstEntry;
    const messageId = messages.values().next().value as number;
    messages.delete(messageId);
    messages.add(messageId);
    this.accounts.delete(accountId);
    this.accounts.set(accountId, messages);
    return { accountId, messageId };
  }
}
