// Emails and browser notifications of the autopilot: a suggested or completed move that limits
// email, and campaigns that have waited for days because of such a limit.
import { findOwner, listNotifiedMembers, notifyBrowsers } from '#areas/accounts/server/index.ts';
import { replaceTags } from '#areas/campaigns/server/index.ts';
import { getMailboxName, pilotHolds, pilotMoved } from '#areas/deliverability/server/index.ts';
import { MAILBOX_TITLES } from '#areas/deliverability/shared.ts';
import { readSubject } from '#areas/delivery/server/ledger/index.ts';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { encodeId } from '#platform/ids.ts';
import { isLanguage, type Language, LOCALE } from '#platform/languages.ts';
import { on } from '#platform/server/area.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { serverTexts } from '#platform/server/texts.ts';

type PilotMoveEvent = Parameters<(typeof pilotMoved)['announce']>[1];
type PilotNoticeKind = 'pilotSuggested' | 'pilotDone' | 'pilotWaits';

type Send = (
  tx: Tx,
  email: {
    accountId: number;
    kind: PilotNoticeKind;
    language: Language;
    email: string;
    token: string;
    occasion: string;
    values: Record<string, string>;
  },
) => Promise<void>;

type Notice = {
  accountId: number;
  kind: PilotNoticeKind;
  token: string;
  path: string;
  occasion: string;
  /** The owner has to decide, so the owner is notified regardless of settings. */
  isForOwner: boolean;
  /** Values of the email's merge tags, by name. */
  formatValues: (language: Language) => Record<string, string>;
  tag: string;
};

const DELIVERABILITY = '/settings/deliverability';

/** Moves that limit email. No notification is sent about moves that lift a limit again. */
const LIMITING: readonly PilotMoveEvent['move'][] = ['slow', 'pause', 'narrow'];

export const createPilotNotices = (send: Send) => [
  on(pilotMoved, async (tx, event) => {
    const { accountId, domain, mailbox, move, state, at } = event;
    if (!LIMITING.includes(move)) return;
    const day = at.toISOString().slice(0, 10);
    await notify(tx, send, {
      ...{ accountId, kind: state === 'suggested' ? 'pilotSuggested' : 'pilotDone' },
      ...{ token: '', path: DELIVERABILITY, isForOwner: state === 'suggested' },
      occasion: `pilot ${state} ${domain} ${mailbox} ${move} ${day}`,
      tag: `pilot ${domain} ${mailbox}`,
      formatValues: (language) => formatMove(event, language),
    });
  }),
  on(pilotHolds, async (tx, event) => {
    const { accountId, messageId, campaignId, mailbox, waiting } = event;
    const id = encodeId('campaign', campaignId);
    const subject = replaceTags(await readSubject(tx, accountId, messageId));
    await notify(tx, send, {
      ...{ accountId, kind: 'pilotWaits', token: id, path: `/campaigns/${id}`, isForOwner: true },
      ...{ occasion: `pilot waits ${campaignId} ${mailbox}`, tag: `/campaigns/${id}` },
      formatValues: (language) => ({
        mail_subject: subject,
        store: formatProvider(mailbox),
        figure: new Intl.NumberFormat(LOCALE[language]).format(waiting),
      }),
    });
  }),
];

const formatProvider = (mailbox: number) => {
  const name = getMailboxName(mailbox);
  return name === 'other' ? '' : MAILBOX_TITLES[name];
};

function formatMove(event: PilotMoveEvent, language: Language): Record<string, string> {
  const { domain, mailbox, move, cause, count, of, toPerHour } = event;
  const t = serverTexts('system-emails', language);
  const number = new Intl.NumberFormat(LOCALE[language]);
  const key = move === 'pause' ? `pause.${cause === 'complaints' ? cause : 'refusals'}` : move;
  return {
    domain: toUnicodeDomain(domain),
    store: formatProvider(mailbox),
    work: t(`pilot.${key}`, {
      ...{ part: number.format(count), total: number.format(of) },
      rate: number.format(toPerHour ?? 0),
    }),
  };
}

/**
 * Notifies the owner if there is something to decide, and users who enabled campaign notifications.
 */
async function notify(tx: Tx, send: Send, notice: Notice): Promise<void> {
  const { accountId, kind, token, path, tag, occasion, isForOwner, formatValues } = notice;
  const owner = isForOwner ? await findOwner(tx, accountId) : undefined;
  const members = await listNotifiedMembers(tx, accountId);
  const users = [...(owner ? [owner] : []), ...members.filter(({ id }) => id !== owner?.id)];
  for (const user of users) {
    const language = isLanguage(user.language) ? user.language : 'eng';
    await send(tx, {
      ...{ accountId, kind, language, email: user.email, token },
      ...{ occasion: `${occasion} ${user.id}`, values: formatValues(language) },
    });
  }
  await notifyBrowsers(tx, accountId, (language) => {
    const t = serverTexts('system-emails', language);
    const { mail_subject: subject, ...values } = formatValues(language);
    const placeholders = { ...values, subject };
    return {
      title: t(`${kind}.subject`, placeholders),
      body: t(`${kind}.body`, placeholders),
      path,
      tag,
    };
  });
}
