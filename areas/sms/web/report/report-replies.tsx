// Replies to a campaign, users' responses to them, and the dialog to respond.
import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { IconMessageReply } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { MAX_PARTS, measure } from '#areas/content/text-parts.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useIdempotencyKey } from '#platform/web/hooks/use-key-of.ts';
import { useKeptForm } from '#platform/web/session/use-kept-form.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { type TableColumn, DataTable } from '#platform/web/ui/data-table.tsx';
import { EmptyState } from '#platform/web/ui/states.tsx';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import type { SmsReply } from '../../contract.ts';
import { MAX_TEXT_LENGTH } from '../../shared.ts';
import { api, LIST_PATH, messages } from '../queries.ts';
import { SmsTestNote } from '../test-note.tsx';
import { useReportList } from './report-list.tsx';

export function ReportReplies({ id }: { id: string }) {
  const t = useTexts('sms');
  const list = useReportList();
  const [answered, setAnswered] = useState<SmsReply>();
  const replies = useQuery({
    ...api.query('GET /client-api/api/sms/campaign/{id}/report/replies', {
      params: { id },
      query: list.query,
    }),
    placeholderData: keepPreviousData,
  });
  const columns = useColumns(setAnswered);
  return (
    <>
      <DataTable
        label={t('said.replies')}
        query={replies}
        list={list}
        rowId={(reply) => reply.id}
        getRowName={getName}
        columns={columns}
        empty={<EmptyState icon={IconMessageReply} title={t('report.noSubscribers')} />}
      />
      <Dialog
        opened={answered !== undefined}
        onClose={() => setAnswered(undefined)}
        title={answered && t('answer.title', { name: getName(answered) })}
      >
        {answered && (
          <AnswerForm campaign={id} reply={answered} close={() => setAnswered(undefined)} />
        )}
      </Dialog>
    </>
  );
}

function useColumns(setAnswered: (reply: SmsReply) => void): TableColumn<SmsReply>[] {
  const t = useTexts('sms');
  const { dateTime } = useFormats();

  return [
    {
      id: 'person',
      header: t('report.person'),
      cell: ({ person }) => (
        <>
          <bdi>{person.name}</bdi> <bdi dir="ltr">{person.phone}</bdi>
        </>
      ),
    },
    { id: 'said', header: t('said.replies'), cell: (reply) => <Thread reply={reply} /> },
    { id: 'at', header: t('report.at'), cell: (reply) => dateTime(reply.at) },
    {
      id: 'answer',
      header: t('answer.act'),
      cell: (reply) =>
        reply.may_answer && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t('answer.title', { name: getName(reply) })}
            onClick={() => setAnswered(reply)}
          >
            {t('answer.act')}
          </Button>
        ),
    },
  ];
}

const getName = ({ person }: SmsReply) => person.name || person.phone;

/** The reply, and the responses below it. */
function Thread({ reply }: { reply: SmsReply }) {
  const t = useTexts('sms');
  const { dateTime } = useFormats();
  return (
    <>
      <bdi>{reply.said}</bdi>
      {reply.answers.map(({ text, at }) => (
        <Text key={at} size="sm" c="dimmed">
          <bdi>{t('answer.yours', { time: dateTime(at), text })}</bdi>
        </Text>
      ))}
      {!reply.may_answer && (
        <Text size="xs" c="dimmed">
          {t('answer.optedOut')}
        </Text>
      )}
    </>
  );
}

function AnswerForm(props: { campaign: string; reply: SmsReply; close: () => void }) {
  const { campaign, reply, close } = props;
  const t = useTexts('sms');
  const keyOf = useIdempotencyKey();
  const { form, isBusy, submit } = useKeptForm(`sms-answer:${reply.id}`, {
    initialValues: { text: '' },
    validate: { text: (value) => (value.trim() ? null : t('fields.textRequired')) },
    send: async ({ text }) => {
      const body = { text };
      await messages('POST /client-api/api/sms/campaign/{id}/report/replies/{reply}/answer', {
        params: { id: campaign, reply: reply.id },
        body,
        idempotencyKey: keyOf(body),
      });
      await invalidate(`${LIST_PATH}/${campaign}/report/replies`);
      toast(t('answer.sent'));
      close();
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm">
          <bdi>{reply.said}</bdi>
        </Text>
        <Textarea
          label={t('answer.label')}
          data-autofocus
          autosize
          minRows={3}
          maxRows={10}
          maxLength={MAX_TEXT_LENGTH}
          required
          dir="auto"
          {...form.getInputProps('text')}
        />
        <Length text={form.getValues().text} />
        <Text size="sm" c="dimmed">
          {t('answer.rules', { sender: `\u2066${reply.sender}\u2069` })}
        </Text>
        <SmsTestNote to={reply.person.phone} />
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy}>
            {t('answer.send')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Length({ text }: { text: string }) {
  const t = useTexts('sms');
  const { number } = useFormats();
  const { parts, units, left } = measure(text);
  const isTooLong = parts > MAX_PARTS;
  return (
    <Text size="xs" c={isTooLong ? 'danger' : 'dimmed'} aria-live="polite">
      {t('counter.characters', { used: `${number(units)}/${number(units + left)}` })}
      {' · '}
      {isTooLong
        ? t('counter.tooLong', { most: number(MAX_PARTS) })
        : t('counter.parts', { count: parts, total: number(parts) })}
    </Text>
  );
}
