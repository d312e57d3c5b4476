// Fields of the timing in the schedule dialog: one time, own times or best hours; the window; the
// spread. Loaded with the dialog.
import { Checkbox, Group, Select, Stack, Text } from '@mantine/core';
import { useFormats } from '#platform/web/texts/formats.ts';
import { LOCALE } from '#platform/web/texts/languages.ts';
import { getCurrentLanguage, useTexts } from '#platform/web/texts/texts.ts';
import { TIMING_KINDS, WINDOW_ZONES } from '../shared.ts';
import type { SendWindow, BroadcastTiming, TimingPreview } from '../timing-contract.ts';

export interface TimingFieldsProps {
  timing: BroadcastTiming;
  onChange: (timing: BroadcastTiming) => void;
  preview: TimingPreview | undefined;
  /** Whether the window also becomes the account's window. */
  isDefault: boolean;
  setDefault: (isDefault: boolean) => void;
}

const SPREADS = [1, 2, 4, 6, 8, 12, 24, 48, 72];
const OFFICE_HOURS: SendWindow = { from: 9, to: 18, days: [1, 2, 3, 4, 5], zone: 'account' };

export function TimingFields(props: TimingFieldsProps) {
  const { timing, onChange, preview } = props;
  const t = useTexts('broadcasts');
  const { duration } = useFormats();
  const isOwn = timing.when !== 'time';
  const options = TIMING_KINDS.filter(
    (timingKind) =>
      timingKind !== 'best_hour' || preview?.has_best_hours || timing.when === timingKind,
  );
  return (
    <Stack gap="sm">
      <Select
        label={t('timing.when')}
        description={isOwn ? t(`timing.hints.${timing.when}`) : undefined}
        allowDeselect={false}
        value={timing.when}
        data={options.map((value) => ({ value, label: t(`timing.whens.${value}`) }))}
        onChange={(value) => {
          const timingKind = value as BroadcastTiming['when'];
          onChange({
            ...timing,
            when: timingKind,
            spread_hours: timingKind === 'time' ? timing.spread_hours : null,
          });
        }}
      />
      {isOwn && (
        <Select
          label={t('timing.past')}
          allowDeselect={false}
          value={timing.past}
          data={(['next_day', 'now'] as const).map((value) => ({
            value,
            label: t(`timing.pasts.${value}`),
          }))}
          onChange={(value) => onChange({ ...timing, past: value as BroadcastTiming['past'] })}
        />
      )}
      <WindowFields {...props} />
      {!isOwn && (
        <Select
          label={t('timing.spread')}
          description={t('timing.spreadHint')}
          allowDeselect={false}
          value={String(timing.spread_hours ?? 0)}
          data={[
            { value: '0', label: t('timing.noSpread') },
            ...SPREADS.map((hours) => ({
              value: String(hours),
              label: duration(hours),
            })),
          ]}
          onChange={(value) => onChange({ ...timing, spread_hours: Number(value) || null })}
        />
      )}
    </Stack>
  );
}

/** The account's window, any time, or a window of this campaign. */
function WindowFields({ timing, onChange, preview, isDefault, setDefault }: TimingFieldsProps) {
  const t = useTexts('broadcasts');
  const { window } = timing;
  const defaultWindow = preview?.default_window ?? null;
  const kind = window === null ? 'any' : window === 'default' ? 'default' : 'own';
  const formatWindow = useWindowText();
  const choose = (value: string | null) => {
    const ownWindow = window && window !== 'default' ? window : (defaultWindow ?? OFFICE_HOURS);
    onChange({
      ...timing,
      window: value === 'own' ? ownWindow : value === 'any' ? null : 'default',
    });
  };
  return (
    <>
      <Select
        label={t('timing.window')}
        description={kind === 'default' ? formatWindow(defaultWindow) : undefined}
        allowDeselect={false}
        value={kind}
        data={(['default', 'any', 'own'] as const).map((value) => ({
          value,
          label: t(`timing.windows.${value}`),
        }))}
        onChange={choose}
      />
      {window !== null && window !== 'default' && (
        <>
          <OwnWindow
            window={window}
            onChange={(ownWindow) => onChange({ ...timing, window: ownWindow })}
          />
          <Checkbox
            label={t('timing.forAll')}
            checked={isDefault}
            onChange={({ currentTarget: { checked } }) => setDefault(checked)}
          />
        </>
      )}
    </>
  );
}

