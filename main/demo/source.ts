// The demo's sender, and its emails as the product freezes them.
import { type MessageSource, messageTexts } from '#areas/content/server/index.ts';
import type { Past } from './history.sql.ts';
import { ACCOUNT } from './shop.ts';

export const SENDER = { name: 'Harbour Tea House', email: 'letters@harbourtea.example' };

type Written = Pick<MessageSource, 'kind' | 'subject' | 'preheader' | 'html'>;
export type SourceOf = (email: Written, messageId: number) => MessageSource;

export function sourcesOf(past: Pick<Past, 'accountId'>, publicUrl: string): SourceOf {
  const { address, city, zip_code } = ACCOUNT;
  return (email, messageId) => ({
    ...email,
    account_id: past.accountId,
    message_id: messageId,
    company: ACCOUNT.title,
    street: address,
    postal_address: [address, city, zip_code, 'Ireland'].join(', '),
    from: SENDER,
    reply_to: SENDER.email,
    text: null,
    language: 'eng',
    words: messageTexts('eng', ACCOUNT.title),
    public_url: publicUrl,
    unsubscribe_mailbox: '',
    is_tracked: true,
  });
}
