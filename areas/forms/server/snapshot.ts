// Compiles what sites load of a form: an immutable snapshot, created on publication, and the form's
// entry in the index, including the rules for showing it.
import {
  FORM_LANGUAGES,
  type FormDocument,
  type FormLanguage,
  type FormType,
  type IndexEntry,
  type ShowRules,
  type Snapshot,
} from '#embed/forms/shared/document.ts';
import { encodeId } from '#platform/ids.ts';
import { compileForm } from '#embed/forms/shared/compile.ts';
import { findCoupon } from '../coupon.ts';
import type { FormSettings } from '../settings-contract.ts';
import { WORDS } from '../validation-messages.ts';
import { listWebFonts } from '../web-fonts.ts';
import { formTexts } from './form-texts.ts';
import { getFormsSettings } from './settings.ts';

type SnapshotSource = {
  publicId: string;
  type: FormType;
  version: number;
  document: FormDocument;
  settings: FormSettings;
  /** Groups that visitors can choose. */
  interests: { id: string; title: string }[];
  /** Whether the code or the prize is emailed as well. */
  isEmailed: boolean;
};

export function createSnapshot({
  publicId,
  type,
  version,
  document,
  settings,
  interests,
  isEmailed,
}: SnapshotSource): Snapshot {
  const compiled = compileForm(document, { type, interests });
  const language: FormLanguage = FORM_LANGUAGES.includes(document.language)
    ? document.language
    : 'eng';
  const t = formTexts(language);
  const coupon = findCoupon(type, document, settings);
  return {
    id: publicId,
    version,
    type,
    layout: document.layout,
    language,
    direction: language === 'fas' ? 'rtl' : 'ltr',
    ...compiled,
    words: {
      ...WORDS[language],
      ...settings.validation_messages,
      close: t('site.close'),
      failed: t('site.failed'),
      closed: t('site.closed'),
      ...(type === 'spinToWin'
        ? {
            lost: t('site.lost'),
            spun: t('site.spun'),
            spunText: t(isEmailed ? 'site.spunMailed' : 'site.spunText'),
          }
        : {}),
      ...(coupon || type === 'spinToWin' ? { copy: t('site.copy'), copied: t('site.copied') } : {}),
      // With double opt-in, the code is only emailed, so the site does not say that the visitor has
      // one already.
      ...(coupon && !settings.double_opt_in
        ? { had: t('site.had'), hadText: t(isEmailed ? 'site.hadMailed' : 'site.hadText') }
        : {}),
    },
    captcha: settings.use_recaptcha ? (getFormsSettings().captcha?.kind ?? 'altcha') : 'none',
    fonts: listWebFonts(document),
    redirect: settings.redirect_after ? settings.redirect_url : '',
    teaser: document.teaser,
    // Labels and colors only: odds and codes remain on the server.
    wheel:
      type === 'spinToWin' && settings.wheel_config
        ? settings.wheel_config.setup.map(({ label, colour }) => ({ label, colour }))
        : null,
  };
}

export function toShowRules(settings: FormSettings): ShowRules {
  const isDated = settings.schedule_type === 'between';
  return {
    visibility: { is: settings.visibility_type, pages: settings.visibility_pages },
    from: isDated ? (settings.schedule_start ?? '') : '',
    until: isDated ? (settings.schedule_end ?? '') : '',
    delay: settings.delay ? settings.delay_amount : null,
    scroll: settings.scroll ? settings.scroll_percent : null,
    leave: settings.show_on_leave === false ? null : settings.show_on_leave,
    click: settings.show_on_click,
    every: settings.popup_frequency_minutes === 0 ? null : settings.popup_frequency_minutes,
    hidden: (['mobile', 'tablet', 'desktop'] as const).filter(
      (device) => settings[`hide_on_${device}`],
    ),
  };
}

export function toIndexEntry(form: {
  id: number;
  publicId: string;
  type: FormType;
  version: number;
  document: FormDocument;
  settings: FormSettings;
}): IndexEntry {
  return {
    id: form.publicId,
    number: encodeId('form', form.id),
    type: form.type,
    layout: form.document.layout,
    version: form.version,
    show: toShowRules(form.settings),
  };
}
