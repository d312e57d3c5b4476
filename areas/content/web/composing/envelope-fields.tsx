// Fields of an email's envelope: subject, preview text and sender, with a preview of an inbox.
import { Stack, Text, TextInput } from '@mantine/core';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { EmailInput } from '#platform/web/ui/email-input.tsx';
import { isEmail } from '#platform/web/validators.ts';
import { MAX_NAME_LENGTH, MAX_PREHEADER, MAX_SUBJECT } from '../../shared.ts';
import { InboxRow } from './inbox-row.tsx';
import { LineField } from './line-field.tsx';
import { SubjectLength } from './subject-length.tsx';
import { useShownLines } from './use-shown-lines.ts';

export type EnvelopeValues = {
  subject: string;
  preheader: string;
  from_name: string;
  from_email: string;
  reply_to: string;
};

/** Creates the envelope of `email`; `sender` replaces a missing sender, as in a new email. */
export function createEnvelope(
  email: EnvelopeValues | undefined,
  sender: { name: string; email: string },
): EnvelopeValues {
  return {
    subject: email?.subject ?? '',
    preheader: email?.preheader ?? '',
    from_name: email?.from_name || sender.name,
    from_email: toUnicodeDomain(email?.from_email || sender.email),
    reply_to: toUnicodeDomain(email?.reply_to ?? ''),
  };
}

export function useEnvelopeRules() {
  const t = useTexts('composing');
  const invalidMessage = t('envelope.emailInvalid');
  return {
    subject: (value: string) => (value.trim() ? null : t('envelope.subjectRequired')),
    from_email: (value: string) => (isEmail(value.trim()) ? null : invalidMessage),
    reply_to: (value: string) =>
      value.trim() === '' || isEmail(value.trim()) ? null : invalidMessage,
  };
}

export function EnvelopeFields({
  getFieldProps,
}: {
  getFieldProps: (name: keyof EnvelopeValues) => object;
}) {
  const t = useTexts('composing');
  return (
    <Stack gap="md">
      <div>
        <LineField
          label={t('envelope.subject')}
          description={t('envelope.subjectHint')}
          maxLength={MAX_SUBJECT}
          required
          inputProps={getFieldProps('subject')}
        />
        <SubjectLength subject={(getFieldProps('subject') as { value?: string }).value ?? ''} />
      </div>
      <LineField
        label={t('envelope.preheader')}
        description={t('envelope.preheaderHint')}
        maxLength={MAX_PREHEADER}
        inputProps={getFieldProps('preheader')}
      />
      <TextInput
        label={t('envelope.fromName')}
        maxLength={MAX_NAME_LENGTH}
        autoComplete="organization"
        {...getFieldProps('from_name')}
      />
      <EmailInput
        label={t('envelope.fromEmail')}
        autoComplete="email"
        required
        {...getFieldProps('from_email')}
      />
      <EmailInput
        label={t('envelope.replyTo')}
        description={t('envelope.replyToHint')}
        {...getFieldProps('reply_to')}
      />
    </Stack>
  );
}

export function EnvelopePreview({ envelope }: { envelope: EnvelopeValues }) {
  const t = useTexts('composing');
  const inboxLines = useShownLines(envelope.subject, envelope.preheader);
  return (
    <div>
      <Text size="sm" fw={600} mb="xs">
        {t('envelope.inbox')}
      </Text>
      <InboxRow
        from={envelope.from_name || t('envelope.fromName')}
        subject={inboxLines.subject}
        preheader={inboxLines.preheader}
      />
      {inboxLines.isPersonal && (
        <Text size="xs" c="dimmed" mt="xs">
          {t('envelope.asNewest')}
        </Text>
      )}
    </div>
  );
}
