// Renders the preference page with channels, groups and a pause, and reads its form. The page masks
// the address because emails are forwarded. It needs no script.

import { decodeId, encodeId } from '#platform/ids.ts';
import type { Language } from '#platform/languages.ts';
import { LOCALE } from '#platform/languages.ts';
import { parseForm } from '#platform/server/clean-text.ts';
import type { PublicPageForm, PublicPage } from '#platform/server/http/public-page.ts';
import type { ServerText } from '#platform/server/texts.ts';
import { type PreferenceChoice, PAUSE_DAYS, type Preferences } from './preferences.ts';

export type PreferencesShown = {
  company: string;
  /** The email address with a masked local part; empty if there is none. */
  email: string;
  language: Language;
  t: ServerText;
  /** `/u/<token>`. */
  path: string;
};

export function preferencesPage(
  view: PreferencesShown,
  preferences: Preferences,
  isSaved: boolean,
): Omit<PublicPage, 'language'> {
  const { t, company, email, path } = view;
  const text = email
    ? t('preferences.text', { company, email: `\u2068${email}\u2069` })
    : t('preferences.textWithoutEmail', { company });
  return {
    heading: isSaved ? t('preferences.saved') : t('preferences.heading'),
    text: [text],
    form: {
      action: `${path}/preferences`,
      fieldsets: [
        channelSet(view, preferences),
        ...groupSets(view, preferences),
        pauseSet(view, preferences),
      ],
      label: t('preferences.button'),
    },
    link: { href: path, label: t('preferences.leave') },
  };
}

type FormSet = PublicPageForm['fieldsets'][number];

function channelSet({ t }: PreferencesShown, { channels }: Preferences): FormSet {
  const isAnyClosed = channels.some((channel) => channel.isClosed);
  return {
    legend: t('preferences.channels'),
    note: isAnyClosed ? t('preferences.closed') : undefined,
    choices: channels
      .filter((channel) => !channel.isClosed)
      .map(({ channel, isOn }) => ({
        name: 'channel',
        value: channel,
        label: channelLabel(t, channel),
        isChosen: isOn,
      })),
  };
}

export const channelLabel = (t: ServerText, channel: 'email' | 'sms') =>
  channel === 'email' ? t('preferences.email') : t('preferences.sms');

function groupSets({ t }: PreferencesShown, { groups }: Preferences): FormSet[] {
  if (groups.length === 0) return [];
  const choices = groups.map(({ id, title, is_member }) => ({
    name: 'group',
    value: encodeId('group', id),
    label: title,
    isChosen: is_member,
  }));
  return [{ legend: t('preferences.groups'), choices }];
}

function pauseSet({ t, language }: PreferencesShown, { pausedUntil }: Preferences): FormSet {
  const date = pausedUntil?.toLocaleDateString(LOCALE[language], { dateStyle: 'long' });
  const label = date
    ? t('preferences.paused', { date })
    : t('preferences.pause', { count: PAUSE_DAYS });
  return {
    legend: t('preferences.pauseHeading'),
    choices: [{ name: 'pause', value: 'yes', label, isChosen: date !== undefined }],
  };
}

/** Reads a posted form. Unchecked boxes are missing from it. Unknown fields are ignored. */
export function parseChoice(body: string): PreferenceChoice {
  const form = parseForm(body);
  const groups = form
    .getAll('group')
    .slice(0, 200)
    .map((id) => decodeId('group', id) ?? 0);
  return {
    channels: new Set(form.getAll('channel')),
    groups: new Set(groups),
    isPaused: form.get('pause') === 'yes',
  };
}