/** Returns a function that formats a window: Mon, Tue, 9:00–18:00. */
function useWindowText() {
  const t = useTexts('broadcasts');
  const { list } = useFormats();
  const label = useHourLabel();
  return (window: SendWindow | null) => {
    if (!window) return t('timing.anyTime');
    const days = window.days.map((day) => weekdayName(day));
    const hours = t('timing.hours', { from: label(window.from), to: label(window.to) });
    return window.days.length === 7 ? hours : `${list(days, 'unit')} · ${hours}`;
  };
}

function useHourLabel() {
  const { time } = useFormats();
  return (hour: number) => time(new Date(Date.UTC(1970, 0, 1, hour)), 'UTC');
}

/** Returns the short name of a day from 1 (Monday) to 7. */
function weekdayName(day: number): string {
  const format = new Intl.DateTimeFormat(LOCALE[getCurrentLanguage()], {
    weekday: 'short',
    timeZone: 'UTC',
  });
  return format.format(Date.UTC(2024, 0, day));
}

const DAYS = [1, 2, 3, 4, 5, 6, 7];
const hoursBetween = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

function OwnWindow({
  window,
  onChange,
}: {
  window: SendWindow;
  onChange: (window: SendWindow) => void;
}) {
  const t = useTexts('broadcasts');
  const label = useHourLabel();
  const listHours = (from: number, to: number) =>
    hoursBetween(from, to).map((hour) => ({ value: String(hour), label: label(hour) }));
  return (
    <>
      <Group grow gap="xs">
        <Select
          label={t('timing.from')}
          allowDeselect={false}
          value={String(window.from)}
          data={listHours(0, 23)}
          onChange={(value) => {
            const start = Number(value);
            onChange({ ...window, from: start, to: Math.max(window.to, start + 1) });
          }}
        />
        <Select
          label={t('timing.to')}
          allowDeselect={false}
          value={String(window.to)}
          data={listHours(window.from + 1, 24)}
          onChange={(value) => onChange({ ...window, to: Number(value) })}
        />
      </Group>
      <Checkbox.Group
        label={t('timing.days')}
        value={window.days.map(String)}
        // At least one day remains.
        onChange={(days) =>
          days.length > 0 && onChange({ ...window, days: days.map(Number).sort((a, b) => a - b) })
        }
      >
        <Group gap="xs" mt={6}>
          {DAYS.map((day) => (
            <Checkbox key={day} value={String(day)} label={weekdayName(day)} size="xs" />
          ))}
        </Group>
      </Checkbox.Group>
      <Select
        label={t('timing.clock')}
        allowDeselect={false}
        value={window.zone}
        data={WINDOW_ZONES.map((value) => ({ value, label: t(`timing.clocks.${value}`) }))}
        onChange={(value) => onChange({ ...window, zone: value as SendWindow['zone'] })}
      />
    </>
  );
}

/**
 * States when the first and the last recipients get the broadcast, and for how many recipients the
 * time has passed.
 */
export function TimingSentence({
  timing,
  preview,
  zone,
}: {
  timing: BroadcastTiming;
  preview: TimingPreview | undefined;
  zone: string;
}) {
  const t = useTexts('broadcasts');
  const { dateTime, number } = useFormats();
  if (!preview?.first_at || !preview.last_at) return null;
  const firstTime = dateTime(preview.first_at, zone);
  const lastTime = dateTime(preview.last_at, zone);
  const { past } = preview;
  return (
    <Text size="sm" aria-live="polite">
      {firstTime === lastTime
        ? t('timing.all', { time: firstTime })
        : t('timing.span', { first: firstTime, last: lastTime })}{' '}
      {past > 0 && t(`timing.late.${timing.past}`, { count: past, total: number(past) })}
    </Text>
  );
}
