// The demo's sender, and its emails as the product stores them for sending.
import { type MessageSource, messageTexts } from '#areas/content/server/index.ts';
import type { DemoHistory } from './history.sql.ts';
import { ACCOUNT, postalAddress } from './shop.ts';

export const SENDER = { name: 'Harbour Tea House', email: 'letters@harbourtea.example' };

type DemoEmail = Pick<MessageSource, 'kind' | 'subject' | 'preheader' | 'html'>;
export type CreateSource = (email: DemoEmail, messageId: number) => MessageSource;

export function createSourceFactory(
  { accountId, language, locale }: Pick<DemoHistory, 'accountId' | 'language' | 'locale'>,
  publicUrl: string,
): CreateSource {
  return (email, messageId) => ({
    ...email,
    account_id: accountId,
    message_id: messageId,
    company: ACCOUNT.title,
    street: ACCOUNT.address,
    postal_address: postalAddress(locale),
    from: SENDER,
    reply_to: SENDER.email,
    text: null,
    language,
    words: messageTexts(language, ACCOUNT.title),
    public_url: publicUrl,
    unsubscribe_mailbox: '',
    is_tracked: true,
  });
}
