// The button that requests an approval for a user without the right, with a note and, for
// schedules, a time.
import { Button, type ButtonProps, NativeSelect, Stack, Textarea } from '@mantine/core';
import { IconChecklist } from '@tabler/icons-react';
import { useState } from 'react';
import { useAction } from '#platform/web/api/queries.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import { DayField } from '#platform/web/ui/day-field.tsx';
import { Dialog, FormButtons } from '#platform/web/ui/form-dialog.tsx';
import { MAX_NOTE_LENGTH } from '../shared.ts';
import { APPROVALS, type RequestableCall, requestCall } from './queries.ts';

export interface RequestApprovalProps {
  call: RequestableCall;
  /** Whether the dialog has fields for a time, which is sent as `schedule_time`. */
  hasTime?: boolean;
  /** Whether the label of the day shows that a time is required. */
  needsTime?: boolean;
  isDisabled?: boolean;
  disabledReason?: string | undefined;
  /** The label of the button, on screens where several actions can be requested. */
  label?: string;
  button?: Pick<ButtonProps, 'size' | 'variant' | 'c' | 'leftSection'>;
}

const HOURS = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00`);

export default function RequestApproval(props: RequestApprovalProps) {
  const { isDisabled = false, disabledReason, label, button, ...form } = props;
  const t = useTexts('approvals');
  const [isOpen, setOpen] = useState(false);
  const title = label ?? t('request.open');
  return (
    <>
      <Button
        disabled={isDisabled}
        title={disabledReason}
        leftSection={<IconChecklist size={18} stroke={1.75} />}
        {...button}
        onClick={() => setOpen(true)}
      >
        {title}
      </Button>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={title}>
        {isOpen && <RequestForm {...form} close={() => setOpen(false)} />}
      </Dialog>
    </>
  );
}

type RequestFormProps = Pick<RequestApprovalProps, 'call' | 'hasTime' | 'needsTime'> & {
  close: () => void;
};

function RequestForm({ call, hasTime, needsTime, close }: RequestFormProps) {
  const t = useTexts('approvals');
  const [note, setNote] = useState('');
  const [day, setDay] = useState('');
  const [hour, setHour] = useState('10:00');
  const request = useAction(
    () => {
      const schedule_time = day === '' ? null : `${day} ${hour}:00`;
      const body = hasTime ? { ...call.body, schedule_time } : call.body;
      return requestCall({ ...call, body }, note);
    },
    {
      invalidates: [APPROVALS],
      onDone: () => {
        toast(t('request.done'));
        close();
      },
    },
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        request.mutate(undefined);
      }}
    >
      <Stack gap="md">
        {hasTime && (
          <TimeFields
            day={day}
            hour={hour}
            isRequired={needsTime}
            onDay={setDay}
            onHour={setHour}
          />
        )}
        <Textarea
          label={t('request.note')}
          autosize
          minRows={2}
          maxRows={8}
          maxLength={MAX_NOTE_LENGTH}
          value={note}
          data-autofocus
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <FormButtons close={close} isBusy={request.isPending}>
          {t('request.send')}
        </FormButtons>
      </Stack>
    </form>
  );
}

interface TimeFieldsProps {
  day: string;
  hour: string;
  isRequired: boolean | undefined;
  onDay: (day: string) => void;
  onHour: (hour: string) => void;
}

/** The hour can be chosen only after a day. */
function TimeFields({ day, hour, isRequired, onDay, onHour }: TimeFieldsProps) {
  const t = useTexts('approvals');
  return (
    <>
      <DayField
        label={t(isRequired ? 'request.day' : 'request.dayOptional')}
        value={day}
        onChange={onDay}
      />
      {day !== '' && (
        <NativeSelect
          label={t('request.time')}
          value={hour}
          data={HOURS}
          onChange={(event) => onHour(event.currentTarget.value)}
        />
      )}
    </>
  );
}
