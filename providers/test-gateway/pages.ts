// The test gateway's pages: all charges, with the behavior of each card number, and the bank's
// challenge.
import { type Language, LOCALE } from '#platform/languages.ts';
import { escapeHtml } from '#platform/server/http/public-page.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { type ToolPage, toolTime } from '../tool-page.ts';
import { type Charge, NUMBERS } from './ledger.ts';

const SUCCEEDING_NUMBER = '4111111111111111';

const button = (name: string, value: string, label: string, isMain = false) =>
  `<button${isMain ? ' class="main"' : ''} name="${name}" value="${value}">${label}</button>`;

function moneyOf(language: Language, { amount, currency }: Charge): string {
  const format = new Intl.NumberFormat(LOCALE[language], { style: 'currency', currency });
  return `<bdi>${format.format(amount / 100)}</bdi>`;
}

export function bankPage(language: Language, charge: Charge): ToolPage {
  const t = serverTexts('test-gateway', language);
  if (charge.state !== 'action_needed') {
    const title = t(charge.state === 'succeeded' ? 'bank.confirmed' : 'bank.refused');
    return { language, title, mainHtml: `<p class="muted">${t('bank.close')}</p>` };
  }
  const card = `<bdi>${escapeHtml(charge.last4)}</bdi>`;
  const text = t('bank.text', { amount: moneyOf(language, charge), card });
  return {
    language,
    title: t('bank.title'),
    mainHtml: `<p>${text}</p>
<form class="row" method="post" action="/gateway/bank/${escapeHtml(charge.id)}">${button('is', 'confirm', t('bank.confirm'), true)}${button('is', 'refuse', t('bank.refuse'))}</form>`,
  };
}

export function chargesPage(language: Language, charges: readonly Charge[]): ToolPage {
  const t = serverTexts('test-gateway', language);
  const numbers = Object.entries({ pays: SUCCEEDING_NUMBER, ...NUMBERS }).map(
    ([effect, number]) =>
      `<dt><code>${number.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code></dt><dd>${t(`cards.${effect}`)}</dd>`,
  );
  return {
    language,
    tool: 'cards',
    title: serverTexts('platform', language)('tools.cards'),
    mainHtml: `<p class="muted">${t('about')}</p>
<section class="box"><dl>${numbers.join('')}</dl></section>
<section class="box"><h2>${t('charges')}</h2>${chargesTable(language, charges)}</section>`,
  };
}

function chargesTable(language: Language, charges: readonly Charge[]): string {
  const t = serverTexts('test-gateway', language);
  if (charges.length === 0) return `<p class="muted">${t('none')}</p>`;
  const names = ['time', 'amount', 'card', 'state', 'actions'];
  const rows = charges.map((charge) => {
    const states = [
      t(`states.${charge.state}`),
      ...(charge.refunded > 0 ? [t('states.refunded')] : []),
      ...(charge.is_disputed ? [t('states.disputed')] : []),
    ];
    const code = charge.code ? ` <code>${escapeHtml(charge.code)}</code>` : '';
    const actions = ['refund', 'dispute', 'tell'].map((action) =>
      button('do', action, t(`do.${action}`)),
    );
    return `<tr><td>${toolTime(language, new Date(charge.at))}</td><td>${moneyOf(language, charge)}</td><td><bdi>${escapeHtml(charge.last4)}</bdi></td><td>${states.join(' · ')}${code}</td>
<td><form class="row" method="post" action="/gateway/charges/${escapeHtml(charge.id)}">${actions.join('')}</form></td></tr>`;
  });
  const heads = names.map((name) => `<th scope="col">${t(`columns.${name}`)}</th>`);
  return `<div class="wide" tabindex="0"><table><thead><tr>${heads.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}
