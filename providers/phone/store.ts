// Stores the newest few thousand SMS of the built-in phone, in memory only.

/**
 * `slow`: accepted and reported late. `silent`: accepted without a response. `failed`: never
 * delivered.
 */
export const MODES = ['normal', 'slow', 'silent', 'failed'] as const;
type Mode = (typeof MODES)[number];

export type PhoneSms = {
  id: number;
  direction: 'out' | 'in';
  from: string;
  to: string;
  text: string;
  parts: number;
  at: Date;
};

/** The SMS between one recipient and one of our numbers. */
export type SmsConversation = { remoteNumber: string; number: string; lastSms: PhoneSms };

const MAX_SMS = 5_000;

export class PhoneStore {
  mode: Mode = 'normal';
  private messages: PhoneSms[] = [];
  private lastId = 0;

  add(sms: Omit<PhoneSms, 'id'>): PhoneSms {
    const storedSms = { ...sms, id: ++this.lastId };
    this.messages.push(storedSms);
    if (this.messages.length > MAX_SMS) this.messages = this.messages.slice(-MAX_SMS / 2);
    return storedSms;
  }

  /** Newest first. `number` selects SMS sent to or received from it. */
  list(number?: string): PhoneSms[] {
    const messages = number
      ? this.messages.filter((sms) => sms.to === number || sms.from === number)
      : this.messages;
    return messages.toReversed();
  }

  /** Lists the conversations, newest SMS first. */
  conversations(): SmsConversation[] {
    const conversations = new Map<string, SmsConversation>();
    for (const lastMessage of this.list()) {
      const [remoteNumber, number] =
        lastMessage.direction === 'out'
          ? [lastMessage.to, lastMessage.from]
          : [lastMessage.from, lastMessage.to];
      const key = `${remoteNumber} ${number}`;
      if (!conversations.has(key))
        conversations.set(key, { remoteNumber, number, lastSms: lastMessage });
    }
    return [...conversations.values()];
  }
}
