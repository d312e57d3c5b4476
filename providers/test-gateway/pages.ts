// The test gateway's pages, in English as all developer tools.
import { TEST_TOOL_LINKS_STYLE, testToolLinks } from '#platform/server/http/test-tool-links.ts';
import type { Charge } from './ledger.ts';

const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

function page(title: string, body: string, links = ''): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>body{font-family:system-ui,sans-serif;margin:32px auto;max-width:900px;padding:0 16px;color:#1b1d22}table{border-collapse:collapse;inline-size:100%}th,td{text-align:start;padding:8px;border-block-end:1px solid #e4e4e0}button{font:inherit;padding:6px 12px;border-radius:6px;border:1px solid #767676;background:#fff;cursor:pointer}.yes{background:#3b4fe4;color:#fff;border-color:#3b4fe4}form{display:inline}p{color:#5b606b}${TEST_TOOL_LINKS_STYLE}.tools{padding:0}</style></head><body>${links}<main>${body}</main></body></html>`;
}

const button = (name: string, value: string, label: string, kind = '') =>
  `<button class="${kind}" name="${name}" value="${value}">${label}</button>`;

export function bankPage(charge: Charge): string {
  const amount = `${(charge.amount / 100).toFixed(2)} ${charge.currency.toUpperCase()}`;
  if (charge.state !== 'action_needed') {
    const outcome = charge.state === 'succeeded' ? 'confirmed' : 'refused';
    return page('Test bank', `<h1>Payment ${outcome}</h1><p>You can close this window.</p>`);
  }
  return page(
    'Test bank',
    `<h1>Confirm your payment</h1><p>The test bank asks you to confirm ${amount} on the card that ends in ${escaped(charge.last4)}.</p>
<form method="post" action="/gateway/bank/${escaped(charge.id)}">${button('is', 'confirm', 'Confirm', 'yes')} ${button('is', 'refuse', 'Refuse')}</form>`,
  );
}

export function chargesPage(charges: readonly Charge[]): string {
  const rows = charges
    .map((charge) => {
      const states = [
        charge.state,
        charge.refunded > 0 ? 'refunded' : '',
        charge.is_disputed ? 'disputed' : '',
      ];
      return `<tr><td>${escaped(charge.at.slice(0, 16).replace('T', ' '))}</td><td>${(charge.amount / 100).toFixed(2)} ${escaped(charge.currency)}</td><td>${escaped(charge.last4)}</td><td>${states.filter(Boolean).join(', ')} ${escaped(charge.code ?? '')}</td>
<td><form method="post" action="/gateway/charges/${escaped(charge.id)}">${button('do', 'refund', 'Refund')} ${button('do', 'dispute', 'Dispute')} ${button('do', 'tell', 'Tell twice')}</form></td></tr>`;
    })
    .join('');
  return page(
    'Test gateway',
    `<h1>Test gateway</h1><p>No money moves here. 4111 1111 1111 1111 pays, 4000 0000 0000 0002 is declined, 4000 0000 0000 3220 asks the bank, 4000 0000 0000 0119 charges without answering, 4000 0000 0000 0341 fails at renewal, 4000 0000 0000 9987 is lost.</p>
<table><thead><tr><th>Time (UTC)</th><th>Amount</th><th>Card</th><th>State</th><th>Actions</th></tr></thead><tbody>${rows || '<tr><td colspan="5">No charges yet</td></tr>'}</tbody></table>`,
    testToolLinks('eng', 'cards'),
  );
}
