// The dialog that moves an entry to a day and a time without drag and drop.
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { wallTimeToInstant, instantToWallTime } from '#areas/broadcasts/wall-time.ts';
import { useNow } from '#platform/web/hooks/use-now.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import { DayField } from '#platform/web/ui/day-field.tsx';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import type { CalendarEntry } from '../contract.ts';
import { type Moving, findObstacle } from './moving.ts';

const QUARTERS = Array.from({ length: 96 }, (_, quarter) =>
  [Math.floor(quarter / 4), (quarter % 4) * 15]
    .map((part) => String(part).padStart(2, '0'))
    .join(':'),
);

interface MoveDialogProps {
  entry: CalendarEntry | undefined;
  zone: string;
  moving: Moving;
  close: () => void;
}

export default function MoveDialog({ entry, zone, moving, close }: MoveDialogProps) {
  const t = useTexts('calendar');
  return (
    <Dialog
      opened={entry !== undefined}
      onClose={close}
      title={entry && t('move.title', { title: entry.title })}
    >
      {entry && <MoveForm entry={entry} zone={zone} moving={moving} close={close} />}
    </Dialog>
  );
}

type MoveFormProps = MoveDialogProps & { entry: CalendarEntry };

function MoveForm({ entry, zone, moving, close }: MoveFormProps) {
  const t = useTexts('calendar');
  const { dateTime, time: clockTime } = useFormats();
  const before = instantToWallTime(new Date(entry.at), zone);
  const [day, setDay] = useState(before.slice(0, 10));
  const [time, setTime] = useState(before.slice(11, 16));
  const now = useNow();
  const [isBusy, setBusy] = useState(false);
  const wallTime = `${day} ${time}:00`;
  const at = wallTimeToInstant(wallTime, zone);
  const obstacle = at && findObstacle(entry, at, now);
  const times = QUARTERS.includes(time) ? QUARTERS : [...QUARTERS, time].sort();
  const label = (value: string) => clockTime(new Date(`1970-01-01T${value}:00Z`), 'UTC');
  const save = async () => {
    setBusy(true);
    const isMoved = await moving.move(entry, wallTime);
    setBusy(false);
    if (isMoved) close();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Stack gap="sm">
        <DayField label={t('move.day')} value={day} onChange={setDay} isFocused />
        <SearchableSelect
          label={t('move.time')}
          description={t('move.zone', { zone })}
          allowDeselect={false}
          value={time}
          onChange={(value) => value && setTime(value)}
          data={times.map((value) => ({ value, label: label(value) }))}
          error={obstacle && t(`obstacles.${obstacle}`)}
        />
        <Text size="sm" aria-live="polite">
          {at && dateTime(at, zone)}
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            {t('platform:confirm.cancel')}
          </Button>
          <Button
            type="submit"
            loading={isBusy}
            disabled={at === undefined || obstacle !== undefined || wallTime === before}
          >
            {t('move.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
