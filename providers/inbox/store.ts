// The inbox's messages: the newest 200,000 on disk, with a small index in memory.
import { mkdirSync, readdirSync } from 'node:fs';
import { type InboxEntry, type Incoming, InboxSegment } from './segment.ts';

export const MAX_MESSAGES = 200_000;

export interface InboxQuery {
  /** A whole address, or a part of one. */
  readonly to?: string;
  /** A part of the subject. */
  readonly subject?: string;
  /** A part of recipient, sender or subject. */
  readonly text?: string;
  readonly limit: number;
  readonly offset: number;
}

/** Stores the messages. Only one process, the web process, may use the folder. */
export class InboxStore {
  private readonly folder: string;
  private readonly max: number;
  /** The oldest segment is first; new messages are appended to the last one. */
  private segments: InboxSegment[];

  constructor(folder: string, max = MAX_MESSAGES) {
    this.folder = folder;
    this.max = max;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const firstIds = readdirSync(folder)
      .filter((name) => /^\d{12}\.index$/.test(name))
      .map((name) => Number(name.slice(0, 12)))
      .toSorted((a, b) => a - b);
    this.segments = firstIds.map((firstId) => new InboxSegment(folder, firstId));
  }

  /** The number of stored messages. */
  get total(): number {
    return Math.min(this.max, this.newestId - this.oldestId + 1);
  }

  /** Appends messages in this order. They are written when it returns; throws on disk errors. */
  append(messages: readonly Incoming[]): void {
    let offset = 0;
    while (offset < messages.length) {
      const segment = this.current();
      const batch = messages.slice(offset, offset + segment.freeCount);
      segment.append(batch);
      offset += batch.length;
    }
    this.dropOldest();
  }

  entry(id: number): InboxEntry | undefined {
    return id < this.oldestId ? undefined : this.findSegment(id)?.entry(id);
  }

  source(id: number): Buffer | undefined {
    return id < this.oldestId ? undefined : this.findSegment(id)?.source(id);
  }

  /** Returns a page of messages, newest first, and the total. */
  list(query: InboxQuery): { messages: InboxEntry[]; total: number } {
    if (!query.to && !query.subject && !query.text) {
      return { messages: this.listNewest(query.offset, query.limit), total: this.total };
    }
    const messages: InboxEntry[] = [];
    let total = 0;
    for (const entry of this.findMatches(query)) {
      if (total >= query.offset && messages.length < query.limit) {
        messages.push(entry);
      }
      total++;
    }
    return { messages, total };
  }

  close(): void {
    for (const segment of this.segments) {
      segment.close();
    }
    this.segments = [];
  }

  private get newestId(): number {
    const lastSegment = this.segments.at(-1);
    return lastSegment ? lastSegment.firstId + lastSegment.count - 1 : 0;
  }

  private get oldestId(): number {
    const firstId = this.segments[0]?.firstId ?? 1;
    return Math.max(firstId, this.newestId - this.max + 1);
  }

  private current(): InboxSegment {
    const lastSegment = this.segments.at(-1);
    if (lastSegment && lastSegment.freeCount > 0) {
      return lastSegment;
    }
    const segment = new InboxSegment(this.folder, this.newestId + 1);
    this.segments.push(segment);
    return segment;
  }

  private dropOldest(): void {
    for (;;) {
      const [first, second] = this.segments;
      if (!first || !second || second.firstId > this.oldestId) {
        return;
      }
      first.remove();
      this.segments.shift();
    }
  }

  private findSegment(id: number): InboxSegment | undefined {
    return this.segments.findLast((segment) => segment.firstId <= id);
  }

  private listNewest(offset: number, limit: number): InboxEntry[] {
    const messages: InboxEntry[] = [];
    const newest = this.newestId - offset;
    for (let id = newest; id > newest - limit && id >= this.oldestId; id--) {
      const entry = this.entry(id);
      if (entry) {
        messages.push(entry);
      }
    }
    return messages;
  }

  private *findMatches(query: InboxQuery): Generator<InboxEntry> {
    const matches = matcher(query);
    // Only ASCII text has the same bytes in the lower-case index; other text is compared with each
    // entry.
    const indexedText = [query.to, query.subject, query.text]
      .map((text) => text?.trim().toLowerCase() ?? '')
      .filter((text) => text !== '' && /^[\x20-\x7e]+$/.test(text))
      .toSorted((a, b) => b.length - a.length)[0];
    for (const segment of this.segments.toReversed()) {
      for (const id of indexedText ? segment.idsContaining(indexedText) : idsOf(segment)) {
        const entry = id >= this.oldestId ? segment.entry(id) : undefined;
        if (entry && matches(entry)) {
          yield entry;
        }
      }
    }
  }
}

function* idsOf(segment: InboxSegment): Generator<number> {
  for (let id = segment.firstId + segment.count - 1; id >= segment.firstId; id--) {
    yield id;
  }
}

function matcher(query: InboxQuery): (entry: InboxEntry) => boolean {
  const recipient = query.to?.trim().toLowerCase() ?? '';
  const subject = query.subject?.trim().toLowerCase() ?? '';
  const text = query.text?.trim().toLowerCase() ?? '';
  const isWholeAddress = /^[^\s@]+@[^\s@][^\s@.]*\.[^\s@]+$/.test(recipient);
  return (entry) => {
    const recipients = entry.to.toLowerCase();
    return (
      (isWholeAddress
        ? recipients.split(', ').includes(recipient)
        : recipients.includes(recipient)) &&
      entry.subject.toLowerCase().includes(subject) &&
      (text === '' ||
        recipients.includes(text) ||
        entry.from.toLowerCase().includes(text) ||
        entry.subject.toLowerCase().includes(text))
    );
  };
}
