// When, where and to whom the form is shown.
import { Alert, NumberInput, Select, TagsInput, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { matchesPagePattern } from '#embed/forms/shared/page-patterns.ts';
import { LIMITS } from '#embed/forms/shared/document.ts';
import { FieldPart } from '#platform/web/editing/field-parts.tsx';
import { LineRow, NumberRow, SwitchRow } from '#platform/web/editing/fields.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import {
  DELAY_SECONDS,
  FREQUENCY_UNITS,
  MINUTES_OF,
  SCROLL_PERCENT,
  VISIBILITY,
} from '../../shared.ts';
import { Schedule } from './schedule.tsx';
import { useBuilder, useDraft } from './store.ts';

const SAMPLE = ['', 'shop', '*'].join('/');
/** The default number of minutes between two showings on exit intent. */
const LEAVE_MINUTES = 10;

export default function BehaviorTab() {
  const t = useTexts('forms-builder');
  const { type } = useBuilder();
  if (type === 'embed') {
    return (
      <>
        <FieldPart>
          <Text size="sm" c="dimmed">
            {t('behaviour.embed')}
          </Text>
        </FieldPart>
        <Schedule />
        <Devices />
      </>
    );
  }
  return (
    <>
      <Moments />
      <Frequency />
      <Pages />
      <Schedule />
      <Devices />
    </>
  );
}

function Moments() {
  const t = useTexts('forms-builder');
  const { editSettings } = useBuilder();
  const { settings } = useDraft();
  const isNeverShown =
    !settings.delay &&
    !settings.scroll &&
    settings.show_on_leave === false &&
    !settings.show_on_click;
  return (
    <FieldPart title={t('behaviour.moments')}>
      <SwitchRow
        label={t('behaviour.delay')}
        value={settings.delay}
        onChange={(delay) => editSettings({ delay })}
      />
      {settings.delay && (
        <NumberRow
          label={t('behaviour.seconds')}
          value={settings.delay_amount}
          defaultValue={DELAY_SECONDS}
          max={3600}
          suffix=""
          onChange={(value) => editSettings({ delay_amount: value ?? DELAY_SECONDS }, 'delay')}
        />
      )}
      <SwitchRow
        label={t('behaviour.scroll')}
        value={settings.scroll}
        onChange={(scroll) => editSettings({ scroll })}
      />
      {settings.scroll && (
        <NumberRow
          label={t('behaviour.percent')}
          value={settings.scroll_percent}
          defaultValue={SCROLL_PERCENT}
          max={100}
          suffix=" %"
          onChange={(value) => editSettings({ scroll_percent: value ?? SCROLL_PERCENT }, 'scroll')}
        />
      )}
      <LeaveRows />
      <LineRow
        label={t('behaviour.click')}
        description={t('behaviour.clickHint', { example: '\u2066.open-form\u2069' })}
        value={settings.show_on_click}
        onChange={(value) => editSettings({ show_on_click: value.slice(0, 255) }, 'click')}
      />
      {isNeverShown && <Alert color="warning">{t('behaviour.never')}</Alert>}
    </FieldPart>
  );
}

function LeaveRows() {
  const t = useTexts('forms-builder');
  const { editSettings } = useBuilder();
  const { settings } = useDraft();
  return (
    <>
      <SwitchRow
        label={t('behaviour.leave')}
        value={settings.show_on_leave !== false}
        onChange={(isOn) => editSettings({ show_on_leave: isOn ? LEAVE_MINUTES : false })}
      />
      {settings.show_on_leave !== false && (
        <NumberRow
          label={t('behaviour.leaveEvery')}
          value={settings.show_on_leave}
          defaultValue={LEAVE_MINUTES}
          min={1}
          max={10_000}
          suffix=""
          onChange={(value) => editSettings({ show_on_leave: value ?? LEAVE_MINUTES }, 'leave')}
        />
      )}
    </>
  );
}

