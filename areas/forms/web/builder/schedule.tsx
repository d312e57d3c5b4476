// The period when a form is shown, entered in the account's time zone and stored as instants. In
// Persian, days are shown in the Persian calendar.
import { ActionIcon, Alert, Group, Input, Select, Text, TextInput, Tooltip } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { wallTimeToInstant, instantToWallTime } from '#areas/broadcasts/wall-time.ts';
import { FieldPart } from '#platform/web/editing/field-parts.tsx';
import { usePersianCalendar } from '#platform/web/texts/persian-calendar.ts';
import { useSession } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { PersianDay } from '#platform/web/ui/persian-day.tsx';
import { SCHEDULES } from '../../shared.ts';
import { useBuilder, useDraft } from './store.ts';

export function Schedule() {
  const t = useTexts('forms-builder');
  const { editSettings } = useBuilder();
  const zone = useSession().account.timezone;
  const { settings } = useDraft();
  const { schedule_type: type, schedule_start: start, schedule_end: end } = settings;
  const isBackwards = start !== null && end !== null && start >= end;
  return (
    <FieldPart title={t('behaviour.schedule')}>
      <Select
        size="xs"
        aria-label={t('behaviour.schedule')}
        allowDeselect={false}
        value={type}
        data={SCHEDULES.map((value) => ({ value, label: t(`schedules.${value}`) }))}
        onChange={(next) => {
          const schedule = SCHEDULES.find((schedule) => schedule === next);
          if (schedule) editSettings({ schedule_type: schedule });
        }}
      />
      {type === 'between' && (
        <>
          <Moment
            label={t('behaviour.from')}
            zone={zone}
            value={start}
            onChange={(schedule_start) => editSettings({ schedule_start })}
          />
          <Moment
            label={t('behaviour.until')}
            zone={zone}
            value={end}
            onChange={(schedule_end) => editSettings({ schedule_end })}
          />
          <Text size="xs" c="dimmed">
            {t('behaviour.zone', { zone })}
          </Text>
          {isBackwards && <Alert color="warning">{t('behaviour.backwards')}</Alert>}
        </>
      )}
    </FieldPart>
  );
}

interface MomentProps {
  label: string;
  zone: string;
  value: string | null;
  onChange: (value: string | null) => void;
}

function Moment({ label, zone, value, onChange }: MomentProps) {
  const isPersian = usePersianCalendar();
  const localTime = value === null ? '' : instantToWallTime(new Date(value), zone).slice(0, 16);
  const setLocalTime = (localTime: string) => {
    const instant = wallTimeToInstant(`${localTime}:00`, zone);
    if (instant) onChange(instant.toISOString());
  };
  if (isPersian)
    return (
      <PersianMoment
        {...{ label, localTime, onChange: setLocalTime, onClear: () => onChange(null) }}
      />
    );
  return (
    <TextInput
      size="xs"
      type="datetime-local"
      label={label}
      value={localTime.replace(' ', 'T')}
      onChange={({ currentTarget }) =>
        currentTarget.value === ''
          ? onChange(null)
          : setLocalTime(currentTarget.value.replace('T', ' '))
      }
    />
  );
}

/** Browsers' date fields support the Gregorian calendar only. */
function PersianMoment({
  label,
  localTime,
  onChange,
  onClear,
}: {
  label: string;
  localTime: string;
  onChange: (localTime: string) => void;
  onClear: () => void;
}) {
  const t = useTexts('forms-builder');
  const [day = '', time = '00:00'] = localTime === '' ? [] : localTime.split(' ');
  return (
    <Input.Wrapper label={label} labelElement="div" size="xs">
      <PersianDay label={label} value={day} onChange={(chosen) => onChange(`${chosen} ${time}`)} />
      <Group gap={4} mt={4} wrap="nowrap">
        <TextInput
          size="xs"
          type="time"
          aria-label={t('behaviour.timeOf', { name: label })}
          disabled={day === ''}
          value={day === '' ? '' : time}
          onChange={({ currentTarget }) =>
            currentTarget.value !== '' && onChange(`${day} ${currentTarget.value.slice(0, 5)}`)
          }
        />
        {day !== '' && (
          <Tooltip label={t('behaviour.noDate')}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('behaviour.noDate')}
              onClick={onClear}
            >
              <IconX size={16} stroke={1.75} />
            </ActionIcon>
          </Tooltip>
        )}
      </Group>
    </Input.Wrapper>
  );
}
