// The first view of adding a domain: the name, which the server checks 500 ms after the last input.
import {
  Alert,
  Anchor,
  Button,
  Collapse,
  Group,
  Loader,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useLayoutEffect, useRef, useState } from 'react';
import { errorTexts } from '#platform/web/errors/errors.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import {
  listBlockers,
  CHECK_DEBOUNCE_MS,
  canContinue,
  type CheckMessage,
  readDomain,
} from './add-domain.ts';
import { api } from './queries.ts';

interface DomainViewProps {
  typed: string;
  /** Whether `typed` is a proposal that the user has not edited. */
  isProposed: boolean;
  onType: (parsed: string) => void;
  onNext: (domain: string) => void;
  close: () => void;
}

export function DomainView({ typed: written, isProposed, onType, onNext, close }: DomainViewProps) {
  const t = useTexts('domains');
  const input = useSelectedProposal(isProposed, written);
  const [isLeft, setLeft] = useState(false);
  const parsed = readDomain(written);
  const { check, checkedDomain, isListed } = useCheck(parsed.ascii, parsed.issue !== undefined);
  const isChecking =
    !parsed.issue && !isListed && (check.isFetching || checkedDomain !== parsed.ascii);
  const checkResult = isChecking ? undefined : check.data;
  const isReady = canContinue({ typed: parsed, isListed, checkedDomain, response: checkResult });
  const fault = isListed
    ? t('add.listed')
    : parsed.issue && isLeft
      ? t(`add.issues.${parsed.issue}`)
      : undefined;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setLeft(true);
        if (isReady) onNext(parsed.ascii);
      }}
    >
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t('add.intro')}
        </Text>
        <TextInput
          ref={input}
          label={t('add.domain')}
          placeholder="example.com"
          dir="ltr"
          inputMode="url"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus
          onFocus={(event) => event.currentTarget.select()}
          value={written}
          onChange={(event) => onType(event.currentTarget.value)}
          onBlur={() => setLeft(written !== '')}
          error={fault}
          rightSection={
            isChecking && <Loader size={16} role="status" aria-label={t('add.checking')} />
          }
        />
        {parsed.isConverted && !parsed.issue && <ConvertedName ascii={parsed.ascii} />}
        {checkResult && !isListed && <CheckResult response={checkResult} />}
        {check.isError && !isChecking && <CheckFailed error={check.error} retry={check.refetch} />}
        <Buttons isReady={isReady} close={close} />
      </Stack>
    </form>
  );
}

function Buttons({ isReady, close }: { isReady: boolean; close: () => void }) {
  const t = useTexts('domains');
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={close}>
        {t('platform:confirm.cancel')}
      </Button>
      <Button type="submit" disabled={!isReady}>
        {t('add.next')}
      </Button>
    </Group>
  );
}

/**
 * Selects a late suggestion so that typing replaces it, just like a suggestion that was shown
 * before the field got focus.
 */
function useSelectedProposal(isProposed: boolean, value: string) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (isProposed && document.activeElement === input.current) input.current?.select();
  }, [isProposed, value]);
  return input;
}

function CheckFailed({ error, retry }: { error: unknown; retry: () => Promise<unknown> }) {
  const t = useTexts('domains');
  return (
    <Alert color="danger" role="alert" icon={<IconAlertTriangle size={18} stroke={1.75} />}>
      {errorTexts(error).message}{' '}
      <Anchor component="button" type="button" onClick={() => void retry()}>
        {t('platform:states.retry')}
      </Anchor>
    </Alert>
  );
}

function ConvertedName({ ascii }: { ascii: string }) {
  const t = useTexts('domains');
  return (
    <Text size="sm" c="dimmed">
      {t('add.converted')} <bdi dir="ltr">{ascii}</bdi>
    </Text>
  );
}

/**
 * Checks a domain 500 ms after the last keystroke. Domains of the account are known immediately.
 */
function useCheck(ascii: string, hasIssue: boolean) {
  const [domain] = useDebouncedValue(ascii, CHECK_DEBOUNCE_MS);
  const existingDomains = useQuery(
    api.query('GET /client-api/api/domains', { query: { no_paginate: 'true' } }),
  );
  const isListed = existingDomains.data?.data.some((row) => row.domain_name === ascii) ?? false;
  const isCheckNeeded = !hasIssue && !isListed && domain === ascii;
  const check = useQuery({
    queryKey: ['check-domain', domain],
    queryFn: ({ signal }) =>
      api('POST /client-api/api/domains/check_domain', { body: { domain }, signal }),
    enabled: isCheckNeeded,
    staleTime: 30_000,
    retry: false,
  });
  return { check, checkedDomain: isCheckNeeded ? domain : undefined, isListed };
}

function CheckResult({ response }: { response: { success: boolean; messages: CheckMessage[] } }) {
  const stopping = listBlockers(response);
  const advice = response.messages.filter((message) => !stopping.includes(message));
  return (
    <>
      {stopping.map((message) => (
        <Alert
          key={message.type}
          color="danger"
          variant="light"
          role="alert"
          icon={<IconAlertTriangle size={18} stroke={1.75} />}
        >
          {message.message}
          {message.type === 'free_provider' && <FreeProviders />}
        </Alert>
      ))}
      {stopping.length === 0 &&
        advice.map((message) => (
          <Alert
            key={message.type}
            color="thread"
            variant="light"
            role="status"
            icon={<IconInfoCircle size={18} stroke={1.75} />}
          >
            {message.message}
          </Alert>
        ))}
    </>
  );
}

/** Explains why email from addresses of mailbox providers cannot be sent through other servers. */
function FreeProviders() {
  const t = useTexts('domains');
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {' '}
      <Anchor
        component="button"
        type="button"
        underline="always"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {t('add.learnMore')}
      </Anchor>
      <Collapse expanded={isOpen}>
        <Text size="sm" mt="xs">
          {t('add.freeProviders')}
        </Text>
      </Collapse>
    </>
  );
}