function Frequency() {
  const t = useTexts('forms-builder');
  const { editSettings, editDocument } = useBuilder();
  const { settings, document } = useDraft();
  const setFrequency = (amount: number, unit: (typeof FREQUENCY_UNITS)[number]) =>
    editSettings(
      {
        popup_frequency_amount: amount,
        popup_frequency_type: unit,
        popup_frequency_minutes: amount * MINUTES_OF[unit],
      },
      'frequency',
    );
  const { popup_frequency_amount: amount, popup_frequency_type: unit } = settings;
  return (
    <FieldPart title={t('behaviour.frequency')}>
      <NumberInput
        size="xs"
        label={t('behaviour.again')}
        description={t('behaviour.againHint')}
        min={0}
        max={3650}
        decimalScale={0}
        value={amount}
        onChange={(next) => typeof next === 'number' && setFrequency(next, unit)}
      />
      <Select
        size="xs"
        aria-label={t('behaviour.unit')}
        allowDeselect={false}
        value={unit}
        data={FREQUENCY_UNITS.map((value) => ({ value, label: t(`units.${value}`) }))}
        onChange={(next) => {
          const nextUnit = FREQUENCY_UNITS.find((frequencyUnit) => frequencyUnit === next);
          if (nextUnit) setFrequency(amount, nextUnit);
        }}
      />
      <LineRow
        label={t('behaviour.teaser')}
        description={t('behaviour.teaserHint')}
        value={document.teaser}
        onChange={(text) =>
          editDocument((now) => ({ ...now, teaser: text.slice(0, LIMITS.label) }), 'teaser')
        }
      />
    </FieldPart>
  );
}

/** The pages that show the form, and a check whether a pasted URL is one of them. */
function Pages() {
  const t = useTexts('forms-builder');
  const { editSettings } = useBuilder();
  const { visibility_type: type, visibility_pages: pages } = useDraft().settings;
  const [tried, setTried] = useState('');
  return (
    <FieldPart title={t('behaviour.pages')}>
      <Select
        size="xs"
        aria-label={t('behaviour.pages')}
        allowDeselect={false}
        value={type}
        data={VISIBILITY.map((value) => ({ value, label: t(`visibility.${value}`) }))}
        onChange={(next) => {
          const visibility = VISIBILITY.find((option) => option === next);
          if (visibility) editSettings({ visibility_type: visibility });
        }}
      />
      {type !== 'all' && (
        <>
          <TagsInput
            size="xs"
            dir="ltr"
            label={t('behaviour.addresses')}
            description={t('behaviour.addressesHint')}
            placeholder={SAMPLE}
            maxTags={50}
            splitChars={[',', ' ']}
            acceptValueOnBlur
            value={pages}
            onChange={(next) =>
              editSettings({
                visibility_pages: next.map((option) => option.trim().slice(0, 500)).filter(Boolean),
              })
            }
          />
          <TextInput
            size="xs"
            dir="ltr"
            label={t('behaviour.try')}
            placeholder="https://shop.example/sale"
            value={tried}
            onChange={(event) => setTried(event.currentTarget.value)}
          />
          {tried.trim() !== '' && (
            <Text size="sm" role="status" c={isShown(type, pages, tried) ? 'success' : 'dimmed'}>
              {t(formatVerdict(type, pages, tried))}
            </Text>
          )}
        </>
      )}
    </FieldPart>
  );
}

function isShown(
  type: (typeof VISIBILITY)[number],
  pages: readonly string[],
  address: string,
): boolean | undefined {
  const url = /^https?:\/\//i.test(address.trim()) ? address.trim() : `https://${address.trim()}`;
  if (!URL.canParse(url)) return undefined;
  const isNamed = pages.some((pattern) => matchesPagePattern(pattern, url));
  return type === 'all' || isNamed === (type === 'only');
}

function formatVerdict(...displayArgs: Parameters<typeof isShown>) {
  const isVisible = isShown(...displayArgs);
  if (isVisible === undefined) return 'behaviour.verdict.none';
  return isVisible ? 'behaviour.verdict.shown' : 'behaviour.verdict.hidden';
}

const DEVICES = ['mobile', 'tablet', 'desktop'] as const;

function Devices() {
  const t = useTexts('forms-builder');
  const { editSettings } = useBuilder();
  const { settings } = useDraft();
  return (
    <FieldPart title={t('behaviour.devices')}>
      {DEVICES.map((device) => (
        <SwitchRow
          key={device}
          label={t(`devices.${device}`)}
          value={settings[`hide_on_${device}`]}
          onChange={(isHidden) => editSettings({ [`hide_on_${device}`]: isHidden })}
        />
      ))}
    </FieldPart>
  );
}
