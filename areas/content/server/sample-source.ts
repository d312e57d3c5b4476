// A message source for tests and benchmarks of the renderer.
import type { MessageSource } from './personalization/message-source.ts';

export function sampleSource(changes: Partial<MessageSource> = {}): MessageSource {
  return {
    kind: 'marketing',
    account_id: 7,
    message_id: 42,
    company: 'Nordic Tea',
    street: 'Storgata 1',
    postal_address: 'Storgata 1, 0155 Oslo, Norway',
    subject: 'Hello {{ firstname | default: "friend" }}',
    preheader: '',
    from: { name: 'Nordic Tea', email: 'news@tea.example' },
    reply_to: 'hello@tea.example',
    html: '<html><body><p>Hi {{firstname}}</p><a href="https://tea.example/new?a=1&amp;b=2">New</a></body></html>',
    text: null,
    language: 'eng',
    words: { unsubscribe: 'Unsubscribe', reason: 'You get this mail because you signed up.' },
    public_url: 'https://mail.example',
    unsubscribe_mailbox: 'unsubscribe@tea.example',
    is_tracked: true,
    ...changes,
  };
}
