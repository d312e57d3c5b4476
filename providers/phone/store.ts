// The texts that the built-in phone has: the newest few thousand, in memory. A laptop's, and nobody's outbox.

export type PhoneText = {
  id: number;
  direction: 'out' | 'in';
  from: string;
  to: string;
  text: string;
  parts: number;
  at: Date;
};

const MOST = 5_000;

export class PhoneStore {
  private texts: PhoneText[] = [];
  private last = 0;

  add(text: Omit<PhoneText, 'id'>): PhoneText {
    const kept = { ...text, id: ++this.last };
    this.texts.push(kept);
    if (this.texts.length > MOST) this.texts = this.texts.slice(-MOST / 2);
    return kept;
  }

  /** Newest first. `number`: what was sent to it, or came from it. */
  list(number?: string): PhoneText[] {
    const found = number
      ? this.texts.filter((one) => one.to === number || one.from === number)
      : this.texts;
    return found.toReversed();
  }
}
