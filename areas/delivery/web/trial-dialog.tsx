// Tests a relay: sends an email to the user and shows the complete conversation.
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { useServerForm } from '#platform/web/forms.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useAction } from '#platform/web/api/queries.ts';
import { useSession } from '#platform/web/session/session.ts';
import { USERS_PATH } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { CopyButton } from '#platform/web/ui/copy-button.tsx';
import { EmailInput } from '#platform/web/ui/email-input.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import { useOpened } from '#platform/web/hooks/use-opened.ts';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import type { TrialCode } from '../relay-limits.ts';
import type { SmtpConversation, RelayView } from '../relays-contract.ts';
import { api, RELAYS } from './queries.ts';
import classes from './relays.module.css';

/** The relay to test, which may be unsaved, and the call that tests it. */
export type TestedRelay = {
  title: string;
  username: string;
  /** Resolves to undefined if the error is shown elsewhere. */
  attempt: (from: string) => Promise<SmtpConversation | undefined>;
  relay?: RelayView;
};

/**
 * `focus` sets the focus after closing; if unset, the focus returns to the element that opened
 * the dialog.
 */
export default function TrialDialog({
  testedRelay,
  close,
  focus,
}: {
  testedRelay: TestedRelay | undefined;
  close: () => void;
  focus?: (() => void) | undefined;
}) {
  const t = useTexts('delivery');
  return (
    <Dialog
      opened={useOpened(testedRelay !== undefined)}
      onClose={close}
      returnFocus={!focus}
      {...(focus ? { onExitTransitionEnd: focus } : {})}
      size="lg"
      title={t('trial.title', { title: testedRelay?.title ?? '' })}
    >
      {testedRelay && <Trial key={testedRelay.relay?.id} testedRelay={testedRelay} close={close} />}
    </Dialog>
  );
}

function Trial({ testedRelay, close }: { testedRelay: TestedRelay; close: () => void }) {
  const t = useTexts('delivery');
  const { user } = useSession();
  const { relay, username, attempt } = testedRelay;
  const [conversation, setConversation] = useState<SmtpConversation>();
  const { form, isBusy, submit } = useServerForm({
    initialValues: { from: username.includes('@') ? username : toUnicodeDomain(user.email) },
    validate: {
      from: (from) =>
        /^[^\s@]+@[^\s@][^\s@.]*\.[^\s@]+$/.test(from.trim()) ? null : t('trial.fromInvalid'),
    },
    send: async ({ from }) => {
      setConversation(undefined);
      setConversation(await attempt(from.trim()));
    },
  });
  return (
    <Stack gap="md">
      <Text size="sm">
        {t('trial.intro', { email: toUnicodeDomain(user.email) })}
        {!relay && ` ${t('trial.typed')}`}
      </Text>
      <form onSubmit={submit} noValidate>
        <Group align="end" gap="xs">
          <EmailInput
            style={{ flex: 1 }}
            label={t('trial.from')}
            data-autofocus
            {...form.getInputProps('from')}
          />
          <Button type="submit" loading={isBusy}>
            {t('trial.send')}
          </Button>
        </Group>
      </form>
      <div aria-live="polite">
        {conversation && <Transcript conversation={conversation} />}
        {conversation?.accepted && relay && !relay.enabled && (
          <TurnOn relay={relay} onDone={close} />
        )}
      </div>
    </Stack>
  );
}

/** Offers to enable a disabled server after its test succeeded. */
function TurnOn({ relay, onDone }: { relay: RelayView; onDone: () => void }) {
  const t = useTexts('delivery');
  const { id, title } = relay;
  const turnOn = useAction(
    () => api('PATCH /client-api/api/relays/{id}', { params: { id }, body: { enabled: true } }),
    {
      invalidates: [RELAYS, USERS_PATH],
      onDone: () => {
        toast(t('trial.turnedOn', { title }));
        onDone();
      },
    },
  );
  return (
    <Group justify="space-between" mt="md" gap="xs">
      <Text size="sm" style={{ flex: 1 }} miw={200}>
        {t('trial.off')}
      </Text>
      <Button loading={turnOn.isPending} onClick={() => turnOn.mutate(undefined)}>
        {t('trial.turnOn')}
      </Button>
    </Group>
  );
}

function Transcript({ conversation }: { conversation: SmtpConversation }) {
  const t = useTexts('delivery');
  const text = conversation.lines
    .map((line) => `${SPEAKER_MARKS[line.who]} ${line.text}`)
    .join('\n');
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <StatusDot
          tone={conversation.accepted ? 'success' : 'danger'}
          label={t(conversation.accepted ? 'trial.accepted' : 'trial.refused')}
        />
        <CopyButton value={text} label={t('trial.copy')} />
      </Group>
      {conversation.code !== 'accepted' && (
        <Text size="sm">{t(FAILURE_KEYS[conversation.code])}</Text>
      )}
      <ol className={classes.conversation} tabIndex={0} aria-label={t('trial.conversation')}>
        {conversation.lines.map((line, n) => (
          // The index is the key because the lines never change.
          <li key={n} className={classes[line.who]}>
            {SPEAKER_MARKS[line.who]} {line.text}
          </li>
        ))}
      </ol>
    </Stack>
  );
}

const FAILURE_KEYS = {
  unreachable: 'trial.why.unreachable',
  no_server: 'trial.why.noServer',
  encryption: 'trial.why.encryption',
  certificate: 'trial.why.certificate',
  sign_in: 'trial.why.signIn',
  sender: 'trial.why.sender',
  relaying: 'trial.why.relaying',
  recipient: 'trial.why.recipient',
  busy: 'trial.why.busy',
  private: 'trial.why.private',
  refused: 'trial.why.refused',
} as const satisfies Record<Exclude<TrialCode, 'accepted'>, string>;

const SPEAKER_MARKS = { us: '→', relay: '←', note: '·' } as const;
