// Form of the test email, loaded when its dialog opens: the addresses that this user entered last,
// the saved addresses of the account, the subscriber whose values the email contains, and a note.
import { Button, Group, Input, TagsInput, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { ApiError } from '#platform/web/api/api.ts';
import { showError } from '#platform/web/errors/errors.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useSession } from '#platform/web/session/session.ts';
import { TestToolNote } from '#platform/web/ui/test-tools.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import { isEmail } from '#platform/web/validators.ts';
import { MAX_TEST_NOTE, MAX_TESTS } from '../../shared.ts';
import { api, resolveCall, type EmailRef, type EditorFinding } from './composing.ts';
import { readErrors } from './read-findings.ts';
import { Findings } from './findings.tsx';
import { SubscriberSelect } from './subscriber-select.tsx';
import { SavedRecipients, TEST_RECIPIENTS } from './saved-recipients.tsx';

export interface TestEmailProps {
  email: EmailRef;
  subscriberId: string | null;
  /** Called before sending, to save the content; returning false cancels the test. */
  beforeSend?: () => Promise<boolean>;
}

const toStorageKey = (user: string) => `sendloom.testMail:${user}`;

type TestEmailFormProps = TestEmailProps & { close: () => void };

export default function TestEmailForm(props: TestEmailFormProps) {
  const { close, email } = props;
  const t = useTexts('composing');
  const { user } = useSession();
  const [emails, setEmails] = useState(() => readStoredEmails(user.id) ?? [user.email]);
  const [subscriberId, setSubscriberId] = useState(props.subscriberId);
  const [note, setNote] = useState('');
  const { send, isBusy, findings } = useTestSend(props, { emails, subscriberId, note });
  const invalid = emails.filter((email) => !isEmail(email));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (emails.length > 0 && invalid.length === 0) void send();
      }}
    >
      <TagsInput
        label={t('test.emails')}
        description={t('test.hint', { count: MAX_TESTS })}
        value={emails}
        onChange={(list) => setEmails(list.map((address) => address.trim()).filter(Boolean))}
        maxTags={MAX_TESTS}
        splitChars={[',', ';', ' ', '\n']}
        acceptValueOnBlur
        dir="ltr"
        error={invalid.length > 0 ? t('test.invalid') : undefined}
        data-autofocus
      />
      {emails.length < MAX_TESTS && (
        <SavedRecipients
          selectedEmails={emails}
          onAdd={(address) => setEmails([...emails, address])}
        />
      )}
      <Input.Wrapper label={t('test.person')} description={t('test.personHint')} mt="md">
        <SubscriberSelect email={email} value={subscriberId} onChange={setSubscriberId} />
      </Input.Wrapper>
      <Textarea
        label={t('test.note')}
        description={t('test.noteHint')}
        my="md"
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        maxLength={MAX_TEST_NOTE}
        rows={3}
        dir="auto"
      />
      <TestToolNote tool="inbox" />
      {findings.length > 0 && <RefusedContent findings={findings} />}
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={close}>
          {t('cancel')}
        </Button>
        <Button type="submit" loading={isBusy} disabled={emails.length === 0 || invalid.length > 0}>
          {t('test.send', { count: emails.length })}
        </Button>
      </Group>
    </form>
  );
}

/** The findings that caused the content to be refused. */
function RefusedContent({ findings }: { findings: EditorFinding[] }) {
  const t = useTexts('composing');
  return (
    <>
      <Text size="sm" mt="md" role="alert">
        {t('test.refused')}
      </Text>
      <Findings findings={findings} />
    </>
  );
}

/** Sends the test and shows why the content was refused. */
function useTestSend(
  { email, beforeSend, close }: TestEmailFormProps,
  { emails, subscriberId, note }: { emails: string[]; subscriberId: string | null; note: string },
) {
  const t = useTexts('composing');
  const { user } = useSession();
  const [isBusy, setBusy] = useState(false);
  const [findings, setFindings] = useState<EditorFinding[]>([]);
  const send = async () => {
    setBusy(true);
    setFindings([]);
    try {
      if (beforeSend && !(await beforeSend())) return;
      await api(resolveCall(email, 'POST /{base}/{id}/test'), {
        params: { id: email.id },
        body: {
          emails,
          ...(subscriberId && { subscriber: subscriberId }),
          ...(note.trim() && { note: note.trim() }),
        },
        idempotencyKey: crypto.randomUUID(),
      });
      storeEmails(user.id, emails);
      void invalidate(TEST_RECIPIENTS);
      toast(t('test.sent', { count: emails.length }));
      close();
    } catch (error) {
      if (error instanceof ApiError && error.code === 'content_invalid') {
        setFindings(await readErrors(email).catch(() => []));
      } else showError(error);
    } finally {
      setBusy(false);
    }
  };
  return { send, isBusy, findings };
}

function storeEmails(user: string, emails: readonly string[]): void {
  try {
    localStorage.setItem(toStorageKey(user), JSON.stringify(emails));
  } catch {
    // Without browser storage the addresses are not stored; the test was sent anyway.
  }
}

function readStoredEmails(user: string): string[] | undefined {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(toStorageKey(user)) ?? 'null');
    return Array.isArray(list) && list.length > 0 ? list.map(String) : undefined;
  } catch {
    return undefined;
  }
}
