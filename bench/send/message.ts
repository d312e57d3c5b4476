// The message of the sending benchmarks: 20 KB with 12 tracked links, a pixel and merge fields.
import type { MessageSource } from '#areas/content/server/index.ts';

const PARAGRAPH =
  '<p style="margin:0 0 16px;font:16px/24px Arial">Fresh leaves, picked in spring.</p>\n';

export function benchSource(accountId: number, kilobytes = 20): Omit<MessageSource, 'message_id'> {
  const paragraphs = Math.max(1, Math.round(kilobytes * 0.68));
  const rows = Array.from(
    { length: 12 },
    (_, i) =>
      `<tr><td>${PARAGRAPH.repeat(paragraphs)}<a href="https://tea.example/tea/${i}?from=mail&amp;n=${i}">Tea ${i}</a></td></tr>\n`,
  );
  return {
    kind: 'marketing',
    account_id: accountId,
    company: 'Nordic Tea',
    street: 'Storgata 1',
    postal_address: 'Storgata 1, 0155 Oslo, Norway',
    subject: 'Hello {{ firstname | default: "friend" }}',
    preheader: 'The first leaves of spring',
    from: { name: 'Nordic Tea', email: 'news@tea.example' },
    reply_to: 'hello@tea.example',
    html: `<!doctype html><html><body><p>Dear {{ firstname | default: "friend" }},</p><table>${rows.join('')}</table>
<p>{{ firstname }} {{ lastname }}, {{ email }}</p><a href="{{unsubscribe_link}}">Unsubscribe</a> Storgata 1</body></html>`,
    text: `Dear {{ firstname | default: "friend" }},\n\n${'Fresh leaves, picked in spring.\n'.repeat(60)}`,
    language: 'eng',
    words: { unsubscribe: 'Unsubscribe', reason: 'You get this mail because you signed up.' },
    public_url: 'https://mail.tea.example',
    unsubscribe_mailbox: 'unsubscribe@tea.example',
    is_tracked: true,
  };
}
