// Sends a test SMS to a typed number.
import { Button, Group, Paper, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { client } from '#platform/web/api/api.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import type { SmsCampaign } from '../../contract.ts';
import type { testRecipientCalls } from '../../../content/test-recipients-contract.ts';
import { api, messages } from '../queries.ts';
import { SmsTestNote, useSmsMode } from '../test-note.tsx';
import { toContent, type SmsContent } from './preview.ts';

const recipients = client<typeof testRecipientCalls>();
/** A number that Ofcom reserves for fiction. */
const FICTIONAL_NUMBER = '+44 7700 900123';

type SendTestSms = (phone: string, idempotencyKey: string) => Promise<unknown>;

/** Tests a saved campaign, or a variant of its experiment. */
export function TestSms({ id, variant }: { id: string; variant?: SmsCampaign | undefined }) {
  const t = useTexts('sms');
  const send: SendTestSms = (phone, idempotencyKey) =>
    variant
      ? sendTestOfVariant(variant, phone, idempotencyKey)
      : api('POST /client-api/api/sms/campaign/{id}/test', {
          params: { id },
          body: { phones: [phone] },
          idempotencyKey,
        });
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" gap="xs">
        <Text component="h2" fw={600}>
          {t('test.title')}
        </Text>
        <TestButton send={send} />
      </Group>
      <SmsTestNote />
    </Paper>
  );
}

function sendTestOfVariant(variant: SmsCampaign, phone: string, idempotencyKey: string) {
  const { phone_id: sender, text, add_organization_name, append_opt_out } = variant;
  const { google_analytics } = variant;
  return messages('POST /client-api/api/sms/test', {
    body: {
      ...{ text, add_organization_name, append_opt_out, google_analytics },
      // If there is no sender, the server refuses the test, as it does for a saved campaign.
      phone_id: sender ?? '',
      phones: [phone],
    },
    idempotencyKey,
  });
}

/** Tests content that is not saved. */
export function UnsavedTestButton(props: { content: SmsContent; subscriber: string | null }) {
  const { content, subscriber } = props;
  const { phone_id, ...body } = toContent(content);
  if (phone_id === null || content.text.trim() === '') return null;
  const send: SendTestSms = (phone, idempotencyKey) =>
    messages('POST /client-api/api/sms/test', {
      body: { ...body, phone_id, phones: [phone], ...(subscriber && { subscriber }) },
      idempotencyKey,
    });
  return <TestButton send={send} />;
}

function TestButton({ send }: { send: SendTestSms }) {
  const t = useTexts('sms');
  const { isTest } = useSmsMode();
  const savedNumbers = useQuery({
    ...recipients.query('GET /client-api/api/test_recipients', { query: { channel: 'sms' } }),
    meta: { notFound: 'inline' },
  });
  const promptNumber = () => {
    const key = crypto.randomUUID();
    return promptInput({
      type: 'tel',
      title: t('test.title'),
      label: t('test.number'),
      // The field starts with the number of the last test.
      value: savedNumbers.data?.data[0] ?? '',
      confirm: t('test.send'),
      ...(isTest && {
        description: t('test.anyNumber', { number: `\u2066${FICTIONAL_NUMBER}\u2069` }),
        isServerChecked: true,
      }),
      send: async (phone) => {
        await send(phone, key);
        void invalidate('/client-api/api/test_recipients');
        toast(t('test.sent'));
      },
    });
  };
  return (
    <Button variant="default" onClick={() => void promptNumber()}>
      {t('test.send')}
    </Button>
  );
}
