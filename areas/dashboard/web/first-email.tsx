// Until the first campaign is sent, offers to send the user an email in the style of the user's
// website, and shows the received email if the installation stores emails in the built-in inbox.
import { Anchor, Button, TextInput } from '@mantine/core';
import { IconMailForward } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { isBlank, findWebsiteIssue, withProtocol } from '#areas/accounts/validation.ts';
import { http } from '#platform/web/api/http.ts';
import { showError } from '#platform/web/errors/errors.ts';
import { useSession } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { useTestMode } from '#platform/web/ui/test-mode.tsx';
import classes from './first-email.module.css';
import { api, type SentFirstEmail, useOnboarding } from './queries.ts';

const POLL_EVERY_MS = 500;
const MAX_URL = 255;

export default function FirstEmail() {
  const flags = useOnboarding(true).data?.data;
  if (!flags || flags.email_sent) return null;
  return <Offer />;
}

function Offer() {
  const t = useTexts('dashboard');
  const id = useId();
  const [sent, setSent] = useState<SentFirstEmail & { requestedUrl: string; sentAt: number }>();
  return (
    <section className={classes.first} aria-labelledby={id}>
      <div className={classes.words}>
        <h2 id={id} className={classes.title}>
          {t('first.title')}
        </h2>
        <p className={classes.text}>{t('first.text')}</p>
        <WebsiteForm isRepeat={sent !== undefined} onSent={setSent} />
        <div role="status">{sent && <SentNotice sent={sent} />}</div>
      </div>
      {sent && <ReceivedEmail key={sent.sentAt} sent={sent} />}
    </section>
  );
}

interface WebsiteFormProps {
  isRepeat: boolean;
  onSent: (result: SentFirstEmail & { requestedUrl: string; sentAt: number }) => void;
}

function WebsiteForm({ isRepeat, onSent }: WebsiteFormProps) {
  const t = useTexts('dashboard');
  const { website, isWrong, isBusy, send, type } = useWebsite(onSent);
  return (
    <form
      className={classes.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void send();
      }}
    >
      <TextInput
        className={classes.field}
        type="url"
        dir="ltr"
        label={t('first.website')}
        description={t('first.websiteText')}
        placeholder="https://example.com"
        autoComplete="url"
        maxLength={MAX_URL}
        value={website}
        error={isWrong && t('first.invalid')}
        onChange={(event) => type(event.currentTarget.value)}
      />
      <Button
        type="submit"
        variant="default"
        loading={isBusy}
        leftSection={<IconMailForward size={18} stroke={1.75} />}
      >
        {t(isRepeat ? 'first.again' : 'first.send')}
      </Button>
    </form>
  );
}

/** Holds the website for the email, and submits it. */
function useWebsite(onSent: WebsiteFormProps['onSent']) {
  // The website that the user entered in the introduction.
  const { website: accountWebsite } = useSession().account;
  const [website, setWebsite] = useState(accountWebsite ?? '');
  const [isWrong, setWrong] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    const url = isBlank(website) ? '' : withProtocol(website);
    setWebsite(url);
    const issue = url === '' ? undefined : findWebsiteIssue(url);
    setWrong(issue !== undefined && !/^https?:/.test(url));
    if (url !== '' && !URL.canParse(url)) return setWrong(true);
    setBusy(true);
    try {
      const body = url === '' ? {} : { website: url };
      const { data } = await api('POST /client-api/api/accounts/first_email', { body });
      onSent({ ...data, requestedUrl: url, sentAt: Date.now() });
    } catch (error) {
      showError(error);
    } finally {
      setBusy(false);
    }
  };
  const type = (next: string) => {
    setWebsite(next);
    setWrong(false);
  };
  return { website, isWrong, isBusy, send, type };
}

function SentNotice({ sent }: { sent: SentFirstEmail & { requestedUrl: string } }) {
  const t = useTexts('dashboard');
  const isTest = useTestMode();
  const { website, requestedUrl, email } = sent;
  return (
    <>
      <p className={classes.said}>
        {t('first.sent', { email })} {!isTest && t('first.mailbox')}
      </p>
      {requestedUrl !== '' && website === null && (
        <p className={classes.said}>{t('first.plain', { website: requestedUrl })}</p>
      )}
      {website && (website.has_logo || website.has_colour) && (
        <p className={classes.said}>{t('first.brand')}</p>
      )}
    </>
  );
}

type InboxList = { data: { id: string; from: string; subject: string; received_at: string }[] };

/** The email as received in the built-in inbox. */
function ReceivedEmail({ sent }: { sent: SentFirstEmail & { sentAt: number } }) {
  const t = useTexts('dashboard');
  const isTest = useTestMode();
  const { user } = useSession();
  const { subject, sentAt } = sent;
  const query = new URLSearchParams({ to: user.email, subject, limit: '1' });
  const { data: inboxEmail } = useQuery({
    queryKey: ['inbox', user.email, subject, sentAt],
    queryFn: async ({ signal }) => {
      const { data } = await http<InboxList>('GET', `/inbox/api/messages?${query}`, { signal });
      // An earlier email with the same subject is not the expected one.
      return data.find((row) => new Date(row.received_at).getTime() >= sentAt - 15_000) ?? null;
    },
    enabled: isTest,
    refetchInterval: ({ state }) => (state.data ? false : POLL_EVERY_MS),
  });
  if (!isTest) return null;
  return (
    <div className={classes.inbox}>
      <div className={classes.inboxHead}>
        <strong>{t('first.inbox')}</strong>
        {inboxEmail && (
          <Anchor
            href={`/inbox/messages/${inboxEmail.id}`}
            target="_blank"
            underline="always"
            inherit
          >
            {t('first.open')}
          </Anchor>
        )}
      </div>
      {inboxEmail ? (
        <>
          <p className={classes.subject} dir="auto">
            {inboxEmail.subject}
          </p>
          <p className={classes.from} dir="auto">
            {inboxEmail.from}
          </p>
          <iframe
            className={classes.frame}
            title={inboxEmail.subject}
            src={`/inbox/messages/${inboxEmail.id}/html`}
            sandbox="allow-popups allow-popups-to-escape-sandbox"
          />
        </>
      ) : (
        <p className={classes.from}>{t('first.waiting')}</p>
      )}
    </div>
  );
}
